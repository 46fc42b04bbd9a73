#pragma once

#include <vector>

#include "explain/findings.hpp"

namespace gpusched::explain {

/// Pods of one node that hold enough of what a pod lacks there.
struct Eviction {
  NodeIndex node;
  std::vector<PodIndex> pods;  ///< those that hold most first
};

/// Small sets of pods that make room, one for each of the nodes where only pods are in the way: the fewest pods first,
/// then the lowest priority. Pods that come back by themselves (DaemonSets, static pods), those of kube-system and
/// those of a higher priority stay. At most `count` sets.
[[nodiscard]] std::vector<Eviction> smallest_evictions(const Question& question, std::size_t count);

/// What a pod requests of a resource.
[[nodiscard]] std::int64_t amount_of(const kubescheduler::PodState& pod, ResourceIndex resource);

}  // namespace gpusched::explain
