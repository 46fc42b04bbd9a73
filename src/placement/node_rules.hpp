#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/placement/filter.hpp"

namespace gpusched::placement {

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
/// What the node's hardware can never do for the pod, in the lesson's order: sharing, model, memory. A node without
/// GPUs outside MIG answers by its count instead.
[[nodiscard]] ReasonKind hardware_mismatch(const ClusterShape& shape, const NodeClass& node_class, const PodClass& pod);
/// "40", "22.5", "2000000": GiB as people write it, six significant digits and all of the whole part.
[[nodiscard]] std::string gib_text(std::int64_t bytes);

}  // namespace gpusched::placement
