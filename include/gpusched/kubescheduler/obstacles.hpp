#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/kubescheduler/predict.hpp"

namespace gpusched::kubescheduler {

/// Every plugin that refuses a node, in their order, each with all its reasons.
using NodeRefusals = std::vector<PluginStatus>;

/// What keeps a pod from each node. kube-scheduler stops at the first plugin that refuses a node; this goes on, so that
/// it tells what else is in the way behind a taint.
struct Obstacles {
  std::vector<NodeRefusals> kinds;     ///< distinct lists, in the order of the first node that has them
  std::vector<std::uint32_t> of_node;  ///< by NodeIndex: which of `kinds`; empty when no node is looked at

  [[nodiscard]] const NodeRefusals& at(NodeIndex node) const { return kinds[of_node[node.index()]]; }
};

/// Empty when something refuses the pod before the nodes are looked at. Nodes outside the set that a plugin names have
/// that plugin's refusal alone.
[[nodiscard]] Obstacles find_obstacles(const Snapshot& snapshot, const objects::Pod& pod,
                                       const PredictOptions& options);

}  // namespace gpusched::kubescheduler
