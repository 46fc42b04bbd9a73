#include "kueue/state.hpp"

#include <algorithm>
#include <utility>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

bool GroupState::covers(StringId resource) const {
  return std::ranges::find(covered, resource) != covered.end();
}

Column GroupState::column(std::size_t flavor, StringId resource) const {
  const auto found = std::ranges::find(covered, resource);
  return columns[flavor][static_cast<std::size_t>(found - covered.begin())];
}

std::string_view State::node_name(QuotaNode node) const {
  return node.index() < queues.size() ? queues[node.index()].object.meta.name
                                      : cohorts[node.index() - queues.size()].meta.name;
}

FlavorId State::flavor_id(const std::string& name) {
  const auto [known, added] = flavor_ids_.try_emplace(name, FlavorId(flavors.size()));
  if (added) {
    flavors.emplace_back().name = name;
  }
  return known->second;
}

WorkloadId State::workload_id(const std::string& key) const {
  const auto found = workload_ids_.find(key);
  return found == workload_ids_.end() ? WorkloadId() : found->second;
}

const WorkloadState* State::find_workload(const std::string& key) const {
  const WorkloadId id = workload_id(key);
  return id.valid() ? &workloads[id.index()] : nullptr;
}

std::optional<std::size_t> State::find_queue(std::string_view name) const {
  const auto found = queue_ids_.find(name);
  return found == queue_ids_.end() ? std::nullopt : std::optional(found->second);
}

LocalQueueId State::find_local_queue(const std::string& key) const {
  const auto found = local_queue_ids_.find(key);
  return found == local_queue_ids_.end() ? LocalQueueId() : found->second;
}

const GroupState* State::group_of(const QueueState& queue, StringId resource) const {
  const auto found = std::ranges::find_if(queue.groups, [&](const GroupState& g) { return g.covers(resource); });
  return found == queue.groups.end() ? nullptr : &*found;
}

bool State::namespace_matches(QueueState& queue, const std::string& name_space) {
  const auto [known, added] = namespace_ids_.try_emplace(name_space, namespace_labels_.size());
  if (added) {
    namespace_labels_.push_back({{"kubernetes.io/metadata.name", name_space}});
  }
  if (queue.namespace_matches.size() < namespace_labels_.size()) {
    queue.namespace_matches.resize(namespace_labels_.size(), -1);
  }
  std::int8_t& matches = queue.namespace_matches[known->second];
  if (matches < 0) {
    const auto& selector = queue.object.namespace_selector;
    matches = selector && objects::matches(*selector, namespace_labels_[known->second]) ? 1 : 0;
  }
  return matches == 1;
}

std::int64_t State::queue_time(const WorkloadState& workload) const {
  constexpr std::int64_t kMilli = 1000;
  const ConditionState& evicted = workload.condition(ConditionType::kEvicted);
  const auto& wait = configuration.wait_for_pods_ready;
  if (evicted.is_true && evicted.reason == "PodsReadyTimeout" && (!wait || wait->order_by_eviction)) {
    return evicted.since * kMilli;
  }
  if (evicted.is_true && evicted.reason == "AdmissionCheck") {
    return evicted.since * kMilli;
  }
  const ConditionState& preempted = workload.condition(ConditionType::kPreempted);
  if (!features().priority_sorting_within_cohort && preempted.is_true &&
      preempted.reason == "InCohortReclaimWhileBorrowing") {
    return preempted.since * kMilli + 1;  // behind its preemptor
  }
  return workload.created * kMilli;
}

bool State::backoff_over(const WorkloadState& workload) const {
  return !workload.has_false(ConditionType::kRequeued) && (!workload.requeue_at || now >= *workload.requeue_at);
}

void State::resolve(WorkloadState& workload) const {
  workload.resolved = true;
  workload.usage.clear();
  workload.columns.clear();
  workload.topology_use.clear();
  const QuotaNode queue(workload.admission->queue.index());
  for (const AssignedPodSet& pod_set : workload.admission->pod_sets) {
    for (const AssignedResource& assigned : pod_set.resources) {
      const Column column = tree.column(queue, {assigned.flavor, assigned.resource});
      if (column.valid()) {
        workload.columns.push_back(column);
        workload.usage.push_back({column, assigned.amount});
      }
    }
    if (pod_set.domains) {
      workload.topology_use.push_back({pod_set.topology_flavor, *pod_set.domains, per_pod(pod_set)});
    } else if (pod_set.topology) {
      resolve_topology(pod_set, workload);
    }
  }
  std::ranges::sort(workload.columns);
  const auto repeated = std::ranges::unique(workload.columns);
  workload.columns.erase(repeated.begin(), repeated.end());
}

ResourceRow State::per_pod(const AssignedPodSet& pod_set) {
  ResourceRow row;
  for (const AssignedResource& assigned : pod_set.resources) {
    row.push_back({assigned.resource, pod_set.count == 0 ? 0 : assigned.amount / pod_set.count});
  }
  return row;
}

void State::resolve_topology(const AssignedPodSet& pod_set, WorkloadState& workload) const {
  std::vector<FlavorId> used;
  for (const AssignedResource& assigned : pod_set.resources) {
    used.push_back(assigned.flavor);
  }
  std::ranges::sort(used);
  const auto repeated = std::ranges::unique(used);
  used.erase(repeated.begin(), repeated.end());
  for (const FlavorId flavor : used) {
    FlavorTopology* const topology = flavors[flavor.index()].topology.get();
    if (topology == nullptr) {
      continue;
    }
    TopologyUse use{flavor, {}, per_pod(pod_set)};
    for (const objects::TopologyDomain& domain : pod_set.topology->domains) {
      if (domain.values.size() == topology->assignment_levels().size()) {
        use.domains.push_back({topology->domain(domain.values), domain.count});
      }
    }
    workload.topology_use.push_back(std::move(use));
  }
}

void State::cache(WorkloadId id) {
  WorkloadState& workload = workloads[id.index()];
  if (workload.cached_in.valid()) {
    const bool reversible = std::ranges::all_of(workload.usage, [](const Usage& usage) { return usage.amount >= 0; });
    if (workload.resolved && reversible && workload.active && workload.cached_in == workload.admission->queue &&
        workload.is(ConditionType::kQuotaReserved) && !workload.is(ConditionType::kFinished)) {
      ++queues[workload.cached_in.index()].generation;  // out and in again, which leaves the usage as it is
      return;
    }
    uncache(id);
  }
  if (!workload.active || !workload.admission || !workload.admission->queue.valid() ||
      !workload.is(ConditionType::kQuotaReserved) || workload.is(ConditionType::kFinished)) {
    return;
  }
  workload.cached_in = workload.admission->queue;
  resolve(workload);
  QueueState& queue = queues[workload.cached_in.index()];
  queue.cached.insert(std::ranges::lower_bound(queue.cached, id), id);
  tree.add(node(workload.cached_in), workload.usage);
  for (const TopologyUse& use : workload.topology_use) {
    add_topology_use(use);
  }
}

void State::uncache(WorkloadId id) {
  WorkloadState& workload = workloads[id.index()];
  if (!workload.cached_in.valid()) {
    return;
  }
  QueueState& queue = queues[workload.cached_in.index()];
  queue.cached.erase(std::ranges::lower_bound(queue.cached, id));
  remove_usage(workload);
  ++queue.generation;
  workload.cached_in = {};
}

void State::add_usage(const WorkloadState& workload) {
  tree.add(node(workload.cached_in), workload.usage);
  for (const TopologyUse& use : workload.topology_use) {
    add_topology_use(use);
  }
}

void State::remove_usage(const WorkloadState& workload) {
  tree.remove(node(workload.cached_in), workload.usage);
  for (const TopologyUse& use : workload.topology_use) {
    remove_topology_use(use);
  }
}

void State::add_topology_use(const TopologyUse& use) {
  for (const DomainPods& domain : use.domains) {
    flavors[use.flavor.index()].topology->add_usage({domain.domain, domain.pods, &use.per_pod});
  }
}

void State::remove_topology_use(const TopologyUse& use) {
  for (const DomainPods& domain : use.domains) {
    flavors[use.flavor.index()].topology->remove_usage({domain.domain, domain.pods, &use.per_pod});
  }
}

}  // namespace gpusched::kueue
