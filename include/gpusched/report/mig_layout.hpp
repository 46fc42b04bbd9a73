#pragma once

#include <span>
#include <string>

#include "gpusched/frag/mig_layout.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// One answer to `--mig-layout TARGET=LAYOUT`.
struct MigLayoutPart {
  std::string target;                   ///< as it was asked: a board or a node
  const ClusterUsage* usage = nullptr;  ///< of the answer's GPUs; nullptr: asked of a board alone
  frag::MigLayoutAnswer answer;
};

/// The whole MigLayoutReport.
[[nodiscard]] Document mig_layout_report(std::span<const MigLayoutPart> parts);

}  // namespace gpusched::report
