#include "gpusched/whatif/moves.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "gpusched/model/pod_devices.hpp"

namespace gpusched::whatif {

Immovable immovable(const ClusterUsage& usage, const Disruption& disruption, PodId pod) {
  const PodControl control = facts_of(disruption.facts, pod).control;
  if (control == PodControl::kStays || control == PodControl::kPlaceholder) {
    return Immovable::kNode;
  }
  if (!usage.pod_name(pod).valid()) {
    return Immovable::kUnnamed;
  }
  const bool shares = pod.index() < disruption.facts.size() && disruption.facts[pod.index()].shares_claim;
  return shares || holds_claimed_devices(usage, pod) ? Immovable::kClaim : Immovable::kNot;
}

bool holds_claimed_devices(const ClusterUsage& usage, PodId pod) {
  return devices_held(usage, pod) > devices_asked(usage.pod_class(pod));
}

std::int64_t devices_held(const ClusterUsage& usage, PodId pod) {
  return static_cast<std::int64_t>(usage.shares(pod).size());
}

void sort_for_placing(const ClusterUsage& usage, std::vector<PodId>& pods) {
  std::ranges::sort(pods, {}, [&](PodId pod) {
    const PodClass& pod_class = usage.pod_class(pod);
    return std::tuple(-std::int64_t{pod_class.priority}, -devices_asked(pod_class),
                      usage.shape().text(usage.pod_name(pod)), pod);
  });
}

EvictionRemarks eviction_remarks(const Disruption& disruption, std::vector<PodId> pods) {
  std::ranges::sort(pods);
  EvictionRemarks remarks;
  for (const PodId pod : pods) {
    if (pod.index() < disruption.facts.size()) {
      const std::vector<std::uint32_t>& budgets = disruption.facts[pod.index()].budgets;
      std::ranges::copy_if(budgets, std::back_inserter(remarks.budgets),
                           [&](std::uint32_t budget) { return disruption.budgets[budget].allowed <= 0; });
    }
    if (facts_of(disruption.facts, pod).control == PodControl::kNone) {
      remarks.orphans.push_back(pod);
    }
  }
  std::ranges::sort(remarks.budgets);
  remarks.budgets.erase(std::ranges::unique(remarks.budgets).begin(), remarks.budgets.end());
  return remarks;
}

}  // namespace gpusched::whatif
