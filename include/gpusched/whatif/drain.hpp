#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/placement/placer.hpp"
#include "gpusched/whatif/moves.hpp"

namespace gpusched::whatif {

/// Why a node cannot go.
enum class Hindrance : std::uint8_t {
  kNone,
  kControlPlane,  ///< it runs the control plane (taint node-role.kubernetes.io/control-plane)
  kUnnamed,       ///< a holder without a name: what it needs elsewhere is unknown
  kClaim,         ///< a pod with a ResourceClaim, for which `place` finds no devices
  kNoPlace,       ///< a pod fits nowhere else
};

/// What becomes of one node's pods when it goes.
struct NodeDrain {
  NodeId node;
  Hindrance hindrance = Hindrance::kNone;
  PodId pod;                        ///< kUnnamed, kClaim, kNoPlace: the first such pod
  placement::ReasonGroups reasons;  ///< kNoPlace: why no node takes it; else null
  std::vector<Move> moves;          ///< where its pods go, in the order in which they are placed; up to `pod`
  std::int64_t devices = 0;         ///< GPUs, replicas and MIG instances that its pods hold
  std::size_t staying = 0;          ///< pods of DaemonSets and the like, which go with the node
  EvictionRemarks remarks;          ///< about all pods that have to leave
};

struct DrainAnswer {
  std::vector<NodeDrain> nodes;  ///< each as if it were the only one; the emptiest first, then by name
  std::vector<NodeId> together;  ///< nodes that can all go, in the order in which they were chosen
  std::vector<Move> moves;       ///< of `together`: each pod once, to where it ends; in the order of its last move
  EvictionRemarks remarks;       ///< of `together`

  [[nodiscard]] std::size_t drainable() const;  ///< nodes that could go one by one
};

/// Which nodes could go: each one alone, and a large set chosen greedily, emptiest first. A node's pods are placed
/// again on the others by the policy, without preemption, highest priority first, then the largest. Pods of DaemonSets
/// and static pods go with the node, as `kubectl drain --ignore-daemonsets` has it. The usage comes back equal.
[[nodiscard]] DrainAnswer find_drainable(ClusterUsage& usage, const Disruption& disruption,
                                         const placement::Options& options);

}  // namespace gpusched::whatif
