#pragma once

#include <span>
#include <vector>

#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

struct NodeScore {
  NodeIndex node;
  std::vector<PluginScore> scores;
  std::int64_t total = 0;
};

/// PreScore, Score, normalisation and weights over the feasible nodes, in their order.
/// Source: kube-scheduler 1.37, framework/runtime/framework.go, RunScorePlugins.
[[nodiscard]] std::vector<NodeScore> score_nodes(Cycle& cycle, std::span<const NodeIndex> feasible);

}  // namespace gpusched::kubescheduler
