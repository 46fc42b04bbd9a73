#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/placement/placer.hpp"

namespace gpusched::placement {

/// Every node's verdict for the pods of one class, kept up to date by what changed: a tournament tree over the nodes in
/// name order, so that the smallest key wins, on a tie the first name. The first use evaluates every node, later ones
/// only the nodes touched since.
class CandidateTree {
 public:
  CandidateTree(const ClusterShape& shape, PodClassId pod_class, const Options& options);

  [[nodiscard]] const NodeFilter& filter() const { return filter_; }
  void refresh(const ClusterUsage& usage);
  /// The node that wins; invalid when none fits.
  [[nodiscard]] NodeId best(const ClusterShape& shape) const;
  /// The nodes that do not fit, by reason.
  [[nodiscard]] ReasonGroups reasons(const ClusterShape& shape);

 private:
  static constexpr std::uint64_t kInfeasible = ~std::uint64_t{0};

  void rebuild(const ClusterUsage& usage);
  void update(const ClusterUsage& usage, NodeId node);
  std::uint64_t record(std::size_t rank, const Verdict& verdict);

  NodeFilter filter_;
  std::size_t leaves_ = 1;           // a power of two
  std::vector<std::uint64_t> tree_;  // 1-based heap: the least key below each inner node; leaves by name rank
  std::vector<Reason> reason_;       // by name rank
  ReasonGroups reasons_;             // null when a change made it stale
  std::size_t read_ = 0;             // how much of ClusterUsage::touched is included
  bool built_ = false;
};

}  // namespace gpusched::placement
