#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/base/strong_id.hpp"
#include "gpusched/model/ids.hpp"

namespace gpusched::kueue {

using FlavorId = Id<struct FlavorTag>;  ///< a flavor's name, whether the object exists or not
using QueueId = Id<struct QueueTag>;    ///< a ClusterQueue, by name
using QuotaNode =
    Id<struct QuotaNodeTag>;          ///< a ClusterQueue or a cohort; ClusterQueues have the number of their QueueId
using Column = Id<struct ColumnTag>;  ///< a flavor-resource of one cohort tree

struct FlavorResource {
  FlavorId flavor;
  StringId resource;

  auto operator<=>(const FlavorResource&) const = default;
};

/// Milli-CPU for cpu, whole units for everything else.
struct Quota {
  std::int64_t nominal = 0;
  std::int64_t borrowing_limit = 0, lending_limit = 0;
  bool has_borrowing_limit = false, has_lending_limit = false;
};

struct NodeQuota {
  FlavorResource what;
  Quota quota;
};

/// A node as its object describes it.
struct QuotaNodeSpec {
  QuotaNode parent;  ///< invalid: a root
  std::vector<NodeQuota> quotas;
  double fair_weight = 1;
};

/// An amount in one column.
struct Usage {
  Column column;
  std::int64_t amount = 0;

  bool operator==(const Usage&) const = default;
};

/// Share of a node in what its cohort can lend. Source: Kueue v0.17.0, pkg/cache/scheduler/fair_sharing.go.
struct FairShare {
  double weight = 1;
  double ratio = 0;  ///< of the dominant resource, times 1000, without the weight
  bool borrowing = false;
  std::vector<Column> borrowed;

  [[nodiscard]] static FairShare below_all() { return {1, -1, false, {}}; }
};

/// -1, 0 or 1: a lower share is served first and preempted last. Borrowing with weight 0 is above everything.
[[nodiscard]] int compare(const FairShare& a, const FairShare& b);

/// Quotas and usage of all ClusterQueues and cohorts. Amounts flow between a node and its parent as in Kueue v0.17.0,
/// pkg/cache/scheduler/resource_node.go: what a node may not lend is used up first, the rest counts in the parent.
class QuotaTree {
 public:
  /// `specs` must not have cycles. ClusterQueues come first. Usage starts at zero.
  void build(std::vector<QuotaNodeSpec> specs, std::size_t queue_count);
  /// Which ClusterQueues the scheduler sees; heights and children follow.
  void set_active(const std::vector<bool>& queue_active);

  /// The column of a flavor-resource in the tree of a node; invalid when no quota there names it.
  [[nodiscard]] Column column(QuotaNode node, FlavorResource what) const;
  [[nodiscard]] FlavorResource name(QuotaNode node, Column column) const;

  [[nodiscard]] QuotaNode parent(QuotaNode node) const { return nodes_[node.index()].parent; }
  [[nodiscard]] bool has_parent(QuotaNode node) const { return parent(node).valid(); }
  [[nodiscard]] QuotaNode root(QuotaNode node) const;
  /// All ClusterQueues of the node's tree, also those that the scheduler does not see.
  [[nodiscard]] std::span<const QueueId> tree_queues(QuotaNode node) const {
    return trees_[nodes_[node.index()].tree].queues;
  }
  /// Cohorts, and ClusterQueues that the scheduler sees, below a cohort.
  [[nodiscard]] std::span<const QuotaNode> child_cohorts(QuotaNode cohort) const;
  [[nodiscard]] std::span<const QuotaNode> child_queues(QuotaNode cohort) const;
  /// Distance to the furthest leaf that the scheduler sees.
  [[nodiscard]] int height(QuotaNode node) const { return nodes_[node.index()].height; }

  [[nodiscard]] const Quota& quota(QuotaNode node, Column column) const { return cell(node, column).quota; }
  [[nodiscard]] std::int64_t subtree(QuotaNode node, Column column) const { return cell(node, column).subtree; }
  [[nodiscard]] std::int64_t usage(QuotaNode node, Column column) const { return cell(node, column).usage; }
  /// Never lent to the parent and not used.
  [[nodiscard]] std::int64_t local_available(QuotaNode node, Column column) const;
  /// What the node can still take; negative after a quota was cut.
  [[nodiscard]] std::int64_t available(QuotaNode node, Column column) const;
  /// What it could take if nothing was used.
  [[nodiscard]] std::int64_t potential(QuotaNode node, Column column) const { return cell(node, column).potential; }
  /// Whether usage would be above the node's own quota.
  [[nodiscard]] bool borrows_with(QuotaNode node, Column column, std::int64_t amount) const;
  [[nodiscard]] bool within_quota(QuotaNode node, std::span<const Column> columns) const;

  void add(QuotaNode queue, const Usage& usage);
  void remove(QuotaNode queue, const Usage& usage);
  void add(QuotaNode queue, std::span<const Usage> usage);
  void remove(QuotaNode queue, std::span<const Usage> usage);
  /// Changes the usage of one node only.
  void shift(QuotaNode node, const Usage& usage);

  struct Fit {
    int height = 0;
    bool below_root = false;
  };
  /// The lowest subtree that holds the amount: 0 for the ClusterQueue alone, the root's height when none does.
  [[nodiscard]] Fit lowest_fit(QuotaNode queue, Column column, std::int64_t amount) const;

  [[nodiscard]] FairShare fair_share(QuotaNode node) const;

 private:
  struct Cell {
    Quota quota;
    bool listed = false;  // a quota of this node or below names it
    std::int64_t subtree = 0, local = 0, potential = 0, usage = 0;
  };
  struct Tree {
    std::vector<FlavorResource> columns;        // sorted
    std::vector<std::uint32_t> resource_slots;  // of each column
    std::uint32_t slot_count = 0;
    std::vector<QueueId> queues;
  };
  struct Node {
    QuotaNode parent;
    std::uint32_t tree = 0;
    std::size_t first_cell = 0;
    int height = 0;
    double weight = 1;
    std::vector<QuotaNode> all_queues;  // children, active or not
    std::vector<QuotaNode> cohorts, queues;
    std::vector<std::int64_t> lendable;  // of a cohort, by resource slot
  };

  [[nodiscard]] const Cell& cell(QuotaNode node, Column column) const {
    return cells_[nodes_[node.index()].first_cell + column.index()];
  }
  Cell& cell(QuotaNode node, Column column) { return cells_[nodes_[node.index()].first_cell + column.index()]; }
  void make_trees(const std::vector<QuotaNodeSpec>& specs);
  void sum_up(QuotaNode node);
  void spread_potential(QuotaNode node);
  int measure(QuotaNode cohort);

  std::size_t queue_count_ = 0;
  std::vector<Node> nodes_;
  std::vector<Tree> trees_;
  std::vector<Cell> cells_;
};

}  // namespace gpusched::kueue
