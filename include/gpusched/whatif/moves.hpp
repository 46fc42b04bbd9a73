#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpusched/model/cluster.hpp"

/// Running pods that go to another node: what a move is, and which pods can make one.
namespace gpusched::whatif {

/// A running pod is evicted and starts again somewhere else.
struct Move {
  PodId pod;
  NodeId from, to;
  std::vector<GpuShare> shares;  ///< what it gets there

  bool operator==(const Move&) const = default;
};

/// What is known of the consequences of evicting pods: members of a Cluster.
struct Disruption {
  std::span<const PodFacts> facts;
  std::span<const DisruptionBudget> budgets;
};

/// Why a bound pod cannot be moved, whatever room there is.
enum class Immovable : std::uint8_t {
  kNot,      ///< it can
  kNode,     ///< of a DaemonSet or the kubelet, or no pod but hardware that nobody can use
  kUnnamed,  ///< the input says that it is there, not who it is
  kClaim,    ///< devices of a ResourceClaim, for which `place` finds none
};

[[nodiscard]] Immovable immovable(const ClusterUsage& usage, const Disruption& disruption, PodId pod);

/// Whole GPUs, replicas and MIG instances that a pod holds; parts of a GPU count as one.
[[nodiscard]] std::int64_t devices_held(const ClusterUsage& usage, PodId pod);

/// Whether it holds more than its class asks for: the rest came through ResourceClaims, for which the model places
/// none.
[[nodiscard]] bool holds_claimed_devices(const ClusterUsage& usage, PodId pod);

/// In which order evicted pods are placed again: the highest priority first, then the most devices, then by name.
void sort_for_placing(const ClusterUsage& usage, std::vector<PodId>& pods);

/// What is to be said of evicting some pods.
struct EvictionRemarks {
  std::vector<std::uint32_t> budgets;  ///< indices into Disruption::budgets, ascending: those that allow none now
  std::vector<PodId> orphans;          ///< pods without a controller, which nobody starts again
};
[[nodiscard]] EvictionRemarks eviction_remarks(const Disruption& disruption, std::vector<PodId> pods);

}  // namespace gpusched::whatif
