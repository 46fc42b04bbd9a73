#pragma once

#include <optional>
#include <span>
#include <string>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/placement/place.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// The answer to `--fill POD`.
struct FillAnswer {
  std::string pod;
  PodClassId pod_class;
  placement::FillResult result;
};

/// The whole PlacementReport; `usage` is the cluster after the run, which stands in it when it is to be shown.
/// `fail_on`: what else makes the answer a no.
[[nodiscard]] Document placement_report(const ClusterUsage& usage, const placement::Options& options,
                                        const placement::PlacementResult& result,
                                        const frag::Fragmentation& fragmentation, const std::optional<FillAnswer>& fill,
                                        std::span<const std::string> fail_on = {}, Cluster cluster = Cluster::kLeftOut);

}  // namespace gpusched::report
