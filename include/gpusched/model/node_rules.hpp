#pragma once

#include <span>

#include "gpusched/model/cluster_shape.hpp"

/// Which nodes a pod accepts and which accept it, before anything is counted. Source: k8s.io/component-helpers v0.37.2,
/// scheduling/corev1, and kube-scheduler's plugins TaintToleration, NodeUnschedulable and NodeAffinity.
namespace gpusched {

/// kube-scheduler's TaintToleration filter: every NoSchedule or NoExecute taint is tolerated.
[[nodiscard]] bool tolerates(std::span<const Taint> taints, std::span<const Toleration> tolerations);
/// NodeUnschedulable: a pod that tolerates the taint node.kubernetes.io/unschedulable:NoSchedule ignores cordons.
[[nodiscard]] bool tolerates_cordon(const ClusterShape& shape, const PodClass& pod);
/// spec.nodeSelector: every pair is a label of the node.
[[nodiscard]] bool matches(const LabelSet& labels, const LabelSet& selector);
/// Required node affinity: one term matches. `name` is the node's.
[[nodiscard]] bool matches_affinity(const ClusterShape& shape, const LabelSet& labels, StringId name,
                                    const PodClass& pod);
/// Whether affinity looks at the node's name, so that it cannot be answered for a class of nodes.
[[nodiscard]] bool affinity_names_nodes(const PodClass& pod);

}  // namespace gpusched
