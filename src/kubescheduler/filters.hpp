#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"
#include "kubescheduler/profile.hpp"

namespace gpusched::kubescheduler {

/// PreFilter and Filter of one cycle. Source: kube-scheduler 1.37, framework/runtime/framework.go.
class Filters {
 public:
  /// Runs PreFilter of all plugins.
  explicit Filters(Cycle& cycle);

  /// The plugin that refused the pod for all nodes (kUnresolvable), or that failed (kError); else kSuccess.
  [[nodiscard]] const Status& refusal() const { return refusal_; }
  [[nodiscard]] std::string_view name_of_plugin(const Status& status) const { return active_[status.plugin]->name; }

  /// Whether every plugin that does not skip the pod looks at one node at a time.
  [[nodiscard]] bool are_per_node() const {
    return std::ranges::all_of(running_,
                               [&](const Running& each) { return active_[each.plugin]->reach == Reach::kNode; });
  }

  /// The only nodes to look at, when a plugin names them.
  [[nodiscard]] bool names_nodes() const { return !plugins_with_nodes_.empty(); }
  [[nodiscard]] bool is_named(std::string_view node) const;
  /// What the nodes that are not named get.
  [[nodiscard]] std::string unnamed_reason() const;

  /// A node as the snapshot has it.
  [[nodiscard]] Status run(NodeIndex node);
  /// A node with changes; `usage` has them already.
  [[nodiscard]] Status run(NodeIndex node, const NodeUsage& usage, std::span<const PodChange> changes);
  /// The answers of all plugins that refuse the node as the snapshot has it, not only the first.
  void run_all(NodeIndex node, std::vector<Status>& refusals);

 private:
  void take_names(std::string_view plugin, std::vector<std::string> names);
  [[nodiscard]] Status run_once(const NodeView& view);
  [[nodiscard]] Status run_plugin(std::size_t running, const NodeView& view);
  /// The node's usage with the pods that are nominated before this one; `changes` grows by them.
  [[nodiscard]] NodeUsage with_nominated(NodeIndex node, const NodeUsage& usage, std::vector<PodChange>& changes) const;

  struct Running {
    std::uint8_t plugin = 0;
    std::unique_ptr<FilterPlugin> filter;
  };

  Cycle& cycle_;
  std::vector<const FilterEntry*> active_;
  std::vector<Running> running_;
  Status refusal_;
  std::vector<std::string> plugins_with_nodes_;
  std::vector<std::string> node_names_;           // sorted
  std::vector<std::vector<PodIndex>> nominated_;  // by node; empty when no pod is nominated anywhere
};

}  // namespace gpusched::kubescheduler
