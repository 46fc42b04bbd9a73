#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/placement/placer.hpp"
#include "gpusched/whatif/moves.hpp"

namespace gpusched::whatif {

struct DefragLimits {
  int moves = 8;                   ///< no plan has more
  std::int64_t steps = 2'000'000;  ///< nodes looked at for a pod, in the search for the best plan
};

/// A pod that gets its place at the end.
struct OpenedPlace {
  PodId pod;
  NodeId node;
  std::vector<GpuShare> shares;
};

enum class DefragOutcome : std::uint8_t {
  kPlan,       ///< `moves` opens the places; none when they were there
  kNoPlan,     ///< proven: no plan with so few moves exists
  kUndecided,  ///< the search ended at its limit of steps
};

struct DefragAnswer {
  DefragOutcome outcome = DefragOutcome::kUndecided;
  /// Proven: no plan has fewer moves, and none with as many moves fewer GPUs.
  bool optimal = false;
  int at_least = 0;                   ///< moves that any plan needs; above the limit: unknown by how much
  std::vector<Move> moves;            ///< in an order in which each has room when it is made
  std::vector<OpenedPlace> places;    ///< in the order in which the pods are placed afterwards
  std::int64_t devices = 0;           ///< GPUs, replicas and MIG instances of the moved pods
  std::int64_t steps = 0;             ///< that the search took
  frag::ExclusiveGpus before, after;  ///< `after`: when all moves are made, before the places are taken
  EvictionRemarks remarks;
};

/// The fewest moves of running pods after which all `wanted` pods (not bound) find a place by the policy: fewest moves,
/// then the fewest GPUs moved, then by name. Moved pods go where the policy lets them, on any node, their own included;
/// one may move twice when pods swap places. `wanted` may be several pods of any classes: all of them must fit. The
/// usage comes back equal.
[[nodiscard]] DefragAnswer find_moves(ClusterUsage& usage, const Disruption& disruption, std::span<const PodId> wanted,
                                      const placement::Options& options, const DefragLimits& limits,
                                      std::span<const int> sizes);

}  // namespace gpusched::whatif
