#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "gpusched/objects/pod_requests.hpp"
#include "kueue/amounts.hpp"
#include "kueue/state.hpp"
#include "kueue/wrapping.hpp"

// Flavors, topologies and Workloads of the state.
namespace gpusched::kueue {

namespace {

std::optional<ConditionType> condition_type(std::string_view name) {
  static constexpr std::array<std::string_view, kConditionTypes> kNames = {
      "QuotaReserved", "Admitted", "Evicted", "Preempted", "Requeued", "PodsReady", "Finished", "DeactivationTarget"};
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<ConditionType>(found - kNames.begin()));
}

CheckState to_check(const objects::AdmissionCheckState& object, std::int64_t now) {
  CheckState check;
  check.name = object.name;
  check.since = object.last_transition ? object.last_transition->seconds : now;
  if (object.requeue_after_seconds) {
    check.requeue_after = *object.requeue_after_seconds;
  }
  if (object.state == "Ready") {
    check.value = CheckState::Value::kReady;
  } else if (object.state == "Retry") {
    check.value = CheckState::Value::kRetry;
  } else if (object.state == "Rejected") {
    check.value = CheckState::Value::kRejected;
  }
  return check;
}

/// "spec.podSets[0].template.spec.containers[1]: Invalid value: ["cpu"]: …", as field.ErrorList prints it.
std::string error_text(const std::vector<std::string>& errors) {
  if (errors.size() == 1) {
    return errors.front();
  }
  std::string text = "[";
  for (const std::string& error : errors) {
    text += (text.size() > 1 ? ", " : "") + error;
  }
  return text + "]";
}

void describe(const std::vector<SpecError>& found, std::size_t pod_set, std::vector<std::string>& texts) {
  for (const SpecError& error : found) {
    std::string names;
    for (const std::string& name : error.resources) {
      names += (names.empty() ? "\"" : ",\"") + name + "\"";
    }
    texts.push_back("spec.podSets[" + std::to_string(pod_set) + "].template.spec" + error.path + ": Invalid value: [" +
                    names + "]: " + std::string(error.rule));
  }
}

/// The rank of each of `count` things that `less(a, b)` orders; equal ones share one.
template <class Less>
std::vector<std::uint32_t> ranks(std::size_t count, Less&& less) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (!std::ranges::is_sorted(order, less)) {  // lists of the API server are
    std::ranges::sort(order, less);
  }
  std::vector<std::uint32_t> result(count);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rank += i > 0 && less(order[i - 1], order[i]) ? 1U : 0U;
    result[order[i]] = rank;
  }
  return result;
}

}  // namespace

State::State(const objects::KueueObjects& input, const objects::KueueConfiguration& settings, std::int64_t start)
    : objects(input), configuration(settings), now(start), pods(objects, configuration, resources) {
  for (const objects::Namespace& name_space : objects.namespaces) {
    if (namespace_ids_.emplace(name_space.meta.name, namespace_labels_.size()).second) {
      namespace_labels_.push_back(name_space.meta.labels);
    }
  }
  load_flavors();
  load_topologies();
  load_queues();
  for (QueueState& queue : queues) {
    set_queue(queue, std::exchange(queue.object, {}));
  }
  load_local_queues();
  build_tree();
  std::vector<bool> visible_queues;
  for (const QueueState& queue : queues) {
    visible_queues.push_back(visible(queue));
  }
  tree.set_active(visible_queues);
  load_workloads();
}

void State::load_flavors() {
  for (const objects::ResourceFlavor& object : objects.flavors) {
    flavors[flavor_id(object.meta.name).index()].object = &object;
  }
}

void State::load_topologies() {
  if (!features().topology_aware_scheduling) {
    return;
  }
  const TopologyFeatures gates{features().tas_profile_mixed, features().tas_balanced_placement,
                               features().tas_multi_layer_topology, features().tas_respect_preferred_node_affinity};
  bool any = false;
  for (FlavorState& flavor : flavors) {
    if (!flavor.names_topology()) {
      continue;
    }
    const auto topology = std::ranges::find(objects.topologies, *flavor.object->topology_name,
                                            [](const auto& object) -> const std::string& { return object.meta.name; });
    if (topology != objects.topologies.end() && !topology->levels.empty()) {
      flavor.topology =
          std::make_unique<FlavorTopology>(topology->meta.name, topology->levels, flavor.object->node_labels,
                                           flavor.object->tolerations, gates, resources);
      any = true;
    }
  }
  if (any) {
    load_other_pods();
    for (const objects::Node& node : objects.nodes) {
      nodes_.insert_or_assign(node.meta.name, node);
    }
    place_nodes();
  }
}

/// What pods that Kueue did not place take of their nodes.
void State::load_other_pods() {
  const StringId pods_name = resources.intern("pods");
  objects::PodRequestRules rules;
  rules.use_status = false;
  for (const objects::Pod& pod : objects.pods) {
    if (!is_other_pod(pod.meta.annotations, pod.node_name, pod.phase)) {
      continue;
    }
    ResourceRow& load = other_pods_[pod.node_name];
    ResourceRow row = to_row(objects::pod_requests(pod, rules), resources);
    row.push_back({pods_name, 1});
    for (const ResourceAmount& amount : row) {
      const auto known = std::ranges::find(load, amount.resource, &ResourceAmount::resource);
      if (known == load.end()) {
        load.push_back(amount);
      } else {
        known->amount = wrap_add(known->amount, amount.amount);
      }
    }
  }
}

void State::place_nodes() {
  std::vector<TopologyNode> all;
  for (const auto& [name, node] : nodes_) {
    const auto load = other_pods_.find(name);
    all.push_back({&node, load == other_pods_.end() ? ResourceRow() : load->second});
  }
  for (FlavorState& flavor : flavors) {
    if (flavor.topology != nullptr) {
      flavor.topology->set_nodes(all);
    }
  }
}

void State::replace_node(const objects::Node& node) {
  nodes_.insert_or_assign(node.meta.name, node);
  place_nodes();
}

void State::load_workloads() {
  workloads.reserve(objects.workloads.size());
  slots.resize(objects.workloads.size());
  workload_ids_.reserve(objects.workloads.size());
  for (const objects::Workload& object : objects.workloads) {
    load_workload(object);
  }
  rank_workloads();
}

void State::load_workload(const objects::Workload& object) {
  WorkloadState& workload = workloads.emplace_back();
  workload.object = &object;
  workload.key = object.meta.namespace_name + "/" + object.meta.name;
  workload_ids_.emplace(workload.key, WorkloadId(workloads.size() - 1));
  workload.created = object.meta.creation_timestamp ? object.meta.creation_timestamp->seconds : now;
  workload.priority = object.priority.value_or(0);
  workload.local_queue = find_local_queue(object.meta.namespace_name + "/" + object.queue_name);
  workload.active = object.active;
  load_pod_sets(workload);
  load_status(workload);
  if (object.admission) {
    load_admission(workload, *object.admission);
  }
}

void State::load_pod_sets(WorkloadState& workload) {
  const objects::Workload& object = *workload.object;
  std::vector<std::string> above, outside;
  for (const objects::PodSet& pod_set : object.pod_sets) {
    PodSetState& state = workload.pod_sets.emplace_back();
    state.object = &pod_set;
    state.name = pod_set.name.empty() ? "main" : pod_set.name;
    state.pod_class = pods.intern(pod_set, object.meta.namespace_name);
    const std::int32_t* const reclaimed = objects::find(object.reclaimable_pods, state.name);
    state.count =
        reclaimed == nullptr || !features().reclaimable_pods ? pod_set.count : wrap_sub(pod_set.count, *reclaimed);
    const PodContent& content = pods[state.pod_class];
    for (const ResourceAmount& amount : content.quota) {
      state.requests.push_back({amount.resource, wrap_mul(amount.amount, std::int64_t{state.count})});
    }
    describe(content.above_limits, workload.pod_sets.size() - 1, above);
    describe(content.out_of_range, workload.pod_sets.size() - 1, outside);
  }
  if (!above.empty()) {
    workload.invalid = "resources validation failed: " + error_text(above);
  } else if (!outside.empty()) {
    workload.invalid = "resources didn't satisfy LimitRange constraints: " + error_text(outside);
  }
}

void State::load_status(WorkloadState& workload) const {
  const objects::Workload& object = *workload.object;
  workload.requests_written = object.has_resource_requests;
  if (object.requeue_state) {
    workload.has_requeue_state = true;
    workload.requeue_count = object.requeue_state->count;
    if (object.requeue_state->requeue_at) {
      workload.requeue_at = object.requeue_state->requeue_at->seconds;
    }
  }
  for (const objects::Condition& condition : object.conditions) {
    if (const auto type = condition_type(condition.type)) {
      ConditionState& state = workload.condition(*type);
      state.present = true;
      state.is_true = condition.is_true;
      state.since = condition.last_transition ? condition.last_transition->seconds : now;
      state.set_texts(condition.reason, condition.message);
    }
  }
  for (const objects::AdmissionCheckState& check : object.admission_checks) {
    workload.checks.push_back(to_check(check, now));
  }
}

void State::load_admission(WorkloadState& workload, const objects::Admission& object) {
  AdmissionState& admission = workload.admission.emplace();
  admission.queue_name = object.cluster_queue;
  const auto queue = find_queue(admission.queue_name);
  admission.queue = queue ? QueueId(*queue) : QueueId();
  for (const objects::AdmittedPodSet& assigned : object.pod_sets) {
    AssignedPodSet& pod_set = admission.pod_sets.emplace_back();
    pod_set.name = assigned.name;
    const auto spec = std::ranges::find(workload.pod_sets, assigned.name, &PodSetState::name);
    const std::int32_t total = spec == workload.pod_sets.end() ? 0 : spec->object->count;
    const std::int32_t left = spec == workload.pod_sets.end() ? 0 : spec->count;
    pod_set.count = assigned.count.value_or(total);
    pod_set.topology = assigned.topology;
    pod_set.topology_pending = assigned.topology_pending;
    for (const ResourceAmount& amount : to_row(assigned.usage, resources)) {
      const std::string* const flavor = objects::find(assigned.flavors, resources[amount.resource]);
      if (flavor == nullptr) {
        continue;
      }
      std::int64_t used = amount.amount;
      if (left < pod_set.count) {  // pods that are done give back their part
        used = wrap_mul(used / pod_set.count, std::int64_t{left});
      }
      pod_set.resources.push_back({amount.resource, flavor_id(*flavor), used});
    }
    pod_set.count = std::min(pod_set.count, left);
  }
}

void State::rank_workloads() {
  const auto meta = [&](std::uint32_t i) -> const objects::ObjectMeta& { return workloads[i].object->meta; };
  const auto keys = ranks(workloads.size(), [&](auto a, auto b) { return workloads[a].key < workloads[b].key; });
  const auto uids = ranks(workloads.size(), [&](auto a, auto b) { return meta(a).uid < meta(b).uid; });
  const auto names = ranks(workloads.size(), [&](auto a, auto b) {
    const int order = meta(a).namespace_name.compare(meta(b).namespace_name);
    return order != 0 ? order < 0 : meta(a).name < meta(b).name;
  });
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    workloads[i].key_rank = keys[i];
    workloads[i].uid_rank = uids[i];
    workloads[i].name_rank = names[i];
  }
}

}  // namespace gpusched::kueue
