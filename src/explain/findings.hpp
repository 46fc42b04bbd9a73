#pragma once

#include "explain/cluster_facts.hpp"
#include "explain/survey.hpp"

/// What else is worth knowing about a pod that does not fit; each function adds what it finds.
namespace gpusched::explain {

struct Question {
  const Snapshot& snapshot;
  const objects::Pod& pod;
  const kubescheduler::PredictOptions& options;
  const Survey& survey;
  ClusterFacts& facts;
};

/// Jobs that hold a part of what they need while the rest of their pods waits, the pod's own first.
void find_half_placed(const Question& question, std::vector<Finding>& findings);
/// The nodes by pool, when there are several, and what is in the way in each.
void find_pools(const Question& question, std::vector<Finding>& findings);
/// Nodes with a single obstacle.
void find_one_step_away(const Question& question, std::vector<Finding>& findings);
/// What kube-scheduler's message hides, because a node is refused by its first plugin.
void find_hidden(const Question& question, std::vector<Finding>& findings);
/// Who holds what is short on the nodes where only pods are in the way, or devices that are busy; the first finding is
/// the verdict.
void find_holders(const Question& question, std::vector<Finding>& findings);
/// Tolerations, selectors and resource names that nearly match.
void find_near_misses(const Question& question, std::vector<Finding>& findings);
/// MIG, time-slicing, device plugins.
void find_traps(const Question& question, std::vector<Finding>& findings);
/// A pod of a PodGroup may wait for the others although it fits: that is no stale dump.
void find_group(std::string_view pod_group, std::vector<Finding>& findings);
/// Why the claims of templates have not been made: templates that are not there.
void find_missing_templates(const objects::Pod& pod, std::span<const objects::ResourceClaimTemplate> templates,
                            std::vector<Finding>& findings);
/// The pod's PersistentVolumeClaims that are not there or bound to nothing, and why.
void find_volumes(const Question& question, std::vector<Finding>& findings);

/// What to beware of on the node that the pod goes to: time-slicing and MPS.
void find_sharing(const Snapshot& snapshot, const objects::Pod& pod, const NodeState& node,
                  std::vector<Finding>& findings);
/// Whether there is anything of that to beware of.
[[nodiscard]] bool shares_gpus(const Snapshot& snapshot, const objects::Pod& pod, const NodeState& node);

/// Drivers whose devices the pod would get on a node where nothing that looks like their kubelet plugin runs: slices
/// outlive the driver, and kube-scheduler believes them. Silent where the dump shows no DaemonSet's pod on the node.
void find_silent_drivers(const Snapshot& snapshot, const kubescheduler::Prediction& prediction, const NodeState& node,
                         std::vector<Finding>& findings);

/// Claims that hold devices which the pools of the pod's devices do not list any more: what they use of shared counters
/// is not counted. Source: kubernetes/kubernetes#140802.
void find_unpublished(const Snapshot& snapshot, const kubescheduler::Prediction& prediction,
                      std::vector<Finding>& findings);

/// A published resource whose name is nearest to one that nobody publishes; "" when none is near.
[[nodiscard]] std::string nearest_resource(const Snapshot& snapshot, std::string_view name);
/// A value of the label, nearest to one that no node has; "" when none is near.
[[nodiscard]] std::string nearest_label_value(const Question& question, const std::string& key,
                                              const std::string& value);

}  // namespace gpusched::explain
