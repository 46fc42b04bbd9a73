#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/pod.hpp"

/// What a pod requests, as kube-scheduler counts it. Source: k8s.io/component-helpers v0.37.2, resource/helpers.go, and
/// kube-scheduler's framework/types.go.
namespace gpusched::objects {

/// How versions and feature gates count. The defaults are those of 1.37.
struct PodRequestRules {
  /// InPlacePodVerticalScaling: the status of a bound pod counts too.
  bool use_status = true;
  /// InPlacePodLevelResourcesVerticalScaling (1.36: on): pod-level status counts too.
  bool pod_level_status = true;
  /// PodLevelResources: spec.resources replaces the containers' sum of cpu, memory and hugepages.
  bool pod_level = true;
  /// Since 1.37 the maximum is taken over whole sums (spec, allocated, actuated), before per container.
  bool maximum_of_sums = true;

  bool operator==(const PodRequestRules&) const = default;
};

/// What the scheduler takes from a list of resources: milli-CPU and whole units, rounded up.
struct ResourceAmounts {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;             ///< bytes
  std::int64_t ephemeral_storage = 0;  ///< bytes
  std::int64_t pods = 0;               ///< of a node's allocatable
  Named<std::int64_t> scalars;         ///< by name, sorted; extended resources, hugepages, attachable volumes

  bool operator==(const ResourceAmounts&) const = default;
};

[[nodiscard]] ResourceAmounts resource_amounts(const ResourceList& resources);

/// The total of containers, init containers, sidecars, pod level and overhead, exactly added.
[[nodiscard]] ResourceList pod_requests(const Pod& pod, const PodRequestRules& rules = {});

struct PodDemand {
  ResourceAmounts requests;
  /// As requests, but a container without cpu (memory) counts 100m (200Mi): what scores look at.
  std::int64_t non_zero_milli_cpu = 0;
  std::int64_t non_zero_memory = 0;

  bool operator==(const PodDemand&) const = default;
};

[[nodiscard]] PodDemand pod_demand(const Pod& pod, const PodRequestRules& rules = {});

/// One resource of the pod's total, cpu in milli and others in whole units: what scores add to a node's usage.
/// `non_zero` fills in the defaults of 100m and 200Mi per container, also where pod-level requests are set.
[[nodiscard]] std::int64_t requested_amount(const Pod& pod, std::string_view resource, const PodRequestRules& rules,
                                            bool non_zero);

/// Whether the pod has pod-level requests that count (cpu, memory or hugepages).
[[nodiscard]] bool has_pod_level_requests(const Pod& pod);

}  // namespace gpusched::objects
