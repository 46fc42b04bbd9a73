#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/pod_policy.hpp"

/// What the API server's admission plugins do to a new pod by objects of the cluster. Refusals are its words behind
/// `pods "NAME" is forbidden: `. Source: k8s.io/kubernetes v1.37.2, plugin/pkg/admission: limitranger, runtimeclass;
/// pkg/quota/v1/evaluator/core; k8s.io/apiserver v0.37.2, pkg/admission/plugin/resourcequota.
namespace gpusched::objects {

/// Requests and limits that containers leave out, from one LimitRange of the pod's namespace.
void add_limit_defaults(Pod& pod, const LimitRange& range);
/// What of the pod is outside the range; "" when nothing is. Several findings come in the order of the range's items,
/// then sorted by resource (the original's order is random there).
[[nodiscard]] std::string limit_range_error(const Pod& pod, const LimitRange& range);

/// Overhead, node selector and tolerations of the pod's RuntimeClass. Returns what contradicts the pod's own; else "".
[[nodiscard]] std::string apply_runtime_class(Pod& pod, const RuntimeClass& runtime_class);

/// Charges the pod to the quotas of its namespace that cover it, all or none. Returns the refusal, else "". A pod's
/// deadline is not known: it counts as not Terminating.
[[nodiscard]] std::string charge_quotas(const Pod& pod, std::vector<ResourceQuota>& quotas);

}  // namespace gpusched::objects
