#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/kueue/topology.hpp"
#include "gpusched/objects/kueue_input.hpp"
#include "kueue/pending_queue.hpp"
#include "kueue/pod_classes.hpp"
#include "kueue/quota_tree.hpp"
#include "kueue/workload_state.hpp"

/// What Kueue's cache and queue manager know, interned.
namespace gpusched::kueue {

enum class Policy : std::uint8_t { kNever, kLowerPriority, kLowerOrNewerEqualPriority, kAny };

struct FlavorState {
  std::string name;
  const objects::ResourceFlavor* object = nullptr;  ///< nullptr: it is only referred to
  std::unique_ptr<FlavorTopology> topology;         ///< when it names a Topology that exists

  [[nodiscard]] bool names_topology() const { return object != nullptr && object->topology_name.has_value(); }
};

/// A resource group of a ClusterQueue.
struct GroupState {
  std::vector<StringId> covered;
  std::vector<FlavorId> flavors;
  std::vector<std::string> label_keys;       ///< of all its flavors
  std::vector<std::vector<Column>> columns;  ///< by flavor, by covered resource

  [[nodiscard]] bool covers(StringId resource) const;
  [[nodiscard]] Column column(std::size_t flavor, StringId resource) const;
};

struct CheckRuleState {
  std::string name;
  std::vector<FlavorId> flavors;
};

struct QueueState {
  objects::ClusterQueue object;
  std::vector<GroupState> groups;
  bool strict = false;
  bool try_next_when_borrowing = false, try_next_when_preempting = true, preemption_over_borrowing = false;
  Policy within = Policy::kNever, reclaim = Policy::kNever;
  bool borrow_while_preempting = false;  ///< borrowWithinCohort
  std::optional<std::int64_t> priority_threshold;
  std::vector<CheckRuleState> checks;
  bool checks_for_all_flavors = true;
  bool multi_kueue = false;
  std::vector<FlavorId> provisioned_flavors;  ///< with a ProvisioningRequest check

  bool stopped = false;
  bool active = false;
  std::string reason, message;  ///< of condition Active when it is False
  bool in_cycle = false;        ///< its cohorts refer to each other in a circle
  std::vector<FlavorId> topology_flavors;
  bool topology_only = false;

  std::int64_t generation = 0;     ///< grows when its quota or its Workloads change
  std::vector<WorkloadId> cached;  ///< Workloads that hold its quota, by number
  PendingQueue pending;
  bool wake = false;                           ///< its cohort is to be woken
  std::vector<std::int8_t> namespace_matches;  ///< by namespace; -1: not asked yet

  explicit QueueState(std::vector<QueueSlot>& slots) : pending(slots) {}
};

struct LocalQueueState {
  objects::LocalQueue object;
  QueueId queue;         ///< invalid: there is no such ClusterQueue
  bool managed = false;  ///< not stopped

  [[nodiscard]] bool drains() const { return object.stop_policy == "HoldAndDrain"; }
};

class State {
 public:
  /// The objects must outlive it.
  State(const objects::KueueObjects& input, const objects::KueueConfiguration& settings, std::int64_t start);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const objects::KueueObjects& objects;
  const objects::KueueConfiguration& configuration;
  std::int64_t now;  ///< seconds
  std::int64_t cycle = 0;

  StringTable resources;
  std::vector<FlavorState> flavors;
  std::vector<QueueSlot> slots;
  std::vector<QueueState> queues;  ///< by name
  std::vector<LocalQueueState> local_queues;
  std::vector<objects::Cohort> cohorts;  ///< by name, also those without an object
  PodClasses pods;
  QuotaTree tree;
  std::vector<WorkloadState> workloads;

  [[nodiscard]] const objects::KueueFeatures& features() const { return configuration.features; }
  [[nodiscard]] QuotaNode node(QueueId queue) const { return QuotaNode(queue.index()); }
  [[nodiscard]] std::string_view node_name(QuotaNode node) const;
  [[nodiscard]] FlavorId flavor_id(const std::string& name);
  [[nodiscard]] const WorkloadState* find_workload(const std::string& key) const;
  [[nodiscard]] WorkloadId workload_id(const std::string& key) const;
  [[nodiscard]] std::optional<std::size_t> find_queue(std::string_view name) const;
  [[nodiscard]] LocalQueueId find_local_queue(const std::string& key) const;

  /// Whether the scheduler sees the queue.
  [[nodiscard]] bool visible(const QueueState& queue) const { return queue.active && !queue.in_cycle; }
  [[nodiscard]] const GroupState* group_of(const QueueState& queue, StringId resource) const;
  [[nodiscard]] bool namespace_matches(QueueState& queue, const std::string& name_space);
  /// When the Workload joined its queue: created, or evicted by a time-out or a check;
  /// milliseconds.
  [[nodiscard]] std::int64_t queue_time(const WorkloadState& workload) const;
  /// Neither Requeued=False nor a requeueAt that is still to come.
  [[nodiscard]] bool backoff_over(const WorkloadState& workload) const;

  /// The Workload's admission counts in its ClusterQueue from now on.
  void cache(WorkloadId id);
  void uncache(WorkloadId id);
  /// What it holds, in and out of the quota tree and the topologies.
  void add_usage(const WorkloadState& workload);
  void remove_usage(const WorkloadState& workload);
  void add_topology_use(const TopologyUse& use);
  void remove_topology_use(const TopologyUse& use);

  /// Takes the new spec of a ClusterQueue.
  void replace_queue(std::size_t index, objects::ClusterQueue object);
  void replace_node(const objects::Node& node);
  void set_queue_of(LocalQueueState& local_queue) const;

 private:
  void load_flavors();
  void load_topologies();
  void load_other_pods();
  void place_nodes();
  void load_queues();
  void load_cohorts();
  void load_local_queues();
  void load_workloads();
  void load_workload(const objects::Workload& object);
  void load_pod_sets(WorkloadState& workload);
  void load_status(WorkloadState& workload) const;
  void load_admission(WorkloadState& workload, const objects::Admission& object);
  void rank_workloads();
  void set_queue(QueueState& queue, objects::ClusterQueue object);
  void set_groups(QueueState& queue);
  void set_status(QueueState& queue);
  void build_tree();
  void resolve(WorkloadState& workload) const;
  void resolve_topology(const AssignedPodSet& pod_set, WorkloadState& workload) const;
  [[nodiscard]] static ResourceRow per_pod(const AssignedPodSet& pod_set);
  [[nodiscard]] std::vector<NodeQuota> quotas_of(const std::vector<objects::ResourceGroup>& groups, bool whole);
  [[nodiscard]] QuotaNode cohort_node(const std::string& name) const;
  [[nodiscard]] bool is_circular(std::size_t cohort) const;

  std::unordered_map<std::string, FlavorId> flavor_ids_;
  std::map<std::string, std::size_t, std::less<>> queue_ids_;
  std::map<std::string, std::size_t> cohort_ids_;
  std::unordered_map<std::string, LocalQueueId> local_queue_ids_;
  std::unordered_map<std::string_view, WorkloadId> workload_ids_;  // keys live in the Workloads
  std::unordered_map<std::string, std::size_t> namespace_ids_;
  std::vector<objects::Labels> namespace_labels_;
  std::map<std::string, objects::Node> nodes_;     // as they are now
  std::map<std::string, ResourceRow> other_pods_;  // by node
};

}  // namespace gpusched::kueue
