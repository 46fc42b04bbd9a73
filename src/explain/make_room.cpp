#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "explain/amounts.hpp"
#include "explain/evictions.hpp"
#include "explain/fixes.hpp"
#include "gpusched/base/text.hpp"

// Fixes where only pods are in the way: waiting, asking for less, moving, evicting, more nodes.
namespace gpusched::explain {

using kubescheduler::Prediction;
using kubescheduler::Verdict;

void FixSearch::wait_for_terminating() {
  Plan plan;
  std::vector<std::string> names;
  for (const PodIndex index : question_.facts.terminating) {
    const NodeIndex node = question_.snapshot.pod(index).node;
    const bool in_the_way = std::ranges::any_of(question_.survey.groups, [&](const NodeGroup& group) {
      return group.distance < 10 && std::ranges::binary_search(group.nodes, node);
    });
    if (in_the_way) {
      const objects::ObjectMeta& meta = question_.snapshot.pod(index).object->meta;
      plan.cluster.emplace_back(whatif::EvictPod{meta.namespace_name, meta.name});
      names.push_back(meta.namespace_name + "/" + meta.name);
    }
  }
  if (plan.cluster.empty()) {
    return;
  }
  constexpr std::size_t kNames = 3;
  std::string list = join(std::span(names).first(std::min(names.size(), kNames)), ", ");
  if (names.size() > kNames) {
    list += fmt::format(" and {} more", names.size() - kNames);
  }
  try_plan(plan, fmt::format("wait until {} {} gone, {} terminating", list, names.size() == 1 ? "is" : "are",
                             names.size() == 1 ? "it is" : "they are"));
}

/// To what is free on the freest of the nodes where nothing but resources is in the way.
void FixSearch::lower_request() {
  if (question_.survey.wanted.empty()) {
    return;
  }
  const ResourceIndex main = question_.survey.wanted.front().index;
  std::optional<NodeIndex> freest;
  std::int64_t most = 0;
  for (const NodeGroup& group : question_.survey.groups) {
    const bool only_resources = std::ranges::all_of(group.obstacles, [](const Obstacle& obstacle) {
      return obstacle.step == Step::kBusy || obstacle.step == Step::kTooSmall;
    });
    for (std::size_t i = 0; only_resources && i < group.nodes.size(); ++i) {
      const std::int64_t free = free_of(question_.snapshot.node(group.nodes[i]), main);
      if (!freest || free > most) {
        freest = group.nodes[i];
        most = free;
      }
    }
  }
  if (!freest) {
    return;
  }
  Plan plan;
  for (const Wanted& wanted : question_.survey.wanted) {
    const std::int64_t free = free_of(question_.snapshot.node(*freest), wanted.index);
    if (free >= wanted.amount) {
      continue;
    }
    if (free <= 0) {
      return;
    }
    plan.pod.emplace_back(whatif::LowerRequest{wanted.name, rounded_down(wanted.name, free)});
  }
  if (!plan.pod.empty()) {
    try_plan(plan, {}, question_.snapshot.nodes().size() > kManyNodes ? question_.snapshot.node(*freest).name() : "");
  }
}

/// So that no other large block is broken up. Looks at a few nodes only, the fullest that have room; a pod with GPUs of
/// its own is not moved to shared ones.
NodeIndex FixSearch::fullest_that_takes(const objects::Pod& pod, NodeIndex from) const {
  constexpr std::size_t kMaxTries = 16;
  const Snapshot& snapshot = trial_.snapshot();
  const kubescheduler::PodState state = snapshot.make_pod_state(pod);
  const ResourceIndex main = question_.survey.wanted.front().index;
  // As things stood before the moves: what they changed is asked of the trial.
  const auto& nodes = question_.facts.by_free(question_.snapshot, main);
  const auto has_room = [&](NodeIndex node) {
    return node != from && std::ranges::all_of(state.requests, [&](const kubescheduler::ResourceAmount& request) {
             return request.amount <= free_of(snapshot.node(node), request.resource);
           });
  };
  std::size_t tries = 0;
  for (auto entry = std::ranges::lower_bound(nodes, std::pair(amount_of(state, main), NodeIndex(0)));
       entry != nodes.end() && tries < kMaxTries; ++entry) {
    if (!has_room(entry->second)) {
      continue;
    }
    ++tries;
    const std::string& name = snapshot.node(entry->second).name();
    const Prediction prediction = predict(pod, name);
    const auto shares = [&](NodeIndex node) { return shares_gpus(snapshot, pod, snapshot.node(node)); };
    if (prediction.verdict == Verdict::kScheduled && prediction.node == name &&
        (!shares(entry->second) || shares(from))) {
      return entry->second;
    }
  }
  return {};
}

bool FixSearch::relocate(const std::vector<PodIndex>& pods, NodeIndex from, std::vector<whatif::ClusterEdit>& moves) {
  for (const PodIndex index : pods) {
    trial_.evict(index);
  }
  for (const PodIndex index : pods) {
    objects::Pod pod = *trial_.snapshot().pod(index).object;
    pod.node_name.clear();
    const NodeIndex target = fullest_that_takes(pod, from);
    if (!target.valid()) {
      return false;
    }
    trial_.move(index, target);
    moves.emplace_back(whatif::MovePod{pod.meta.namespace_name, pod.meta.name, trial_.snapshot().node(target).name()});
  }
  return true;
}

const std::vector<Eviction>& FixSearch::evictions() {
  constexpr std::size_t kNodes = 3;
  if (!evictions_) {
    evictions_ = smallest_evictions(question_, kNodes);
  }
  return *evictions_;
}

void FixSearch::move_pods() {
  constexpr std::size_t kMaxMoves = 8;
  for (const Eviction& eviction : evictions()) {
    if (eviction.pods.size() > kMaxMoves) {
      return;
    }
    std::vector<whatif::ClusterEdit> moves;
    const std::size_t mark = trial_.mark();
    const bool placed = relocate(eviction.pods, eviction.node, moves);
    trial_.revert(mark);
    if (placed && try_plan({{}, std::move(moves)}, {}, question_.snapshot.node(eviction.node).name())) {
      return;
    }
  }
}

void FixSearch::evict_pods() {
  constexpr std::size_t kNamed = 8;
  for (const Eviction& eviction : evictions()) {
    Plan plan;
    std::vector<std::string> names;
    for (const PodIndex index : eviction.pods) {
      const objects::ObjectMeta& meta = question_.snapshot.pod(index).object->meta;
      plan.cluster.emplace_back(whatif::EvictPod{meta.namespace_name, meta.name});
      names.push_back(meta.namespace_name + "/" + meta.name);
    }
    std::string list = join(std::span(names).first(std::min(names.size(), kNamed)), ", ");
    if (names.size() > kNamed) {
      list +=
          fmt::format(" and {} more pods of {}", names.size() - kNamed, question_.snapshot.node(eviction.node).name());
    }
    if (try_plan(plan, "evict " + list, question_.snapshot.node(eviction.node).name())) {
      return;
    }
  }
}

/// Pods whose claims hold devices, one at a time.
void FixSearch::evict_claims() {
  constexpr std::size_t kMaxTries = 16;
  const bool devices = std::ranges::any_of(question_.survey.groups, [](const NodeGroup& group) {
    return group.obstacles.size() == 1 && group.has(Step::kDevices);
  });
  if (!devices) {
    return;
  }
  std::size_t tries = 0;
  for (const objects::ResourceClaim& claim : question_.snapshot.resource_claims()) {
    if (!claim.allocation || claim.reserved_for.size() != 1 || ++tries > kMaxTries) {
      continue;
    }
    if (try_plan({{}, {whatif::EvictPod{claim.namespace_name, claim.reserved_for.front().name}}})) {
      return;
    }
  }
}

/// A ReadWriteOncePod volume is one pod's at a time: whoever uses it is in the way, on whatever node.
void FixSearch::free_volumes() {
  const kubescheduler::Snapshot& snapshot = question_.snapshot;
  const std::string& name_space = question_.pod.meta.namespace_name;
  std::set<std::string_view> exclusive;
  for (const objects::Volume& volume : question_.pod.spec->volumes) {
    if (volume.persistent_volume_claim) {
      const std::string& name = volume.persistent_volume_claim->claim_name;
      const auto* const claim = snapshot.find_volume_claim(name_space, name);
      if (claim != nullptr && std::ranges::find(claim->access_modes, "ReadWriteOncePod") != claim->access_modes.end()) {
        exclusive.insert(name);
      }
    }
  }
  if (exclusive.empty()) {
    return;
  }
  Plan plan;
  for (const kubescheduler::PodState& state : snapshot.pods()) {
    const objects::Pod& pod = *state.object;
    if (!state.node.valid() || pod.meta.namespace_name != name_space) {
      continue;
    }
    for (const objects::Volume& volume : pod.spec->volumes) {
      if (volume.persistent_volume_claim && exclusive.contains(volume.persistent_volume_claim->claim_name)) {
        findings_.push_back({"held by", "",
                             fmt::format("pod {}/{}: PersistentVolumeClaim {} (ReadWriteOncePod)", name_space,
                                         pod.meta.name, volume.persistent_volume_claim->claim_name)});
        plan.cluster.push_back(whatif::EvictPod{name_space, pod.meta.name});
        break;
      }
    }
  }
  if (!plan.cluster.empty()) {
    volume_in_use_ = true;
    try_plan(plan);
  }
}

/// The lowest PriorityClass with which preemption makes room; its victims are evicted for the test.
void FixSearch::raise_priority() {
  const bool many_nodes = question_.snapshot.nodes().size() > kManyNodes;  // each trial evicts on every node
  if (question_.pod.spec->preemption_policy == "Never" || enough() || many_nodes) {
    return;
  }
  std::vector<const objects::PriorityClass*> classes;
  for (const objects::PriorityClass& priority : question_.snapshot.objects().priority_classes) {
    if (priority.value > question_.pod.priority() && !priority.meta.name.starts_with("system-")) {
      classes.push_back(&priority);
    }
  }
  std::ranges::stable_sort(classes, {}, [](const auto* priority) { return priority->value; });
  for (const objects::PriorityClass* const priority : classes) {
    const whatif::UsePriority edit{priority->meta.name, priority->value};
    const Prediction prediction = predict(*whatif::apply(edit, question_.pod));
    if (prediction.nominated_node.empty()) {
      continue;
    }
    Plan plan{{edit}, {}};
    for (const std::string& victim : prediction.victims) {
      const std::size_t slash = victim.find('/');
      plan.cluster.emplace_back(whatif::EvictPod{victim.substr(0, slash), victim.substr(slash + 1)});
    }
    const std::size_t before = fixes_.size();
    if (try_plan(plan, whatif::describe(edit)) && fixes_.size() > before) {
      fixes_.back().effect += fmt::format(", where kube-scheduler evicts {}", join(prediction.victims, ", "));
      return;
    }
  }
}

/// Like one of the nodes where only pods are in the way: the smallest that does.
void FixSearch::add_node() {
  constexpr std::size_t kMaxTries = 3;
  const auto wanted = std::ranges::find(question_.survey.wanted, true, &Wanted::extended);
  std::map<std::array<std::int64_t, 3>, NodeIndex> sizes;
  for (const NodeGroup& group : question_.survey.groups) {
    for (std::size_t i = 0; group.distance < 10 && !group.obstacles.empty() && i < group.nodes.size(); ++i) {
      const NodeState& node = question_.snapshot.node(group.nodes[i]);
      const std::int64_t devices = wanted == question_.survey.wanted.end() ? 0 : node.allocatable_of(wanted->index);
      sizes.try_emplace(
          {devices, node.allocatable_of(kubescheduler::kCpu), node.allocatable_of(kubescheduler::kMemory)},
          group.nodes[i]);
    }
  }
  std::size_t tries = 0;
  for (const auto& [size, index] : sizes) {
    const objects::Node& node = *question_.snapshot.node(index).object;
    if (++tries > kMaxTries ||
        try_plan({{}, {whatif::AddNodes{node.meta.name, 1}}}, {}, whatif::new_node_like(node, 1).meta.name)) {
      return;
    }
  }
}

}  // namespace gpusched::explain
