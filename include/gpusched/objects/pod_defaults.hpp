#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/policy.hpp"

/// What the API server adds to a pod that comes from a file, as far as scheduling reads it. A pod of a dump has it.
namespace gpusched::objects {

/// Requests from limits, per container and resource; pod-level requests from the containers' sum or the pod's limits;
/// host ports of pods on the host's network. Source: k8s.io/kubernetes v1.37.2, pkg/apis/core/v1/defaults.go.
void set_defaults(Pod& pod);

/// What the default admission plugins add: the priority and preemption policy of the pod's class, or of the global
/// default, and tolerations of node.kubernetes.io/not-ready and unreachable for 300 seconds. A class that is not there
/// leaves the priority as it is. Source: plugin/pkg/admission, priority and defaulttolerationseconds.
void admit(Pod& pod, std::span<const PriorityClass> classes);

/// The value of a class that every cluster has, "system-node-critical" and "system-cluster-critical".
[[nodiscard]] std::optional<std::int32_t> system_priority(std::string_view name);

}  // namespace gpusched::objects
