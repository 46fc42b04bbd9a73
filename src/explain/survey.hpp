#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/explain/explain.hpp"
#include "gpusched/kubescheduler/obstacles.hpp"

namespace gpusched::explain {

using kubescheduler::NodeIndex;
using kubescheduler::NodeState;
using kubescheduler::PodIndex;
using kubescheduler::ResourceIndex;
using kubescheduler::Snapshot;

/// What stands between a pod and a node.
enum class Step : std::uint8_t {
  kNotOffered,   ///< the node has none of an extended resource
  kTooSmall,     ///< asks for more than the node has when it is empty
  kBusy,         ///< it would fit if pods left
  kTooManyPods,  ///< the same, for the number of pods
  kPorts,        ///< another pod has a host port
  kDevices,      ///< no devices for the claims
  kClaim,        ///< a claim is allocated elsewhere
  kCordon,
  kTaint,
  kSelector,
  kNodeName,
  kVolume,
  kSpread,
  kAffinity,
  kAntiAffinity,
  kFeatures,
  kOther,
};

struct Obstacle {
  Step step = Step::kOther;
  std::string what;  ///< of resources their name, of taints all that are not tolerated, else kube-scheduler's reason

  bool operator==(const Obstacle&) const = default;
};

/// Nodes with the same obstacles, in the order of kube-scheduler's plugins.
struct NodeGroup {
  std::vector<Obstacle> obstacles;  ///< empty: the pod fits
  std::vector<NodeIndex> nodes;
  /// How far away: below 10 only pods are in the way, then 10 for each other obstacle, from 500 on it never fits,
  /// from 1000 on the node lacks the resource.
  int distance = 0;

  [[nodiscard]] bool has(Step step) const;
};

/// A resource that the pod asks for. Amounts in milli for cpu, else in whole units.
struct Wanted {
  std::string name;
  ResourceIndex index;  ///< invalid: neither a node nor a pod names it
  std::int64_t amount = 0;
  std::int64_t largest = 0;  ///< allocatable of the node that has most
  bool extended = false;
};

/// Where a pod stands with every node.
struct Survey {
  std::vector<Wanted> wanted;
  std::vector<NodeGroup> groups;  ///< the nearest first, then in the order of their first nodes
  std::vector<RefusedNodes> refused;
  bool looked_at_nodes = false;  ///< false: something refused the pod before

  [[nodiscard]] const Wanted* find(std::string_view resource) const;
  /// The groups in which all that is missing is in use by pods: extended resources only, or none of those.
  [[nodiscard]] std::vector<const NodeGroup*> groups_short_of(bool extended) const;
};

struct ClusterFacts;

[[nodiscard]] Survey survey_nodes(const Snapshot& snapshot, const objects::Pod& pod,
                                  const kubescheduler::PredictOptions& options, const ClusterFacts& facts);

/// What is free of a resource on a node; negative when it is over-committed.
[[nodiscard]] inline std::int64_t free_of(const NodeState& node, ResourceIndex resource) {
  return node.allocatable_of(resource) - node.usage.of(resource);
}
/// The taints that the pod does not tolerate and that keep it away.
[[nodiscard]] std::vector<const objects::Taint*> untolerated(const objects::Node& node, const objects::Pod& pod,
                                                             bool compare_numbers);
/// "dgx-a, dgx-b and 3 more".
[[nodiscard]] std::string name_list(const Snapshot& snapshot, const std::vector<NodeIndex>& nodes,
                                    std::size_t count = 3);
/// "the taint a=b:NoSchedule", "1 of nvidia.com/gpu" and so on, in the words of a finding.
[[nodiscard]] std::string obstacle_text(const Obstacle& obstacle);

}  // namespace gpusched::explain
