#include "kubescheduler/filters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"

namespace gpusched::kubescheduler {

namespace {

bool same_pod(const objects::Pod& a, const objects::Pod& b) {
  return a.meta.name == b.meta.name && a.meta.namespace_name == b.meta.namespace_name;
}

/// Pods that may have been promised a place on their node before this one.
std::vector<std::vector<PodIndex>> nominated_by_node(const Cycle& cycle) {
  std::vector<std::vector<PodIndex>> by_node;
  for (const PodIndex index : cycle.snapshot.nominated_pods()) {
    const objects::Pod& pod = *cycle.snapshot.pod(index).object;
    if (pod.priority() < cycle.pod.priority() || same_pod(pod, cycle.pod)) {
      continue;
    }
    by_node.resize(cycle.snapshot.nodes().size());
    by_node[cycle.snapshot.find_node(pod.nominated_node_name).index()].push_back(index);
  }
  return by_node;
}

}  // namespace

Filters::Filters(Cycle& cycle)
    : cycle_(cycle), active_(active_filters(profile_of(cycle))), nominated_(nominated_by_node(cycle)) {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    PreFiltered result = active_[i]->pre_filter(cycle);
    if (!result.status.ok()) {
      refusal_ = result.status;
      refusal_.plugin = static_cast<std::uint8_t>(i);
      return;
    }
    if (result.filter == nullptr) {
      continue;
    }
    running_.push_back({static_cast<std::uint8_t>(i), std::move(result.filter)});
    if (result.names_nodes) {
      take_names(active_[i]->name, std::move(result.node_names));
      if (node_names_.empty()) {
        const bool single = plugins_with_nodes_.size() == 1;
        refusal_ = cycle.reasons.unresolvable(
            single
                ? fmt::format("node(s) didn't satisfy plugin {}", plugins_with_nodes_.front())
                : fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously", join(plugins_with_nodes_, " ")));
        refusal_.plugin = static_cast<std::uint8_t>(i);
        return;
      }
    }
  }
}

void Filters::take_names(std::string_view plugin, std::vector<std::string> names) {
  std::ranges::sort(names);
  if (plugins_with_nodes_.empty()) {
    node_names_ = std::move(names);
  } else {
    std::erase_if(node_names_, [&](const std::string& name) { return !std::ranges::binary_search(names, name); });
  }
  plugins_with_nodes_.emplace_back(plugin);
  std::ranges::sort(plugins_with_nodes_);
}

bool Filters::is_named(std::string_view node) const {
  return std::ranges::binary_search(node_names_, node);
}

std::string Filters::unnamed_reason() const {
  return fmt::format("node(s) didn't satisfy plugin(s) [{}]", join(plugins_with_nodes_, " "));
}

Status Filters::run(NodeIndex node) {
  return run(node, cycle_.snapshot.node(node).usage, {});
}

NodeUsage Filters::with_nominated(NodeIndex node, const NodeUsage& usage, std::vector<PodChange>& changes) const {
  NodeUsage result = usage;
  for (const PodIndex index : nominated_[node.index()]) {
    result.add(index, cycle_.snapshot.pod(index));
    changes.push_back({&cycle_.snapshot.pod(index), 1});
  }
  return result;
}

Status Filters::run(NodeIndex node, const NodeUsage& usage, std::span<const PodChange> changes) {
  const NodeState& state = cycle_.snapshot.node(node);
  if (!nominated_.empty() && !nominated_[node.index()].empty()) {
    std::vector<PodChange> more(changes.begin(), changes.end());
    const NodeUsage nominated = with_nominated(node, usage, more);
    if (const Status status = run_once({node, state, nominated, more}); !status.ok()) {
      return status;
    }
  }
  return run_once({node, state, usage, changes});
}

void Filters::run_all(NodeIndex node, std::vector<Status>& refusals) {
  const NodeState& state = cycle_.snapshot.node(node);
  std::vector<PodChange> changes;
  std::optional<NodeUsage> nominated;
  if (!nominated_.empty() && !nominated_[node.index()].empty()) {
    nominated = with_nominated(node, state.usage, changes);
  }
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Status status = nominated ? run_plugin(i, {node, state, *nominated, changes}) : Status();
    if (status.ok()) {
      status = run_plugin(i, {node, state, state.usage, {}});
    }
    if (!status.ok()) {
      refusals.push_back(status);
    }
  }
}

Status Filters::run_once(const NodeView& view) {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (const Status status = run_plugin(i, view); !status.ok()) {
      return status;
    }
  }
  return {};
}

Status Filters::run_plugin(std::size_t index, const NodeView& view) {
  const Running& running = running_[index];
  Status status = running.filter->filter(view);
  status.plugin = running.plugin;
  if (status.code == StatusCode::kError) {
    status.reasons = cycle_.reasons.intern(
        {fmt::format("running \"{}\" filter plugin: {}", active_[running.plugin]->name, status.reasons->front())});
  }
  return status;
}

}  // namespace gpusched::kubescheduler
