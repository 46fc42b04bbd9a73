#include "chain/admission_gates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/chain/units.hpp"
#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::chain {

namespace {

constexpr std::int64_t kRetrySeconds = 30;

/// Demands that may be merged count together, so that each accelerator is tried once.
void merge_demand(std::vector<CardDemand>& demands, const CardDemand& demand) {
  const auto same = std::ranges::find_if(demands, [&](const CardDemand& other) {
    return other.family == demand.family && other.units == demand.units && other.profile == demand.profile;
  });
  if (same == demands.end()) {
    demands.push_back(demand);
    return;
  }
  same->cards += demand.cards;
  same->distinct = std::max(same->distinct, demand.distinct);
}

/// What of the held demand could be served, for people.
std::string fix_for(const Held& held, std::span<const BudgetCard> cards) {
  const CardDemand& demand = held.demand;
  switch (demand.family) {
    case Family::kExclusive: {
      const auto free = std::ranges::count_if(cards, [](const BudgetCard& b) { return is_free(b.card); });
      return free == 0 ? "free an accelerator entirely, or ask for a slice"
                       : fmt::format("{} whole accelerators can be given now; free {} more", free, demand.cards - free);
    }
    case Family::kShared:
      return held.found == 0 ? "no accelerator grants a share now"
                             : fmt::format("{} shares can be given now", held.found);
    case Family::kSliced: {
      std::int64_t best = 0;
      for (const BudgetCard& b : cards) best = std::max(best, free_slice_units(b.card) - b.use.units);
      return best <= 0 ? "no accelerator takes another slice"
                       : fmt::format("a slice of {} % ({} units) or less fits now", best / kUnitsPerPercent, best);
    }
    case Family::kPartitioned:
      break;
  }
  std::string offers;
  for (const BudgetCard& b : cards) {
    if (b.card.ledger == nullptr) continue;
    for (const objects::ProfileCount& left : b.card.ledger->remaining_profiles) {
      if (left.count > 0 && !(" " + offers + ",").contains(" " + left.name + ",")) {
        offers += (offers.empty() ? "" : ", ") + left.name;
      }
    }
  }
  return offers.empty() ? "put an accelerator into a partitioning mode, or free an instance"
                        : fmt::format("instances of {} still fit", offers);
}

}  // namespace

LateGates::LateGates(const AdmissionQuestion& question, const objects::KueueObjects& world)
    : chain_(*question.chain), world_(world) {
  for (std::size_t i = 0; i < chain_.nodes.size(); ++i) {
    node_index_.emplace(chain_.nodes[i].name, static_cast<std::uint32_t>(i));
  }
  for (const objects::Node& node : world.nodes) objects_.emplace(node.meta.name, &node);
  for (const objects::Pod& pod : world.pods) {
    if (!pod.node_name.empty() && !pod.finished()) pods_[pod.node_name].push_back(&pod);
  }
}

std::vector<BudgetCard>& LateGates::pile(std::uint32_t node, const std::string& key) {
  const auto [entry, added] = piles_.try_emplace({node, key});
  if (added) {
    for (const CardGroup& group : chain_.nodes[node].groups) {
      if (group.key != key) continue;
      for (const Card& card : group.cards) entry->second.push_back({card, {}});
    }
  }
  return entry->second;
}

/// With a topology assignment every node serves the Pods that were placed on it.
std::vector<Held> LateGates::judge_nodes(const JudgedWorkload& workload, std::string& where) {
  std::map<std::uint32_t, std::vector<CardDemand>> by_node;
  for (const JudgedPodSet& pod_set : workload.pod_sets) {
    for (const Placed& placed : pod_set.places) {
      for (const CardDemand& demand : card_demands(pod_set.folded.demands, placed.pods)) {
        merge_demand(by_node[placed.node], demand);
      }
    }
  }
  const std::string& key = workload.pool->identity.accelerator_group;
  std::vector<std::pair<std::uint32_t, std::vector<CardUse>>> before;
  for (const auto& [node, demands] : by_node) {
    std::vector<BudgetCard>& cards = pile(node, key);
    std::vector<CardUse> uses;
    for (const BudgetCard& card : cards) uses.push_back(card.use);
    before.emplace_back(node, std::move(uses));
    std::vector<Held> held = judge(demands, cards);
    if (held.empty()) continue;
    where = chain_.nodes[node].name;
    for (auto& [other, kept] : before) {
      std::vector<BudgetCard>& taken = pile(other, key);
      for (std::size_t i = 0; i < taken.size(); ++i) taken[i].use = std::move(kept[i]);
    }
    return held;
  }
  return {};
}

/// Without one, every node of the flavor is asked: those with the pinned number of accelerators, by name.
std::vector<Held> LateGates::judge_flavors(const JudgedWorkload& workload) {
  std::map<std::string, std::vector<CardDemand>> by_flavor;
  for (const JudgedPodSet& pod_set : workload.pod_sets) {
    for (const CardDemand& demand : card_demands(pod_set.folded.demands, pod_set.pods)) {
      merge_demand(by_flavor[pod_set.flavor], demand);
    }
  }
  for (const auto& [name, demands] : by_flavor) {
    const auto flavor = std::ranges::find(chain_.flavors, name, &Flavor::name);
    if (flavor == chain_.flavors.end()) return {{demands.front(), 0, fmt::format("no flavor is called \"{}\"", name)}};
    std::vector<BudgetCard> cards;
    for (const std::uint32_t node : flavor->members) {
      const std::vector<BudgetCard>& own = pile(node, flavor->key.accelerator_key);
      cards.insert(cards.end(), own.begin(), own.end());
    }
    std::vector<Held> held = judge(demands, cards);
    if (!held.empty()) return held;
    auto next = cards.begin();
    for (const std::uint32_t node : flavor->members) {
      for (BudgetCard& card : pile(node, flavor->key.accelerator_key)) card.use = std::move((next++)->use);
    }
  }
  return {};
}

GateVerdict LateGates::node_devices(const JudgedWorkload& workload) {
  const bool placed = std::ranges::any_of(workload.pod_sets, [](const JudgedPodSet& p) { return !p.places.empty(); });
  std::string where;
  const std::vector<Held> held = placed ? judge_nodes(workload, where) : judge_flavors(workload);
  if (held.empty()) return {GateOutcome::kPasses, "Ready: single accelerators can serve it", ""};
  const std::string& key = workload.pool->identity.accelerator_group;
  std::vector<BudgetCard> cards;
  if (const auto node = node_index_.find(where); node != node_index_.end()) cards = pile(node->second, key);
  if (where.empty()) {
    for (const std::uint32_t index : workload.pool->flavors) {
      for (const std::uint32_t node : chain_.flavors[index].members) {
        const std::vector<BudgetCard>& own = pile(node, key);
        cards.insert(cards.end(), own.begin(), own.end());
      }
    }
  }
  std::string message;
  for (const Held& one : held) message += (message.empty() ? "" : "; ") + one.reason;
  return {GateOutcome::kHolds,
          fmt::format("Retry in {} s{}: {}", kRetrySeconds, where.empty() ? "" : " on " + where, message),
          fix_for(held.front(), cards)};
}

LateGates::Used& LateGates::used_on(std::uint32_t node) {
  const auto [entry, added] = used_.try_emplace(node);
  if (!added) return entry->second;
  const auto pods = pods_.find(chain_.nodes[node].name);
  if (pods == pods_.end()) return entry->second;
  for (const objects::Pod* const pod : pods->second) {
    for (const auto& [key, amount] : objects::pod_requests(*pod)) entry->second[key].add(amount);
  }
  return entry->second;
}

/// request <= allocatable - requests of the Pods there, for each key.
GateVerdict LateGates::node_keys(const JudgedWorkload& workload, const objects::Workload& object) {
  std::map<std::uint32_t, Used> wanted;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    objects::Pod pod;
    pod.spec = object.pod_sets[i].spec;
    objects::ResourceList requests = objects::pod_requests(pod);
    std::erase_if(requests, [](const auto& entry) { return entry.first.starts_with(kCreditsPrefix); });
    for (const Placed& placed : workload.pod_sets[i].places) {
      Used& sum = wanted[placed.node];
      for (std::int64_t pods = 0; pods < placed.pods; ++pods) {
        for (const auto& [key, amount] : requests) sum[key].add(amount);
      }
    }
  }
  if (wanted.empty()) return {GateOutcome::kPasses, "no node is pinned; the scheduler chooses", ""};
  for (const auto& [node, sum] : wanted) {
    const objects::ResourceList& allocatable = objects_.at(chain_.nodes[node].name)->status.allocatable;
    const Used& used = used_on(node);
    for (const auto& [key, amount] : sum) {
      const Quantity* const has = objects::find(allocatable, key);
      Quantity free = has == nullptr ? Quantity() : *has;
      if (const auto taken = used.find(key); taken != used.end()) free.sub(taken->second);
      if (amount <= free) continue;
      return {GateOutcome::kRefuses,
              fmt::format("{}: {} requests {}, {} of {} are free", chain_.nodes[node].name, key, amount.to_string(),
                          free.sign() < 0 ? "0" : free.to_string(), has == nullptr ? "0" : has->to_string()),
              "Kueue has pinned the node; the Pod stays Pending until it has room"};
    }
  }
  for (const auto& [node, sum] : wanted) {
    Used& used = used_on(node);
    for (const auto& [key, amount] : sum) used[key].add(amount);
  }
  return {GateOutcome::kPasses, "every key fits on the assigned nodes", ""};
}

void LateGates::judge_workload(JudgedWorkload& workload, const objects::Workload& object) {
  GateVerdict& third = workload.gates[2];
  GateVerdict& fourth = workload.gates[3];
  GateVerdict& fifth = workload.gates[4];
  const bool accelerated = std::ranges::any_of(
      workload.pod_sets, [](const JudgedPodSet& pod_set) { return !pod_set.folded.demands.empty(); });
  if (workload.already_admitted) {
    third = fourth = fifth = {GateOutcome::kPasses, "already admitted", ""};
    return;
  }
  const bool checked = workload.pool != nullptr &&
                       std::ranges::find(workload.pool->checks, kNodeDevicesCheck) != workload.pool->checks.end();
  GateVerdict devices{GateOutcome::kNotAsked, "asks for no accelerator", ""};
  if (accelerated && workload.pool != nullptr) devices = node_devices(workload);
  third = accelerated && !checked
              ? GateVerdict{GateOutcome::kNotAsked, "the queue does not refer to the check gpustack-node-devices", ""}
              : devices;
  if (third.outcome == GateOutcome::kHolds) return;
  fourth = node_keys(workload, object);
  if (fourth.outcome == GateOutcome::kRefuses) return;
  fifth = devices;
  if (devices.outcome == GateOutcome::kHolds) {
    fifth.outcome = GateOutcome::kRefuses;
    fifth.message = "UnexpectedAdmissionError: " + devices.message.substr(devices.message.find(": ") + 2);
  } else if (devices.outcome == GateOutcome::kPasses) {
    fifth.message = "the device plugin finds the same accelerators";
  }
}

}  // namespace gpusched::chain
