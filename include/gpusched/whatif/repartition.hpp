#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/layout.hpp"
#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/placement/options.hpp"
#include "gpusched/whatif/moves.hpp"

namespace gpusched::whatif {

/// Instances of one MIG profile that are wanted: "1g.10gb" 6 times.
struct MixEntry {
  std::string profile;
  std::int64_t count = 0;

  bool operator==(const MixEntry&) const = default;
};

struct MixRow {
  std::string profile;
  std::int64_t wanted = 0;
  std::int64_t free_now = 0;  ///< of them without any change
  std::int64_t served = 0;    ///< of them afterwards
};

/// A GPU whose layout changes.
struct RepartitionedGpu {
  NodeId node;
  std::uint16_t gpu = 0;
  std::uint16_t mig_board = 0;               ///< index into mig::boards()
  bool enable_mig = false;                   ///< it was not in MIG mode
  std::vector<mig::Instance> before, after;  ///< ascending by start
  std::vector<mig::Instance> busy;           ///< of both; they keep their places
  std::vector<mig::Instance> destroyed, created;
};

/// Pods that move to other nodes before anything is repartitioned.
struct RepartitionMoves {
  std::vector<Move> moves;  ///< in an order in which each has room
  EvictionRemarks remarks;
};

struct RepartitionAnswer {
  std::vector<MixRow> rows;               ///< in the order asked for; spellings of one profile are one row
  std::vector<RepartitionedGpu> gpus;     ///< by node name, then by GPU
  bool optimal = false;                   ///< proven: nothing serves more, nor as much at a lower price
  std::optional<RepartitionMoves> moves;  ///< when pods were allowed to move

  [[nodiscard]] bool all_served() const;
};

/// The layouts that serve a mix of MIG instances best: the most instances, then the most compute slices; of
/// those the ones with the fewest changed GPUs, then with the fewest that are put into MIG mode, then with the fewest
/// destroyed and the fewest created instances. GPUs in MIG mode keep their busy instances where they are; GPUs
/// outside MIG mode that nobody holds may be put into it. Cordoned nodes are left alone. Exact up to a size that covers
/// tens of GPUs and instances; greedy beyond. Error: "unknown-profile" when no board of the cluster has one of the
/// profiles.
[[nodiscard]] Result<RepartitionAnswer> repartition_for(const ClusterUsage& usage, std::span<const MixEntry> mix);

/// The same, where pods that hold GPUs may first be evicted and start again on another node, each once, so that the
/// GPUs and instances that they leave count, too. As much served as by any such moves, then the fewest moves, then as
/// above; never less than without moves. Which pods cannot move is `immovable`'s matter; a pod goes where the view of
/// `options` lets it, and gets there what the policy would give it. Exact on small clusters; `optimal` says so. The
/// usage comes back equal.
[[nodiscard]] Result<RepartitionAnswer> repartition_with_moves(ClusterUsage& usage, std::span<const MixEntry> mix,
                                                               const Disruption& disruption,
                                                               const placement::Options& options);

}  // namespace gpusched::whatif
