#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpusched/placement/filter.hpp"
#include "gpusched/whatif/moves.hpp"

namespace gpusched::whatif {

/// How many running pods have to leave each node until 1, 2, … equal pods fit on it: what the search for moves is
/// guided and bounded by. One move takes one pod from one node, so a sum of these numbers is a lower bound.
class BlockNeeds {
 public:
  using Row = std::vector<std::uint8_t>;  ///< by number of pods less one
  static constexpr std::uint8_t kNever = 0xff;

  /// `pods` are unbound, all of one class. `most` is the largest number worth knowing; more counts as never.
  BlockNeeds(ClusterUsage& usage, const Disruption& disruption, const placement::Options& options,
             std::vector<PodId> pods, int most);

  /// All that is known of one node, so that it is taken back as a whole.
  struct NodeNeeds {
    Row row;
    std::int64_t free =
        0;  ///< whole GPUs, replicas, instances in their stead that nobody holds: at least what wanted pods could use
  };

  /// Works a node out again after it changed; gives what was known before, for `restore`.
  [[nodiscard]] NodeNeeds update(NodeId node) { return std::exchange(nodes_[node.index()], measure(node)); }
  [[nodiscard]] const Row& row(NodeId node) const { return nodes_[node.index()].row; }
  void restore(NodeId node, NodeNeeds needs) { nodes_[node.index()] = std::move(needs); }

  /// Moves that any plan needs from here; kNever: more than `most`, or no plan exists.
  [[nodiscard]] int least_moves() const;
  /// GPUs that any plan of at most `moves` moves has to move.
  [[nodiscard]] std::int64_t least_devices(int moves) const;
  /// GPUs that have to leave the node at least until so many pods fit.
  [[nodiscard]] std::int64_t deficit(NodeId node, std::size_t count = 1) const;
  /// A smallest set of pods without which `count` of the wanted ones fit on the node; empty when there is none. When
  /// there are too many sets to try it may not suffice.
  [[nodiscard]] std::vector<PodId> smallest_set(NodeId node, std::size_t count = 1);

  [[nodiscard]] const placement::NodeFilter& filter() const { return filter_; }
  [[nodiscard]] std::span<const PodId> pods() const { return pods_; }

 private:
  struct Holder {
    PodId pod;
    std::vector<std::int64_t> kind;  ///< pods of one kind can stand for each other on this node
  };
  [[nodiscard]] NodeNeeds measure(NodeId node);
  [[nodiscard]] bool fits(NodeId node, std::size_t count);
  [[nodiscard]] std::vector<Holder> holders(NodeId node) const;
  [[nodiscard]] bool leave(NodeId node, std::size_t count, std::span<const Holder> from, std::size_t size);

  ClusterUsage& usage_;
  const Disruption& disruption_;
  placement::NodeFilter filter_;
  std::vector<PodId> pods_;
  std::size_t most_;
  std::vector<NodeNeeds> nodes_;  ///< by NodeId
  std::vector<PodId> chosen_;     ///< of the set that `leave` found
  int tries_ = 0;
};

}  // namespace gpusched::whatif
