#pragma once

#include <cstdint>
#include <span>
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

  /// Works a node out again after it changed.
  void update(NodeId node) { rows_[node.index()] = measure(node); }
  [[nodiscard]] const Row& row(NodeId node) const { return rows_[node.index()]; }
  void restore(NodeId node, Row row) { rows_[node.index()] = std::move(row); }

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
  [[nodiscard]] Row measure(NodeId node);
  [[nodiscard]] bool fits(NodeId node, std::size_t count);
  [[nodiscard]] std::vector<Holder> holders(NodeId node) const;
  [[nodiscard]] bool leave(NodeId node, std::size_t count, std::span<const Holder> from, std::size_t size);

  ClusterUsage& usage_;
  const Disruption& disruption_;
  placement::NodeFilter filter_;
  std::vector<PodId> pods_;
  std::size_t most_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> free_;  ///< by node: whole GPUs and replicas, at most what a pod could use
  std::vector<PodId> chosen_;       ///< of the set that `leave` found
  int tries_ = 0;
};

}  // namespace gpusched::whatif
