#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/kueue/topology.hpp"
#include "gpusched/objects/kueue_workload.hpp"
#include "kueue/pod_classes.hpp"
#include "kueue/quota_tree.hpp"

/// What a Workload is and what has become of it.
namespace gpusched::kueue {

using WorkloadId = Id<struct WorkloadTag>;
using LocalQueueId = Id<struct LocalQueueTag>;

enum class ConditionType : std::uint8_t {
  kQuotaReserved,
  kAdmitted,
  kEvicted,
  kPreempted,
  kRequeued,
  kPodsReady,
  kFinished,
  kDeactivationTarget,
};
inline constexpr std::size_t kConditionTypes = 8;

struct ConditionState {
  bool present = false;
  bool is_true = false;
  std::string reason, message;
  std::int64_t since = 0;    ///< last transition, seconds
  std::uint64_t digest = 0;  ///< of reason and message: equal texts have equal values

  void set_texts(std::string_view new_reason, std::string new_message);
};

/// pending < reserved < admitted < finished
enum class Phase : std::uint8_t { kPending, kReserved, kAdmitted, kFinished };

/// A pod set of the spec.
struct PodSetState {
  const objects::PodSet* object = nullptr;
  std::string name;
  PodClass pod_class;
  std::int32_t count = 0;  ///< without reclaimable pods
  ResourceRow requests;    ///< of all its pods against quota, in the order of the names
};

struct AssignedResource {
  StringId resource;
  FlavorId flavor;
  std::int64_t amount = 0;  ///< of all pods
};

/// A pod set of status.admission.
struct AssignedPodSet {
  std::string name;
  std::int32_t count = 0;
  std::vector<AssignedResource> resources;              ///< in the order of the resources' names
  std::optional<DomainAssignment> domains;              ///< when the scheduler has placed it
  FlavorId topology_flavor;                             ///< of `domains`
  std::optional<objects::TopologyAssignment> topology;  ///< when it was there before
  bool topology_pending = false;                        ///< placed when all admission checks are ready
};

struct AdmissionState {
  std::string queue_name;
  QueueId queue;  ///< invalid: there is no such ClusterQueue
  std::vector<AssignedPodSet> pod_sets;
};

/// Pods of an admitted pod set on the topology of a flavor.
struct TopologyUse {
  FlavorId flavor;
  DomainAssignment domains;
  ResourceRow per_pod;
};

/// Where the search for flavors stopped; -1: at the last flavor. By pod set, then by resource.
struct LastAssignment {
  struct Tried {
    StringId resource;
    int flavor = -1;
  };
  std::vector<std::vector<Tried>> pod_sets;
  std::int64_t generation = 0;  ///< of the ClusterQueue then
};

struct CheckState {
  enum class Value : std::uint8_t { kPending, kReady, kRetry, kRejected };
  std::string name;
  Value value = Value::kPending;
  std::int64_t since = 0;
  std::optional<std::int64_t> requeue_after;
};

struct WorkloadState {
  const objects::Workload* object = nullptr;
  std::string key;              ///< "namespace/name"
  std::uint32_t key_rank = 0;   ///< of the key as a text
  std::uint32_t name_rank = 0;  ///< of namespace, then name
  std::uint32_t uid_rank = 0;
  std::int64_t created = 0;  ///< seconds
  std::int64_t priority = 0;
  LocalQueueId local_queue;  ///< invalid: it does not exist
  std::vector<PodSetState> pod_sets;
  std::string invalid;  ///< why its resources can never be admitted; ""

  bool exists = false;  ///< created
  bool active = true;
  std::array<ConditionState, kConditionTypes> conditions;
  std::optional<AdmissionState> admission;
  std::vector<CheckState> checks;
  std::int32_t requeue_count = 0;
  bool has_requeue_state = false;
  std::optional<std::int64_t> requeue_at;
  std::int64_t past_execution = 0;  ///< seconds of earlier admissions
  bool requests_written = false;    ///< status.resourceRequests

  // What queues and cache know of it.
  bool assigned = false;             ///< its LocalQueue was seen
  bool preemption_expected = false;  ///< evicted by a preemption that the queues have not seen yet
  std::uint32_t status_version = 0;  ///< grows with Evicted and Requeued
  std::uint32_t queued_version = 0;  ///< the one that the queue saw
  std::optional<LastAssignment> last;
  QueueId cached_in;      ///< the ClusterQueue whose usage holds it
  bool resolved = false;  ///< whether the next three are those of `admission`
  std::vector<Usage> usage;
  std::vector<Column> columns;  ///< flavor-resources that it uses, sorted
  std::vector<TopologyUse> topology_use;

  std::int64_t admitted_cycle = 0;

  [[nodiscard]] ConditionState& condition(ConditionType type) { return conditions[static_cast<std::size_t>(type)]; }
  [[nodiscard]] const ConditionState& condition(ConditionType type) const {
    return conditions[static_cast<std::size_t>(type)];
  }
  [[nodiscard]] bool is(ConditionType type) const { return condition(type).is_true; }
  [[nodiscard]] bool has_false(ConditionType type) const { return condition(type).present && !condition(type).is_true; }
  [[nodiscard]] Phase phase() const;
  [[nodiscard]] bool admissible() const { return active && phase() == Phase::kPending; }
  [[nodiscard]] bool all_checks_ready() const;
  [[nodiscard]] bool has_check(CheckState::Value value) const;

  /// Quota is reserved for a pod set that has no domains yet.
  [[nodiscard]] bool topology_pending() const;
  /// All checks are ready, and pod sets wait for their domains.
  [[nodiscard]] bool needs_second_pass() const;

  /// apimachinery's SetStatusCondition; whether anything changed.
  bool set(ConditionType type, bool is_true, std::string_view reason, std::string message, std::int64_t now);
  /// True becomes False, with the old message behind "Previously: ".
  void reset(ConditionType type, std::string_view reason, std::int64_t now);
  /// Admitted follows QuotaReserved and the checks; whether it changed.
  bool sync_admitted(std::int64_t now);
  /// QuotaReserved becomes False and the admission goes; whether anything changed.
  bool unreserve(std::string_view reason, std::string message, std::int64_t now);
  void evict(std::string_view reason, std::string message, std::int64_t now);
};

}  // namespace gpusched::kueue
