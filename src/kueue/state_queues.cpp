#include <algorithm>
#include <set>
#include <utility>

#include "kueue/amounts.hpp"
#include "kueue/state.hpp"

// ClusterQueues, cohorts and LocalQueues of the state. Source: Kueue v0.17.0, pkg/cache/scheduler/clusterqueue.go.
namespace gpusched::kueue {

namespace {

Policy policy_of(std::string_view word) {
  if (word == "LowerPriority") {
    return Policy::kLowerPriority;
  }
  if (word == "LowerOrNewerEqualPriority") {
    return Policy::kLowerOrNewerEqualPriority;
  }
  return word == "Any" ? Policy::kAny : Policy::kNever;
}

Quota to_quota(const objects::FlavorQuota& quota) {
  Quota result;
  result.nominal = amount_of(quota.resource, quota.nominal);
  if (quota.borrowing_limit) {
    result.has_borrowing_limit = true;
    result.borrowing_limit = amount_of(quota.resource, *quota.borrowing_limit);
  }
  if (quota.lending_limit) {
    result.has_lending_limit = true;
    result.lending_limit = amount_of(quota.resource, *quota.lending_limit);
  }
  return result;
}

double weight_of(const std::optional<Quantity>& weight) {
  return weight ? weight->as_approximate_double() : 1;
}

}  // namespace

void State::load_queues() {
  std::vector<const objects::ClusterQueue*> sorted;
  for (const objects::ClusterQueue& object : objects.cluster_queues) {
    sorted.push_back(&object);
  }
  std::ranges::sort(sorted, {}, [](const auto* object) -> const std::string& { return object->meta.name; });
  queues.reserve(sorted.size());
  for (const objects::ClusterQueue* const object : sorted) {
    queue_ids_.emplace(object->meta.name, queues.size());
    queues.emplace_back(slots).object = *object;
  }
}

void State::load_cohorts() {
  std::map<std::string, const objects::Cohort*> found;
  for (const objects::Cohort& cohort : objects.cohorts) {
    found[cohort.meta.name] = &cohort;
    if (!cohort.parent.empty()) {
      found.try_emplace(cohort.parent, nullptr);
    }
  }
  for (const QueueState& queue : queues) {
    if (!queue.object.cohort.empty()) {
      found.try_emplace(queue.object.cohort, nullptr);
    }
  }
  cohorts.clear();
  cohort_ids_.clear();
  for (const auto& [name, object] : found) {
    cohort_ids_.emplace(name, cohorts.size());
    if (object != nullptr) {
      cohorts.push_back(*object);
    } else {
      cohorts.emplace_back().meta.name = name;
    }
  }
}

QuotaNode State::cohort_node(const std::string& name) const {
  const auto found = cohort_ids_.find(name);
  return found == cohort_ids_.end() ? QuotaNode() : QuotaNode(queues.size() + found->second);
}

bool State::is_circular(std::size_t cohort) const {
  std::set<std::size_t> seen;
  while (seen.insert(cohort).second) {
    const auto parent = cohort_ids_.find(cohorts[cohort].parent);
    if (parent == cohort_ids_.end()) {
      return false;
    }
    cohort = parent->second;
  }
  return true;
}

/// `whole`: every flavor has a quota for every covered resource, at least of zero.
std::vector<NodeQuota> State::quotas_of(const std::vector<objects::ResourceGroup>& groups, bool whole) {
  std::vector<NodeQuota> quotas;
  for (const objects::ResourceGroup& group : groups) {
    for (const objects::FlavorQuotas& flavor : group.flavors) {
      const FlavorId id = flavor_id(flavor.flavor);
      if (whole) {
        for (const std::string& resource : group.covered_resources) {
          quotas.push_back({{id, resources.intern(resource)}, {}});
        }
      }
      for (const objects::FlavorQuota& quota : flavor.resources) {
        quotas.push_back({{id, resources.intern(quota.resource)}, to_quota(quota)});
      }
    }
  }
  return quotas;
}

/// Makes the quota tree of all queues and cohorts anew, with the usage of the cached Workloads.
void State::build_tree() {
  load_cohorts();
  std::vector<QuotaNodeSpec> specs;
  for (QueueState& queue : queues) {
    const auto cohort = cohort_ids_.find(queue.object.cohort);
    queue.in_cycle = cohort != cohort_ids_.end() && is_circular(cohort->second);
    specs.push_back({queue.in_cycle ? QuotaNode() : cohort_node(queue.object.cohort),
                     quotas_of(queue.object.resource_groups, true), weight_of(queue.object.fair_weight)});
  }
  for (std::size_t i = 0; i < cohorts.size(); ++i) {
    specs.push_back({is_circular(i) ? QuotaNode() : cohort_node(cohorts[i].parent),
                     quotas_of(cohorts[i].resource_groups, false), weight_of(cohorts[i].fair_weight)});
  }
  tree.build(std::move(specs), queues.size());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    for (GroupState& group : queues[i].groups) {
      group.columns.clear();
      for (const FlavorId flavor : group.flavors) {
        std::vector<Column>& columns = group.columns.emplace_back();
        for (const StringId resource : group.covered) {
          columns.push_back(tree.column(QuotaNode(i), {flavor, resource}));
        }
      }
    }
    for (const WorkloadId id : queues[i].cached) {
      resolve(workloads[id.index()]);
      tree.add(QuotaNode(i), workloads[id.index()].usage);
    }
  }
}

void State::set_groups(QueueState& queue) {
  queue.groups.clear();
  queue.topology_flavors.clear();
  queue.topology_only = true;
  for (const objects::ResourceGroup& object : queue.object.resource_groups) {
    GroupState& group = queue.groups.emplace_back();
    for (const std::string& resource : object.covered_resources) {
      group.covered.push_back(resources.intern(resource));
    }
    std::set<std::string> keys;
    for (const objects::FlavorQuotas& quotas : object.flavors) {
      const FlavorId id = flavor_id(quotas.flavor);
      const FlavorState& flavor = flavors[id.index()];
      group.flavors.push_back(id);
      if (flavor.object != nullptr) {
        for (const auto& [key, value] : flavor.object->node_labels) {
          keys.insert(key);
        }
      }
      if (flavor.names_topology()) {
        queue.topology_flavors.push_back(id);
      } else {
        queue.topology_only = false;
      }
    }
    group.label_keys.assign(keys.begin(), keys.end());
  }
}

void State::set_queue(QueueState& queue, objects::ClusterQueue object) {
  queue.object = std::move(object);
  const objects::ClusterQueue& spec = queue.object;
  set_groups(queue);
  queue.strict = spec.queueing_strategy == "StrictFIFO";
  queue.stopped = !spec.stop_policy.empty() && spec.stop_policy != "None";
  // Of the two names that v1beta1 has for one word, Borrow and Preempt mean MayStopSearch.
  queue.try_next_when_borrowing = spec.flavor_fungibility.when_can_borrow == "TryNextFlavor";
  queue.try_next_when_preempting =
      spec.flavor_fungibility.when_can_preempt.empty() || spec.flavor_fungibility.when_can_preempt == "TryNextFlavor";
  queue.preemption_over_borrowing = spec.flavor_fungibility.preference == "PreemptionOverBorrowing";
  queue.within = policy_of(spec.preemption.within_cluster_queue);
  queue.reclaim = policy_of(spec.preemption.reclaim_within_cohort);
  queue.borrow_while_preempting =
      !spec.preemption.borrow_within_cohort.empty() && spec.preemption.borrow_within_cohort != "Never";
  queue.priority_threshold.reset();
  if (spec.preemption.max_priority_threshold) {
    queue.priority_threshold = *spec.preemption.max_priority_threshold;
  }
  std::set<FlavorId> all;
  for (const GroupState& group : queue.groups) {
    all.insert(group.flavors.begin(), group.flavors.end());
  }
  queue.checks.clear();
  queue.checks_for_all_flavors = true;
  for (const objects::AdmissionCheckRule& rule : spec.admission_checks) {
    std::set<FlavorId> on;
    for (const std::string& flavor : rule.on_flavors) {
      on.insert(flavor_id(flavor));
    }
    const std::set<FlavorId>& of_rule = rule.on_flavors.empty() ? all : on;
    queue.checks_for_all_flavors &= of_rule == all;
    queue.checks.push_back({rule.name, {of_rule.begin(), of_rule.end()}});
  }
  queue.namespace_matches.clear();
  set_status(queue);
}

void State::replace_queue(std::size_t index, objects::ClusterQueue object) {
  QueueState& queue = queues[index];
  const auto grow_tree = [&] {
    const QuotaNode root = tree.root(QuotaNode(index));
    for (std::size_t i = 0; i < queues.size(); ++i) {
      queues[i].generation += tree.root(QuotaNode(i)) == root ? 1 : 0;
    }
  };
  // Kueue compares groups with and without their label keys: with labels on a flavor they always differ.
  const bool has_keys =
      std::ranges::any_of(queue.groups, [](const GroupState& group) { return !group.label_keys.empty(); });
  const bool moved = queue.object.cohort != object.cohort;
  const bool changed = has_keys || queue.object.resource_groups != object.resource_groups;
  if (moved) {  // the queues that it leaves behind; its own turn comes below
    grow_tree();
    --queue.generation;
  }
  queue.pending.park_waiting();
  set_queue(queue, std::move(object));
  build_tree();
  std::vector<bool> visible_queues;
  for (const QueueState& each : queues) {
    visible_queues.push_back(visible(each));
  }
  tree.set_active(visible_queues);
  if (changed || moved) {
    grow_tree();
  }
}

void State::load_local_queues() {
  for (const objects::LocalQueue& object : objects.local_queues) {
    local_queue_ids_.emplace(object.meta.namespace_name + "/" + object.meta.name, LocalQueueId(local_queues.size()));
    LocalQueueState& local_queue = local_queues.emplace_back();
    local_queue.object = object;
    local_queue.managed = object.stop_policy.empty() || object.stop_policy == "None";
    set_queue_of(local_queue);
  }
}

void State::set_queue_of(LocalQueueState& local_queue) const {
  const auto queue = find_queue(local_queue.object.cluster_queue);
  local_queue.queue = queue ? QueueId(*queue) : QueueId();
}

}  // namespace gpusched::kueue
