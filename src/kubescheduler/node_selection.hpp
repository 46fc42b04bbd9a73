#pragma once

#include "gpusched/objects/affinity.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod.hpp"

/// How node selectors and taints meet nodes. Source: k8s.io/component-helpers v0.37.2, scheduling/corev1.
namespace gpusched::kubescheduler {

/// Expressions and fields must all hold. A term without any, and one that cannot be parsed, matches nothing.
[[nodiscard]] bool matches(const objects::NodeSelectorTerm& term, const objects::Labels& labels,
                           std::string_view node_name);
[[nodiscard]] bool matches(const objects::NodeSelector& selector, const objects::Labels& labels,
                           std::string_view node_name);
/// spec.nodeSelector and the required node affinity.
[[nodiscard]] bool matches_required(const objects::Pod& pod, const objects::Node& node);

/// The first NoSchedule or NoExecute taint that the pod does not tolerate, or nullptr.
[[nodiscard]] const objects::Taint* find_untolerated(const objects::Node& node, const objects::Pod& pod,
                                                     bool compare_numbers);

}  // namespace gpusched::kubescheduler
