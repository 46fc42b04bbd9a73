#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/pod_set_topology.hpp"
#include "gpusched/objects/resources.hpp"

/// Kueue's Workload. Source: sigs.k8s.io/kueue v0.17.0, apis/kueue/v1beta2 and v1beta1.
namespace gpusched::objects {

struct PodSet {
  std::string name;  ///< "": main
  std::int32_t count = 0;
  std::optional<std::int32_t> min_count;  ///< partial admission
  PodSpec spec;
  std::optional<PodSetTopologyRequest> topology;

  bool operator==(const PodSet&) const = default;
};

/// meta/v1 Condition.
struct Condition {
  std::string type;
  bool is_true = false;
  std::string reason, message;
  std::optional<Timestamp> last_transition;

  bool operator==(const Condition&) const = default;
};

struct AdmittedPodSet {
  std::string name;
  Labels flavors;      ///< flavor by resource
  ResourceList usage;  ///< of all its pods
  std::optional<std::int32_t> count;
  std::optional<TopologyAssignment> topology;
  bool topology_pending = false;  ///< delayedTopologyRequest: Pending

  bool operator==(const AdmittedPodSet&) const = default;
};

struct Admission {
  std::string cluster_queue;
  std::vector<AdmittedPodSet> pod_sets;

  bool operator==(const Admission&) const = default;
};

struct AdmissionCheckState {
  std::string name;
  std::string state;  ///< Pending, Ready, Retry, Rejected
  std::optional<Timestamp> last_transition;
  std::optional<std::int32_t> requeue_after_seconds;

  bool operator==(const AdmissionCheckState&) const = default;
};

struct RequeueState {
  std::int32_t count = 0;
  std::optional<Timestamp> requeue_at;

  bool operator==(const RequeueState&) const = default;
};

struct Workload {
  ObjectMeta meta;
  std::string queue_name;
  std::optional<std::int32_t> priority;  ///< absent: 0
  std::string priority_class;            ///< name; where its value comes from says priority_class_kind
  std::string priority_class_kind;       ///< WorkloadPriorityClass, PriorityClass
  bool active = true;
  std::optional<std::int32_t> maximum_execution_seconds;
  std::vector<PodSet> pod_sets;

  std::optional<Admission> admission;
  std::vector<Condition> conditions;
  std::vector<AdmissionCheckState> admission_checks;
  std::optional<RequeueState> requeue_state;
  Named<std::int32_t> reclaimable_pods;  ///< by pod set
  bool has_resource_requests = false;    ///< status.resourceRequests is written

  bool operator==(const Workload&) const = default;
};

/// The condition of that type, or nullptr.
[[nodiscard]] const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);

}  // namespace gpusched::objects
