#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "gpusched/base/text.hpp"
#include "whatif/model_editor.hpp"
#include "whatif/names.hpp"
#include "whatif/owners.hpp"

// Edits of a model that make pods leave, come and go.
namespace gpusched::whatif {

PodFate ModelEditor::move(PodId pod, placement::Placer& placer) {
  cluster_.usage.unbind(pod);
  return settle(pod, placer);
}

PodFate ModelEditor::settle(PodId pod, placement::Placer& placer) {
  PodFate fate{name(pod), PodChange::kMoved};
  fate.unmanaged = facts(pod).control == PodControl::kNone;
  if (const NodeId node = placer.place(pod); node.valid()) {
    fate.node = name(node);
    return fate;
  }
  fate.change = PodChange::kPending;
  const placement::ReasonGroups reasons = placer.reasons(cluster_.usage.pod_class_id(pod));
  fate.reason = placement::fit_error(shape(), cluster_.usage.pod_class(pod), *reasons);
  homeless_.push_back(pod);
  return fate;
}

// As kubectl drain goes on: what is evicted comes back before the next pod of its budget must go, if it finds a place.
PodFate ModelEditor::evict(PodId pod, placement::Placer& placer) {
  const PodFacts of_pod = facts(pod);
  if (of_pod.control == PodControl::kStays) {
    return {name(pod), PodChange::kStays};
  }
  if (of_pod.budgets.size() > 1) {
    return {name(pod), PodChange::kForbidden, name(cluster_.usage.node_of(pod)),
            "several PodDisruptionBudgets cover it, which the eviction API does not support"};
  }
  for (const std::uint32_t budget : of_pod.budgets) {
    DisruptionBudget& disruptions = cluster_.budgets[budget];
    if (disruptions.allowed <= 0) {
      return {name(pod), PodChange::kForbidden, name(cluster_.usage.node_of(pod)),
              fmt::format("the PodDisruptionBudget {} allows no more disruption", disruptions.name)};
    }
    --disruptions.allowed;
  }
  PodFate fate = move(pod, placer);
  for (const std::uint32_t budget : of_pod.budgets) {
    cluster_.budgets[budget].allowed += fate.change == PodChange::kMoved ? 1 : 0;
  }
  return fate;
}

Result<EditEffect> ModelEditor::operator()(const DrainNode& edit) {
  const Result<std::vector<NodeId>> nodes = targets(edit.node);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  EditEffect effect;
  for (const NodeId node : *nodes) {
    cluster_.usage.set_cordoned(node, true);
    effect.nodes.push_back(name(node));
  }
  placement::Placer placer(cluster_.usage, options_);
  for (const NodeId node : *nodes) {
    for (const PodId pod : pods_of(node)) {
      if (facts(pod).control != PodControl::kPlaceholder) {
        effect.pods.push_back(evict(pod, placer));
      }
    }
  }
  effect.effect = eviction_text(effect.pods);
  return effect;
}

Result<EditEffect> ModelEditor::operator()(const RemoveNode& edit) {
  const Result<std::vector<NodeId>> nodes = targets(edit.node);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  EditEffect effect;
  ShapeEdit changed(shape());
  std::vector<PodId> leaving;
  for (const NodeId node : *nodes) {
    changed.gone[node.index()] = true;
    effect.nodes.push_back(name(node));
    for (const PodId pod : pods_of(node)) {
      const PodControl control = facts(pod).control;
      if (control == PodControl::kUnknown || control == PodControl::kController) {
        leaving.push_back(pod);
      } else if (control != PodControl::kPlaceholder) {
        effect.pods.push_back({name(pod), PodChange::kGone});
      }
      cluster_.usage.unbind(pod);
    }
  }
  rebuild(std::move(changed));
  placement::Placer placer(cluster_.usage, options_);
  for (const PodId pod : leaving) {
    effect.pods.push_back(settle(pod, placer));
  }
  effect.effect = fmt::format("{} {}; {}", short_list(effect.nodes), effect.nodes.size() == 1 ? "goes" : "go",
                              eviction_text(effect.pods));
  return effect;
}

std::vector<bool> ModelEditor::present_pods() const {
  std::vector<bool> present(cluster_.usage.pod_count());
  for (std::size_t i = 0; i < present.size(); ++i) {
    present[i] = cluster_.usage.node_of(PodId{i}).valid() && facts(PodId{i}).control != PodControl::kPlaceholder;
  }
  for (const std::span<const PodId> waiting :
       {std::span<const PodId>(cluster_.pods), std::span<const PodId>(homeless_)}) {
    for (const PodId pod : waiting) {
      present[pod.index()] = true;
    }
  }
  return present;
}

void ModelEditor::forget(PodId pod) {
  if (cluster_.usage.node_of(pod).valid()) {
    cluster_.usage.unbind(pod);
  }
  std::erase(cluster_.pods, pod);
  std::erase(homeless_, pod);
}

Result<EditEffect> ModelEditor::operator()(const DeletePod& edit) {
  const std::string tail = "/" + edit.name;
  const std::vector<bool> present = present_pods();
  std::vector<PodId> exact;
  std::vector<PodId> by_name;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < cluster_.usage.pod_count(); ++i) {
    const PodId pod{i};
    const std::string_view pod_name = shape().text(cluster_.usage.pod_name(pod));
    if (pod_name.empty() || !present[i]) {
      continue;
    }
    names.push_back(pod_name);
    if (pod_name == edit.name) {
      exact.push_back(pod);
    } else if (pod_name.ends_with(tail)) {
      by_name.push_back(pod);
    }
  }
  const std::vector<PodId>& found = exact.empty() ? by_name : exact;
  if (found.empty()) {
    return unknown_pod(edit.name, names);
  }
  if (exact.empty() && by_name.size() > 1) {
    return fail("ambiguous-pod", fmt::format("several namespaces have a pod {}", quote(edit.name)),
                fmt::format("name one of them: {}", name(by_name.front())));
  }
  EditEffect effect;
  for (const PodId pod : found) {
    const NodeId node = cluster_.usage.node_of(pod);
    const std::string where = node.valid() ? name(node) : std::string();
    if (node.valid() && std::ranges::find(effect.nodes, where) == effect.nodes.end()) {
      effect.nodes.push_back(where);
    }
    effect.pods.push_back({name(pod), PodChange::kGone, where});
    forget(pod);
  }
  effect.effect =
      effect.nodes.empty() ? "it waited for a place" : fmt::format("it leaves {}", short_list(effect.nodes));
  return effect;
}

namespace {

/// The number behind the last '-', which tells the replicas of a fixture and of a StatefulSet apart; -1 without one.
std::int64_t ordinal(std::string_view name) {
  const std::string_view tail = name.substr(name.rfind('-') + 1);
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), number);
  return error == std::errc() && end == tail.data() + tail.size() && tail.size() < name.size() ? number : -1;
}

}  // namespace

Result<EditEffect> ModelEditor::operator()(const ScaleOwner& edit) {
  const OwnerQuery query(edit);
  const std::vector<bool> present = present_pods();
  std::vector<PodId> pods;
  std::vector<std::string> owners;
  std::set<std::string> names;
  for (std::size_t i = 0; i < cluster_.usage.pod_count(); ++i) {
    const PodId pod{i};
    if (!present[i]) {
      continue;
    }
    const PodFacts of_pod = facts(pod);
    const std::string owner =
        of_pod.owner.valid() ? std::string(shape().text(of_pod.owner)) : query.owner_of(name(pod));
    if (query.matches(owner)) {
      pods.push_back(pod);
      if (std::ranges::find(owners, owner) == owners.end()) {
        owners.push_back(owner);
      }
    }
    names.insert(owner);
  }
  if (pods.empty()) {
    return query.unknown(std::vector(names.begin(), names.end()));
  }
  if (owners.size() > 1) {
    return query.ambiguous(owners);
  }
  // The oldest first: by start, then by number, then as they stand in the input; those that wait are the youngest.
  std::ranges::stable_sort(pods, {}, [&](PodId pod) {
    const StringId since = facts(pod).since;
    return std::tuple(!cluster_.usage.node_of(pod).valid(), since.valid() ? shape().text(since) : std::string_view(),
                      ordinal(name(pod)));
  });
  EditEffect effect;
  const auto wanted = static_cast<std::size_t>(edit.count);
  effect.effect = fmt::format("{} -> {} pods", pods.size(), wanted);
  if (wanted < pods.size()) {
    for (const PodId pod : std::vector<PodId>(pods.begin() + static_cast<std::ptrdiff_t>(wanted), pods.end())) {
      const NodeId node = cluster_.usage.node_of(pod);
      effect.pods.push_back({name(pod), PodChange::kGone, node.valid() ? name(node) : std::string()});
      forget(pod);
    }
    effect.effect += fmt::format(", the youngest {}", wanted + 1 == pods.size() ? "goes" : "go");
  } else if (wanted > pods.size()) {
    std::int64_t last = -1;
    for (const PodId pod : pods) {
      last = std::max(last, ordinal(name(pod)));
    }
    add_pods(pods.back(), static_cast<std::int32_t>(wanted - pods.size()), query.stem(owners.front()), last + 1,
             effect);
    effect.effect += fmt::format(", {} more to place", wanted - pods.size());
  }
  return effect;
}

void ModelEditor::add_pods(PodId like, std::int32_t count, const std::string& stem, std::int64_t first,
                           EditEffect& effect) {
  ShapeEdit changed(shape());
  std::vector<StringId> names;
  for (std::int32_t i = 0; i < count; ++i) {
    names.push_back(changed.builder.text(fmt::format("{}-{}", stem, first + i)));
  }
  const PodClassId pod_class = cluster_.usage.pod_class_id(like);
  PodFacts of_pod = facts(like);
  of_pod.since = {};
  rebuild(std::move(changed));
  cluster_.pod_facts.resize(cluster_.usage.pod_count());
  for (const StringId pod_name : names) {
    const PodId pod = cluster_.usage.add_pod(pod_class, pod_name);
    cluster_.pods.push_back(pod);
    cluster_.pod_facts.push_back(of_pod);
    effect.pods.push_back({name(pod), PodChange::kPending});
  }
}

}  // namespace gpusched::whatif
