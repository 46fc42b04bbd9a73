#pragma once

#include "gpusched/objects/node_match.hpp"
#include "gpusched/objects/pod.hpp"

/// How the rules of a pod meet nodes. Source: k8s.io/component-helpers v0.37.2, scheduling/corev1.
namespace gpusched::kubescheduler {

/// spec.nodeSelector and the required node affinity.
[[nodiscard]] bool matches_required(const objects::Pod& pod, const objects::Node& node);

/// The first NoSchedule or NoExecute taint that the pod does not tolerate, or nullptr.
[[nodiscard]] const objects::Taint* find_untolerated(const objects::Node& node, const objects::Pod& pod,
                                                     bool compare_numbers);

}  // namespace gpusched::kubescheduler
