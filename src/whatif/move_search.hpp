#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpusched/whatif/defrag.hpp"
#include "whatif/block_needs.hpp"

namespace gpusched::whatif {

/// The search behind find_moves: depth first over moves with a limit that grows (IDA*), cut by BlockNeeds, and a greedy
/// cascade that finds a plan where the search would take too long.
class MoveSearch {
 public:
  MoveSearch(ClusterUsage& usage, const Disruption& disruption, std::span<const PodId> wanted,
             const placement::Options& options, const DefragLimits& limits);

  [[nodiscard]] DefragAnswer run();

 private:
  struct Plan {
    std::vector<Move> moves;
    std::int64_t devices = 0;
  };
  struct Target {
    std::uint64_t key;
    std::uint32_t rank;
    NodeId node;
    auto operator<=>(const Target&) const = default;
  };
  using Targets = std::map<PodClassId, std::vector<Target>>;

  // The exact search.
  void extend();
  [[nodiscard]] std::vector<NodeId> nodes_to_try() const;
  void try_node(NodeId node, Targets& targets);
  void try_pod(PodId pod, NodeId node, Targets& targets);
  void try_target(PodId pod, NodeId from, NodeId to);
  [[nodiscard]] std::vector<PodId> movable_pods(NodeId node) const;
  [[nodiscard]] bool could_help(NodeId node) const;
  [[nodiscard]] std::vector<Target> targets_of(PodClassId pod_class);
  [[nodiscard]] int least_moves() const;
  [[nodiscard]] std::int64_t least_devices() const;
  [[nodiscard]] bool seen_before();
  [[nodiscard]] int left() const { return limit_ - static_cast<int>(current_.moves.size()); }
  void note_move(PodId pod, NodeId from, NodeId to);

  // The cascade.
  [[nodiscard]] bool cascade();
  [[nodiscard]] bool open_block(PodId wanted, int depth, std::vector<NodeId>& reserved);
  [[nodiscard]] bool move_away(PodId pod, int depth, std::vector<NodeId>& reserved);

  /// Binds all wanted pods by the policy; false, and half done, when one finds no place.
  [[nodiscard]] bool place_wanted();
  [[nodiscard]] NodeId best_node(PodClassId pod_class, std::span<const NodeId> reserved = {});
  [[nodiscard]] const placement::NodeFilter& filter(PodClassId pod_class);

  ClusterUsage& usage_;
  const Disruption& disruption_;
  const placement::Options& options_;
  DefragLimits limits_;
  std::vector<PodId> wanted_;
  std::map<PodClassId, placement::NodeFilter> filters_;
  std::vector<BlockNeeds> needs_;  // by class of the wanted pods
  Plan current_;
  std::optional<Plan> best_;
  int limit_ = 0;
  std::int64_t steps_ = 0;
  bool out_of_steps_ = false;
  std::unordered_map<std::uint64_t, std::vector<std::pair<int, std::int64_t>>> seen_;  // moves and devices by state
  std::uint64_t state_ = 0;
};

}  // namespace gpusched::whatif
