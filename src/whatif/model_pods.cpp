#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_owner.hpp"
#include "gpusched/whatif/moves.hpp"
#include "whatif/model_editor.hpp"
#include "whatif/names.hpp"
#include "whatif/owners.hpp"
#include "whatif/run_edits.hpp"

// Edits of a model that make pods leave, come and go.
namespace gpusched::whatif {

PodFate ModelEditor::move(PodId pod, placement::Placer& placer) {
  const bool claimed = uses_claims(pod);
  cluster_.usage.unbind(pod);
  free_shared_claims();
  return claimed ? left_out(pod) : settle(pod, placer);
}

bool ModelEditor::uses_claims(PodId pod) const {
  return facts(pod).shares_claim || holds_claimed_devices(cluster_.usage, pod);
}

void ModelEditor::free_shared_claims() {
  std::erase_if(cluster_.shared_claims, [&](const SharedClaim& claim) {
    if (std::ranges::any_of(claim.users, [&](PodId user) { return cluster_.usage.node_of(user).valid(); })) {
      return false;
    }
    if (cluster_.usage.node_of(claim.holder).valid()) {
      cluster_.usage.unbind(claim.holder);
    }
    return true;
  });
}

PodFate ModelEditor::left_out(PodId pod) const {
  PodFate fate{name(pod), PodChange::kPending};
  fate.reason = "its devices come from ResourceClaims, which k8s and dra allocate";
  fate.unmanaged = facts(pod).control == PodControl::kNone;
  return fate;
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
  const PodFacts& of_pod = facts(pod);
  if (of_pod.control == PodControl::kStays) {
    return {name(pod), PodChange::kStays};
  }
  if (of_pod.budgets.size() > 1) {
    return {name(pod), PodChange::kForbidden, name(cluster_.usage.node_of(pod)), std::string(kSeveralBudgets)};
  }
  for (const std::uint32_t budget : of_pod.budgets) {
    DisruptionBudget& disruptions = cluster_.budgets[budget];
    if (disruptions.allowed <= 0) {
      return {name(pod), PodChange::kForbidden, name(cluster_.usage.node_of(pod)), budget_text(disruptions.name)};
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
  effect.effect = eviction_text(effect.pods) + idle_text(*nodes);
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
      const bool comes_back = control == PodControl::kUnknown || control == PodControl::kController;
      if (comes_back && uses_claims(pod)) {
        effect.pods.push_back(left_out(pod));
      } else if (comes_back) {
        leaving.push_back(pod);
      } else if (control != PodControl::kPlaceholder) {
        effect.pods.push_back({name(pod), PodChange::kGone});
      }
      cluster_.usage.unbind(pod);
    }
  }
  rebuild(std::move(changed));
  free_shared_claims();
  placement::Placer placer(cluster_.usage, options_);
  for (const PodId pod : leaving) {
    effect.pods.push_back(settle(pod, placer));
  }
  effect.effect = removed_text(effect);
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

void ModelEditor::forget(std::span<const PodId> pods) {
  std::vector<bool> gone(cluster_.usage.pod_count());
  for (const PodId pod : pods) {
    gone[pod.index()] = true;
    if (cluster_.usage.node_of(pod).valid()) {
      cluster_.usage.unbind(pod);
    }
  }
  free_shared_claims();
  const auto is_gone = [&](PodId pod) { return gone[pod.index()]; };
  std::erase_if(cluster_.pods, is_gone);
  std::erase_if(homeless_, is_gone);
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
  }
  forget(found);
  effect.effect =
      effect.nodes.empty() ? "it waited for a place" : fmt::format("it leaves {}", short_list(effect.nodes));
  return effect;
}

std::optional<Result<EditEffect>> ModelEditor::scale_job(const ScaleOwner& edit) {
  const std::string full = edit.namespace_name + "/" + edit.name;
  const auto found = std::ranges::find_if(cluster_.jobs, [&](const Job& job) {
    const std::string_view job_name = shape().text(job.name);
    return job_name == (edit.namespace_name.empty() ? edit.name : full);
  });
  if (found == cluster_.jobs.end() || objects::kind_of_word(edit.kind) != "job") {
    return std::nullopt;
  }
  if (found->pod_sets.size() != 1 || edit.count == 0) {
    return fail("edit-not-of-jobs",
                found->pod_sets.size() == 1 ? std::string("a job has at least one pod")
                                            : fmt::format("{} has {} pod sets", edit.name, found->pod_sets.size()),
                "change the job file");
  }
  const std::int32_t before = std::exchange(found->pod_sets.front().count, edit.count);
  found->min_pods = std::min(found->min_pods, edit.count);
  return EditEffect{{}, fmt::format("{} -> {} pods", before, edit.count), {}};
}

Result<EditEffect> ModelEditor::operator()(const ScaleOwner& edit) {
  if (std::optional<Result<EditEffect>> job = scale_job(edit)) {
    return std::move(*job);
  }
  const OwnerQuery query(edit);
  const std::vector<bool> present = present_pods();
  std::vector<PodId> pods;
  std::vector<std::string> owners;
  std::set<std::string> known;
  NameSet names;
  for (std::size_t i = 0; i < cluster_.usage.pod_count(); ++i) {
    const PodId pod{i};
    if (!present[i]) {
      continue;
    }
    names.insert(name(pod));
    const PodFacts& of_pod = facts(pod);
    const std::string owner =
        of_pod.owner.valid() ? std::string(shape().text(of_pod.owner)) : query.owner_of(name(pod));
    if (query.matches(owner)) {
      pods.push_back(pod);
      if (std::ranges::find(owners, owner) == owners.end()) {
        owners.push_back(owner);
      }
    }
    known.insert(owner);
  }
  if (pods.empty()) {
    return query.unknown(std::vector(known.begin(), known.end()));
  }
  if (owners.size() > 1) {
    return query.ambiguous(owners);
  }
  std::ranges::stable_sort(pods, {}, [&](PodId pod) {
    const StringId since = facts(pod).since;
    return query.age(name(pod), !cluster_.usage.node_of(pod).valid(),
                     since.valid() ? objects::parse_timestamp(shape().text(since)) : std::nullopt);
  });
  const auto wanted = static_cast<std::size_t>(edit.count);
  EditEffect effect{{}, query.scale_text(pods.size(), wanted), {}};
  if (wanted < pods.size()) {
    const std::span<const PodId> going = std::span(pods).subspan(wanted);
    for (const PodId pod : going) {
      const NodeId node = cluster_.usage.node_of(pod);
      effect.pods.push_back({name(pod), PodChange::kGone, node.valid() ? name(node) : std::string()});
    }
    forget(going);
  } else if (wanted > pods.size()) {
    std::vector<std::string> running;
    std::ranges::transform(pods, std::back_inserter(running), [&](PodId pod) { return name(pod); });
    add_pods(pods.back(), new_pod_names(running, query.stem(owners.front()), wanted - pods.size(), names), effect);
  }
  return effect;
}

void ModelEditor::add_pods(PodId like, const std::vector<std::string>& pod_names, EditEffect& effect) {
  ShapeEdit changed(shape());
  std::vector<StringId> names;
  for (const std::string& pod_name : pod_names) {
    names.push_back(changed.builder.text(pod_name));
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
