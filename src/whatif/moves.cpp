#include "gpusched/whatif/moves.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace gpusched::whatif {

Immovable immovable(const ClusterUsage& usage, const Disruption& disruption, PodId pod) {
  if (disruption.runner(pod) == PodRunner::kNode) {
    return Immovable::kNode;
  }
  if (!usage.pod_name(pod).valid()) {
    return Immovable::kUnnamed;
  }
  // What a pod holds beside what its class asks for came through a claim.
  const PodClass& pod_class = usage.pod_class(pod);
  std::int64_t asked = pod_class.gpus;
  for (const MigRequest& request : pod_class.mig) {
    asked += request.count;
  }
  return devices_held(usage, pod) > asked ? Immovable::kClaim : Immovable::kNot;
}

std::int64_t devices_held(const ClusterUsage& usage, PodId pod) {
  return static_cast<std::int64_t>(usage.shares(pod).size());
}

void sort_for_placing(const ClusterUsage& usage, std::vector<PodId>& pods) {
  std::ranges::sort(pods, {}, [&](PodId pod) {
    const PodClass& pod_class = usage.pod_class(pod);
    std::int64_t devices = pod_class.gpus;
    for (const MigRequest& request : pod_class.mig) {
      devices += request.count;
    }
    return std::tuple(-std::int64_t{pod_class.priority}, -devices, usage.shape().text(usage.pod_name(pod)), pod);
  });
}

EvictionRemarks eviction_remarks(const Disruption& disruption, std::vector<PodId> pods) {
  std::ranges::sort(pods);
  EvictionRemarks remarks;
  for (std::uint32_t i = 0; i < disruption.budgets.size(); ++i) {
    const DisruptionBudget& budget = disruption.budgets[i];
    const bool few = budget.pods.size() < pods.size();
    const std::vector<PodId>& fewer = few ? budget.pods : pods;
    const std::vector<PodId>& more = few ? pods : budget.pods;
    if (budget.disruptions_allowed <= 0 &&
        std::ranges::any_of(fewer, [&](PodId pod) { return std::ranges::binary_search(more, pod); })) {
      remarks.budgets.push_back(i);
    }
  }
  std::ranges::copy_if(pods, std::back_inserter(remarks.orphans),
                       [&](PodId pod) { return disruption.runner(pod) == PodRunner::kNobody; });
  return remarks;
}

}  // namespace gpusched::whatif
