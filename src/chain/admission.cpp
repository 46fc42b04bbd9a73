#include "gpusched/chain/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

#include "chain/admission_gates.hpp"
#include "chain/admission_world.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

std::string full_name(const objects::ObjectMeta& meta) {
  return meta.namespace_name + "/" + meta.name;
}

bool holds(const objects::Workload& workload, std::string_view condition) {
  const objects::Condition* const found = objects::find_condition(workload.conditions, condition);
  return found != nullptr && found->is_true;
}

/// Pods with a queue name that belong to no Workload become one each; their own requests are what the webhook saw.
void add_pod_workloads(objects::KueueObjects& kueue) {
  std::set<std::string> known;
  for (const objects::Workload& workload : kueue.workloads) {
    known.insert(full_name(workload.meta));
    for (const objects::OwnerReference& owner : workload.meta.owner_references) {
      known.insert(workload.meta.namespace_name + "/" + owner.name);
    }
  }
  for (const objects::Pod& pod : kueue.pods) {
    const std::string* const queue = objects::find(pod.meta.labels, kQueueName);
    const objects::OwnerReference* const owner = objects::controller_of(pod.meta);
    const bool owned = owner != nullptr && known.contains(pod.meta.namespace_name + "/" + owner->name);
    if (queue == nullptr || owned || known.contains(full_name(pod.meta)) || pod.finished()) continue;
    if (!pod.node_name.empty()) continue;  // it runs: what it holds is in the ledger
    objects::Workload& workload = kueue.workloads.emplace_back();
    workload.meta = pod.meta;
    workload.queue_name = *queue;
    workload.priority = pod.spec->priority;
    workload.pod_sets.push_back({"main", 1, {}, pod.spec, {}});
    std::erase(workload.pod_sets.front().spec.scheduling_gates, "kueue.x-k8s.io/admission");
  }
}

const Pool* pool_behind(const Chain& chain, const objects::KueueObjects& kueue, const objects::Workload& workload) {
  if (const Pool* const pool = pool_of_queue(chain, workload.queue_name)) return pool;
  for (const objects::LocalQueue& queue : kueue.local_queues) {
    if (queue.meta.name != workload.queue_name || queue.meta.namespace_name != workload.meta.namespace_name) continue;
    const auto pool = std::ranges::find(chain.pools, queue.cluster_queue, &Pool::name);
    if (pool != chain.pools.end()) return &*pool;
  }
  return nullptr;
}

/// Whether and where the way to the workload's queue is broken.
std::optional<BrokenLink> broken_way(const Chain& chain, const objects::KueueObjects& kueue,
                                     const objects::Workload& workload, const Pool* pool) {
  const std::string object = "workload " + full_name(workload.meta);
  if (workload.queue_name.empty()) {
    return BrokenLink{Link::kLocalQueue, object, fmt::format("no queue name (label {})", kQueueName),
                      "without it no rule of the chain runs"};
  }
  const auto live = std::ranges::any_of(kueue.local_queues, [&](const objects::LocalQueue& queue) {
    return queue.meta.name == workload.queue_name && queue.meta.namespace_name == workload.meta.namespace_name;
  });
  if (pool == nullptr) {
    if (live) return std::nullopt;  // a plain Kueue queue
    const std::string nearest = [&]() -> std::string {
      for (const Pool& candidate : chain.pools) {
        if (candidate.name == workload.queue_name) return candidate.local_queue;
      }
      return "";
    }();
    return BrokenLink{
        Link::kLocalQueue, object, fmt::format("no pool's LocalQueue is called {}", quote(workload.queue_name, 80)),
        nearest.empty() ? "no flavor leads to such a queue; see the pools of stage 4"
                        : fmt::format("that is the ClusterQueue, its LocalQueues are called {}", nearest)};
  }
  const bool in_namespace = std::ranges::binary_search(chain.namespaces, workload.meta.namespace_name);
  if (!in_namespace && !live) {
    return BrokenLink{Link::kLocalQueue, object,
                      fmt::format("the namespace {} has no LocalQueue", quote(workload.meta.namespace_name)),
                      "every namespace gets one but the operator's own, kube-system and those being deleted"};
  }
  return broken_pool(*pool);
}

PoolOffer offer_of(const Pool* pool) {
  PoolOffer offer;
  if (pool == nullptr) return offer;
  offer.vram_mib = memory_label_mib(pool->memory);
  offer.profiles = pool->profiles;
  offer.sliceable = pool->sliceable;
  return offer;
}

class Judge {
 public:
  explicit Judge(AdmissionQuestion question) : question_(std::move(question)), chain_(*question_.chain) {
    add_pod_workloads(question_.kueue);
    std::erase_if(question_.kueue.workloads, [](const objects::Workload& w) { return holds(w, "Finished"); });
    std::ranges::sort(question_.kueue.workloads, {}, [](const objects::Workload& w) { return full_name(w.meta); });
  }

  Result<AdmissionResult> run();

 private:
  void first_gate(const objects::Workload& object);
  [[nodiscard]] bool fold(const objects::PodSet& pod_set, JudgedPodSet& judged, GateVerdict& gate, const Pool* pool);
  void second_gate(const kueue::AdmissionAnswer& answer);
  void place(JudgedWorkload& workload, const kueue::AdmittedWorkload& admitted);

  AdmissionQuestion question_;
  const Chain& chain_;
  AdmissionResult result_;
};

bool Judge::fold(const objects::PodSet& pod_set, JudgedPodSet& judged, GateVerdict& gate, const Pool* pool) {
  auto folded = fold_pod(pod_set.spec, offer_of(pool));
  if (!folded) {
    const Refusal& refusal = folded.error();
    const std::string rule = refusal.rule == 0 ? "" : fmt::format("rule {}: ", refusal.rule);
    gate = {GateOutcome::kRefuses, rule + refusal.message, refusal.hint};
    return false;
  }
  judged.folded = *std::move(folded);
  for (const ContainerDemand& demand : judged.folded.demands) {
    const bool ours = pool == nullptr || demand.manufacturer == manufacturer_of_key(pool->identity.accelerator_group);
    if (ours) continue;
    gate = {GateOutcome::kRefuses,
            fmt::format("asks for accelerators of {}, the queue serves {}", demand.manufacturer->name,
                        pool->identity.acceleratable() ? pool->identity.accelerator_group : "CPUs only"),
            "name the queue of a pool with such accelerators"};
    return false;
  }
  if (pool == nullptr || !pool->identity.acceleratable()) return true;
  const std::string& group = pool->identity.accelerator_group;
  if (auto pin = pod_affinity_pin(judged.folded.demands, group)) judged.pins.push_back(*std::move(pin));
  if (question_.input->settings.workload_fit_affinity) {
    for (auto& pin : workload_affinity_pins(judged.folded.demands, group)) judged.pins.push_back(std::move(pin));
  }
  return true;
}

void Judge::first_gate(const objects::Workload& object) {
  JudgedWorkload& workload = result_.workloads.emplace_back();
  workload.name = full_name(object.meta);
  workload.queue = object.queue_name;
  workload.pool = pool_behind(chain_, question_.kueue, object);
  workload.already_admitted = holds(object, "Admitted");
  workload.link = broken_way(chain_, question_.kueue, object, workload.pool);
  GateVerdict& gate = workload.gates[0];
  gate = {GateOutcome::kPasses, "", ""};
  std::map<std::string, std::int64_t, std::less<>> credits;
  for (const objects::PodSet& pod_set : object.pod_sets) {
    JudgedPodSet& judged = workload.pod_sets.emplace_back();
    judged.name = pod_set.name.empty() ? "main" : pod_set.name;
    judged.pods = pod_set.count;
    if (!fold(pod_set, judged, gate, workload.pool)) continue;
    for (const auto& [key, amount] : credits_of(judged.folded.resources)) credits[key] += amount * judged.pods;
  }
  if (gate.outcome == GateOutcome::kRefuses) return;
  for (const auto& [key, amount] : credits) {
    gate.message += fmt::format("{}{} {}", gate.message.empty() ? "" : ", ", canonical(amount), key);
  }
  if (gate.message.empty()) gate.message = "no accelerator is asked for";
}

void Judge::place(JudgedWorkload& workload, const kueue::AdmittedWorkload& admitted) {
  for (const kueue::AdmittedPods& pods : admitted.pod_sets) {
    const auto judged = std::ranges::find(workload.pod_sets, pods.name, &JudgedPodSet::name);
    if (judged == workload.pod_sets.end()) continue;
    if (!pods.flavors.empty()) judged->flavor = pods.flavors.front().second;
    for (const auto& [resource, flavor] : pods.flavors) {
      if (resource.starts_with(kCreditsPrefix)) judged->flavor = flavor;
    }
    judged->pods = pods.count;
    if (!pods.topology || pods.topology->levels.empty() || pods.topology->levels.back() != kHostname) continue;
    for (const objects::TopologyDomain& domain : pods.topology->domains) {
      const auto node = std::ranges::lower_bound(chain_.nodes, domain.values.back(), {}, &NodeFacts::name);
      if (node != chain_.nodes.end() && node->name == domain.values.back()) {
        judged->places.push_back({static_cast<std::uint32_t>(node - chain_.nodes.begin()), domain.count});
      }
    }
  }
}

/// What the queue could give at most, in the unit in which people ask.
std::string quota_of(const JudgedWorkload& workload) {
  if (workload.pool == nullptr || workload.pool->groups.empty()) return "";
  const auto largest = std::ranges::max_element(workload.pool->groups, {}, &FlavorQuota::nominal);
  const bool accelerated = workload.pool->identity.acceleratable();
  return fmt::format("the largest flavor of the queue has {} {} in all",
                     largest->nominal / (accelerated ? kUnitsPerCard : 1), accelerated ? "accelerators" : "cores");
}

/// Kueue's words, and what they leave out: how far the request is from what a flavor could ever give.
void Judge::second_gate(const kueue::AdmissionAnswer& answer) {
  std::unordered_map<std::string_view, const kueue::AdmittedWorkload*> admitted;
  std::unordered_map<std::string_view, const kueue::PendingWorkload*> pending;
  for (const kueue::AdmittedWorkload& workload : answer.admitted) admitted.emplace(workload.workload, &workload);
  for (const kueue::PendingWorkload& workload : answer.pending) pending.emplace(workload.workload, &workload);
  for (JudgedWorkload& workload : result_.workloads) {
    if (workload.gates[0].outcome == GateOutcome::kRefuses) continue;
    GateVerdict& gate = workload.gates[1];
    if (const auto found = admitted.find(workload.name); found != admitted.end()) {
      place(workload, *found->second);
      std::string flavors;
      for (const JudgedPodSet& pod_set : workload.pod_sets) {
        flavors += fmt::format("{}{} on {}", flavors.empty() ? "" : ", ", pod_set.name,
                               pod_set.flavor.empty() ? "no flavor" : pod_set.flavor);
        for (const Placed& placed : pod_set.places) {
          flavors += fmt::format(" {} x{}", chain_.nodes[placed.node].name, placed.pods);
        }
      }
      gate = {GateOutcome::kPasses, flavors, ""};
      continue;
    }
    const auto found = pending.find(workload.name);
    const std::string message = found == pending.end() ? "" : found->second->message;
    gate = {GateOutcome::kHolds, message.empty() ? "waits behind other workloads of its queue" : message, ""};
    gate.fix = workload.link ? workload.link->hint : quota_of(workload);
  }
}

Result<AdmissionResult> Judge::run() {
  for (const objects::Workload& object : question_.kueue.workloads) first_gate(object);
  objects::KueueObjects dump = std::move(question_.kueue);
  const objects::KueueObjects world = kueue_world(question_, std::move(dump), result_.workloads);
  const objects::KueueConfiguration configuration =
      question_.configuration.value_or(operator_configuration(chain_, question_.as_kueue_017));
  Result<kueue::AdmissionAnswer> answer =
      kueue::simulate_admission(world, configuration, question_.start_seconds, question_.events);
  if (!answer) return std::unexpected(std::move(answer.error()));
  second_gate(*answer);
  LateGates late(question_, world);
  std::vector<std::pair<const kueue::AdmittedWorkload*, const objects::Workload*>> reserved;
  std::unordered_map<std::string, const objects::Workload*> objects;
  for (const objects::Workload& object : world.workloads) objects.emplace(full_name(object.meta), &object);
  for (const kueue::AdmittedWorkload& workload : answer->admitted) {
    if (const auto found = objects.find(workload.workload); found != objects.end()) {
      reserved.emplace_back(&workload, found->second);
    }
  }
  std::ranges::stable_sort(reserved, {}, [](const auto& entry) { return entry.first->cycle; });
  for (const auto& [admitted, object] : reserved) {
    const auto judged = std::ranges::lower_bound(result_.workloads, admitted->workload, {}, &JudgedWorkload::name);
    if (judged != result_.workloads.end() && judged->name == admitted->workload) late.judge_workload(*judged, *object);
  }
  result_.answer = *std::move(answer);
  return std::move(result_);
}

}  // namespace

std::string_view gate_name(std::size_t gate) {
  constexpr std::array<std::string_view, kGates> kNames = {"request webhook", "quota and topology",
                                                           "node-devices check", "node keys", "device plugin"};
  return kNames[gate - 1];
}

std::string_view name_of(GateOutcome outcome) {
  constexpr std::array<std::string_view, 5> kNames = {"passes", "refuses", "holds", "not reached", "not asked"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::size_t JudgedWorkload::first_refusal() const {
  for (std::size_t i = 0; i < gates.size(); ++i) {
    if (gates[i].outcome == GateOutcome::kRefuses || gates[i].outcome == GateOutcome::kHolds) return i + 1;
  }
  return 0;
}

Result<AdmissionResult> judge_workloads(AdmissionQuestion question) {
  return Judge(std::move(question)).run();
}

}  // namespace gpusched::chain
