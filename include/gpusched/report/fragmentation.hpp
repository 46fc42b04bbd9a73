#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// What `frag` was asked beside the sizes.
struct FragmentationParts {
  std::vector<frag::Group> groups;      ///< of --by
  std::string group_by;                 ///< "model", "pool" or "node"; "" without --by
  std::vector<std::string> violations;  ///< crossed thresholds, as sentences
};

/// The whole FragmentationReport.
[[nodiscard]] Document fragmentation_report(const ClusterUsage& usage, const frag::Fragmentation& fragmentation,
                                            const FragmentationParts& parts);

}  // namespace gpusched::report
