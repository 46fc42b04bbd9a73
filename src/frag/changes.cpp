#include "gpusched/frag/changes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace gpusched::frag {

namespace {

/// A node as one of the two states shows it.
struct NodeState {
  std::int64_t free = 0;
  std::map<std::string, std::int64_t> pods;  // GPUs by pod
};

NodeState state_of(const ClusterUsage& usage, NodeId node) {
  NodeState state;
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free = usage.free_milli(node);
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    state.free += !gpu.mig && gpu.replicas == 1 && free[i] == kWholeGpuMilli ? 1 : 0;
  }
  for (PodId pod = usage.first_pod(node); pod.valid(); pod = usage.next_pod(pod)) {
    if (const std::size_t held = usage.shares(pod).size(); held > 0) {
      state.pods[std::string(usage.shape().text(usage.pod_name(pod)))] += static_cast<std::int64_t>(held);
    }
  }
  return state;
}

/// Pods that are in the first state, or hold more there.
std::vector<MovedPod> only_in(const NodeState& state, const NodeState& other) {
  std::vector<MovedPod> moved;
  for (const auto& [pod, gpus] : state.pods) {
    const auto found = other.pods.find(pod);
    const std::int64_t more = gpus - (found == other.pods.end() ? 0 : found->second);
    if (more > 0) {
      moved.push_back({pod, more});
    }
  }
  std::ranges::stable_sort(moved, std::greater{}, &MovedPod::gpus);
  return moved;
}

}  // namespace

Changes changes(const ClusterUsage& before, const ClusterUsage& after, std::span<const int> sizes,
                std::span<const Gang> gangs) {
  Changes result;
  result.before = fragmentation(before, sizes, gangs).exclusive;
  std::map<std::string_view, std::pair<std::optional<NodeState>, std::optional<NodeState>>> nodes;
  for (const NodeId node : before.shape().nodes_by_name) {
    nodes[before.shape().name(node)].first = state_of(before, node);
  }
  for (const NodeId node : after.shape().nodes_by_name) {
    nodes[after.shape().name(node)].second = state_of(after, node);
  }
  for (const auto& [name, states] : nodes) {
    const auto& [was, is] = states;
    NodeChange change{.node = std::string(name), .free_before = {}, .free_after = {}, .arrived = {}, .left = {}};
    if (was) {
      change.free_before = was->free;
    }
    if (is) {
      change.free_after = is->free;
    }
    change.arrived = only_in(is.value_or(NodeState{}), was.value_or(NodeState{}));
    change.left = only_in(was.value_or(NodeState{}), is.value_or(NodeState{}));
    if (change.free_before != change.free_after || !change.arrived.empty() || !change.left.empty()) {
      result.nodes.push_back(std::move(change));
    }
  }
  std::ranges::stable_sort(result.nodes, {}, [](const NodeChange& change) {
    return change.free_after.value_or(0) - change.free_before.value_or(0);
  });
  return result;
}

}  // namespace gpusched::frag
