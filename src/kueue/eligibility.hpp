#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "kueue/assignment.hpp"

namespace gpusched::kueue {

/// Whether a flavor suits a pod set at all: topology, taints, node affinity. Answers are kept for each class of pods.
/// Source: Kueue v0.17.0, pkg/scheduler/flavorassigner: checkFlavorForPodSets, flavorSelector.
class Eligibility {
 public:
  Eligibility(State& state, TopologyPlanner& topologies) : state_(state), topologies_(topologies) {}

  /// Why not; "" when it does.
  [[nodiscard]] const std::string& reason(QueueId queue, std::size_t group, std::size_t flavor,
                                          const PodSetState& pod_set);
  /// A ClusterQueue was replaced.
  void forget() { answers_.clear(); }

 private:
  [[nodiscard]] std::string find_reason(const QueueState& queue, const GroupState& group, FlavorId flavor,
                                        const PodSetState& pod_set) const;
  [[nodiscard]] std::string topology_reason(const QueueState& queue, const GroupState& group, const FlavorState& flavor,
                                            const PodSetState& pod_set) const;

  State& state_;
  TopologyPlanner& topologies_;
  std::unordered_map<std::uint64_t, std::vector<std::optional<std::string>>> answers_;  // by flavor of all groups
};

}  // namespace gpusched::kueue
