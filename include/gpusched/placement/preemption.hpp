#pragma once

#include <optional>
#include <vector>

#include "gpusched/placement/filter.hpp"

namespace gpusched::placement {

struct Preemption {
  NodeId node;
  std::vector<PodId> victims;  ///< in the order in which they were added
};

/// The cheapest eviction on one node that lets a pod of the filter's class in, or none. Cheapest: lowest highest victim
/// priority, then fewest GPUs evicted, then fewest victims, then the node's name. Only pods with a lower priority are
/// victims, none when the pod's preemptionPolicy is Never, and no eviction cures what follows from the node's hardware.
/// The usage is changed and reverted inside; it comes back equal.
[[nodiscard]] std::optional<Preemption> find_preemption(ClusterUsage& usage, const NodeFilter& filter);

}  // namespace gpusched::placement
