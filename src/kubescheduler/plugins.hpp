#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kubescheduler/cycle.hpp"

/// The plugins of the default profile; each has a file of its own.
namespace gpusched::kubescheduler {

// PreFilter, in the default order.
[[nodiscard]] PreFiltered pre_filter_node_name(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_node_unschedulable(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_taint_toleration(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_node_affinity(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_node_ports(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_node_resources_fit(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_volume_restrictions(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_node_volume_limits(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_volume_binding(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_volume_zone(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_pod_topology_spread(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_inter_pod_affinity(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_dynamic_resources(Cycle& cycle);
[[nodiscard]] PreFiltered pre_filter_node_declared_features(Cycle& cycle);

// PreScore over the feasible nodes; nullptr: skipped.
using FeasibleNodes = std::span<const NodeIndex>;
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_taint_toleration(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_node_affinity(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_node_resources_fit(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_volume_binding(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_pod_topology_spread(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_inter_pod_affinity(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_dynamic_resources(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_balanced_allocation(Cycle& cycle, FeasibleNodes nodes);
[[nodiscard]] std::unique_ptr<ScorePlugin> pre_score_image_locality(Cycle& cycle, FeasibleNodes nodes);

/// Whether what a plugin says of a node depends on other nodes or the pods there, but for scores that are made 0 to
/// 100.
enum class Reach : std::uint8_t { kNode, kCluster };

struct FilterEntry {
  std::string_view name;
  PreFiltered (*pre_filter)(Cycle&);
  Reach reach;
};
struct ScoreEntry {
  std::string_view name;
  std::int64_t weight;
  std::unique_ptr<ScorePlugin> (*pre_score)(Cycle&, FeasibleNodes);
  Reach reach;
  bool normalizes;
};

/// In the order in which the scheduler runs them.
[[nodiscard]] std::span<const FilterEntry> default_filters();
[[nodiscard]] std::span<const ScoreEntry> default_scores();

}  // namespace gpusched::kubescheduler
