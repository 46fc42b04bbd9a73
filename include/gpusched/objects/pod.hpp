#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/base/shared.hpp"
#include "gpusched/objects/affinity.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/resources.hpp"
#include "gpusched/objects/volume.hpp"

/// Pod of core/v1, as far as scheduling reads it. Source: k8s.io/api v0.37.2.
namespace gpusched::objects {

struct ContainerPort {
  std::int32_t container_port = 0;
  std::int32_t host_port = 0;  ///< 0: none
  std::string host_ip;         ///< "": 0.0.0.0
  std::string protocol;        ///< "": TCP

  bool operator==(const ContainerPort&) const = default;
};

struct Container {
  std::string name, image;
  std::string restart_policy;  ///< Always makes an init container a sidecar
  std::vector<std::string> restart_rule_actions;
  bool has_bind_mount_options = false;  ///< one of its volumeMounts has bindMountOptions
  ResourceRequirements resources;
  std::vector<ContainerPort> ports;

  [[nodiscard]] bool is_sidecar() const { return restart_policy == "Always"; }  ///< of an init container
  bool operator==(const Container&) const = default;
};

/// An entry of spec.resourceClaims; one of the two names is set.
struct PodResourceClaim {
  std::string name;
  std::optional<std::string> claim_name, template_name;

  bool operator==(const PodResourceClaim&) const = default;
};

/// spec but for nodeName: what the pods of one template have in common.
struct PodSpec {
  std::vector<Container> init_containers, containers;
  std::optional<ResourceRequirements> resources;  ///< pod-level
  ResourceList overhead;
  Labels node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::optional<std::int32_t> priority;  ///< none: 0
  std::string priority_class_name;
  std::string preemption_policy;  ///< PreemptLowerPriority (or ""), Never
  std::string scheduler_name;     ///< "": default-scheduler
  std::vector<std::string> scheduling_gates;
  std::vector<PodResourceClaim> resource_claims;
  std::vector<Volume> volumes;
  bool host_network = false;
  std::optional<bool> host_users;
  std::string runtime_class_name;

  bool operator==(const PodSpec&) const = default;
};

struct PodCondition {
  std::string type, status, reason, message;

  bool operator==(const PodCondition&) const = default;
};

struct ContainerStatus {
  std::string name;
  std::string waiting;  ///< why it does not run: ContainerCreating, ImagePullBackOff, …; "" when it runs or ended
  std::optional<ResourceList> allocated_resources;
  std::optional<ReportedResources> resources;

  bool operator==(const ContainerStatus&) const = default;
};

/// The claim that was made for an entry of spec.resourceClaims; no name: none was needed.
struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> claim_name;

  bool operator==(const PodResourceClaimStatus&) const = default;
};

/// Which request of the claim serves an extended resource of a container.
struct ExtendedResourceRequest {
  std::string container_name, resource_name, request_name;

  bool operator==(const ExtendedResourceRequest&) const = default;
};

/// The claim that the scheduler made for extended resources.
struct ExtendedResourceClaimStatus {
  std::string claim_name;
  std::vector<ExtendedResourceRequest> request_mappings;

  bool operator==(const ExtendedResourceClaimStatus&) const = default;
};

/// status but for phase, nominatedNodeName and startTime.
struct PodStatus {
  std::string reason, message;  ///< of a pod that failed: "UnexpectedAdmissionError", "Evicted"
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> init_container_statuses, container_statuses;
  std::optional<ResourceList> allocated_resources;  ///< pod-level
  std::optional<ReportedResources> resources;       ///< pod-level
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  std::optional<ExtendedResourceClaimStatus> extended_resource_claim_status;

  bool operator==(const PodStatus&) const = default;
};

struct Pod {
  ObjectMeta meta;
  std::string node_name;  ///< spec.nodeName; "": not bound
  Shared<PodSpec> spec;
  /// status.phase: Pending, Running, Succeeded, Failed, Unknown; "" in a file that was never stored.
  std::string phase;
  std::string nominated_node_name;      ///< status.nominatedNodeName
  std::optional<Timestamp> start_time;  ///< status.startTime
  Shared<PodStatus> status;

  /// Succeeded or Failed: it holds nothing any more.
  [[nodiscard]] bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
  [[nodiscard]] std::int32_t priority() const { return spec->priority.value_or(0); }
  bool operator==(const Pod&) const = default;
};

/// The condition of that type, or nullptr.
[[nodiscard]] const PodCondition* find_condition(const PodStatus& status, std::string_view type);

}  // namespace gpusched::objects
