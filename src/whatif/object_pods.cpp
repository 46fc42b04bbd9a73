#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/disruption.hpp"
#include "gpusched/objects/pod_owner.hpp"
#include "whatif/names.hpp"
#include "whatif/object_editor.hpp"
#include "whatif/owners.hpp"
#include "whatif/pod_claims.hpp"
#include "whatif/run_edits.hpp"

// Edits of objects that make pods leave, come and go.
namespace gpusched::whatif {

std::string full_name(const objects::Pod& pod) {
  return fmt::format("{}/{}", pod.meta.namespace_name, pod.meta.name);
}

namespace {

/// The pod as its controller would make it again. It keeps the names of the claims that are made from templates.
objects::Pod made_again(const objects::Pod& pod) {
  objects::Pod again = pod;
  again.node_name.clear();
  again.status = {};
  again.phase = "Pending";
  again.status.edit().resource_claim_statuses = pod.status->resource_claim_statuses;
  again.meta.deletion_timestamp.reset();
  return again;
}

/// Writes what the scheduler would write into the claims of a pod.
void allocate_claims(const objects::Pod& pod, const kubescheduler::Prediction& prediction,
                     std::vector<objects::ResourceClaim>& claims) {
  for (const kubescheduler::ClaimAllocation& written : prediction.claims) {
    auto claim = std::ranges::find_if(claims, [&](const objects::ResourceClaim& known) {
      return known.name == written.claim && known.namespace_name == written.namespace_name;
    });
    if (claim == claims.end()) {
      objects::ResourceClaim made;
      made.name = written.claim;
      made.namespace_name = written.namespace_name;
      made.owner_kind = "Pod";
      made.owner_uid = pod.meta.uid;
      made.for_extended_resources = true;
      claims.push_back(std::move(made));
      claim = claims.end() - 1;
    }
    claim->allocation = written.allocation;
    claim->reserved_for.push_back({"", "pods", pod.meta.name, pod.meta.uid});
  }
}

/// The first sentence: what follows is about preemption, which a drain does not wait for.
std::string reason_of(const kubescheduler::Prediction& prediction) {
  return prediction.message.empty()
             ? prediction.plugin_message.empty() ? std::string(name_of(prediction.verdict)) : prediction.plugin_message
             : prediction.message.substr(0, prediction.message.find(" preemption:"));
}

}  // namespace

ObjectEditor::Permission ObjectEditor::ask_budgets(const objects::Pod& pod) const {
  Permission permission;
  const auto& budgets = edited_.cluster.disruption_budgets;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    if (objects::covers(budgets[i], pod.meta.namespace_name, pod.meta.labels)) {
      permission.budgets.push_back(i);
    }
  }
  if (permission.budgets.size() > 1) {
    permission.refusal = kSeveralBudgets;
  } else if (!permission.budgets.empty() && allowed_[permission.budgets.front()] <= 0) {
    const objects::ObjectMeta& budget = budgets[permission.budgets.front()].meta;
    permission.refusal = budget_text(fmt::format("{}/{}", budget.namespace_name, budget.name));
  }
  return permission;
}

void ObjectEditor::move(const std::vector<std::size_t>& pods, bool through_api, EditEffect& effect) {
  using kubescheduler::PodIndex;
  if (pods.empty()) {
    return;
  }
  kubescheduler::Snapshot snapshot(cluster(), options_.predict.rules.requests);
  kubescheduler::PredictOptions predict_options = options_.predict;
  predict_options.node_answers = false;
  std::vector<PodIndex> index_of(cluster().pods.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < index_of.size(); ++i) {
    if (!cluster().pods[i].finished()) {
      index_of[i] = PodIndex(next++);
    }
  }
  // The snapshot looks at the claims themselves, and finds them by their place: what is spent goes at the end.
  std::vector<objects::ResourceClaim>& claims = cluster().resource_claims;
  snapshot.replace_claims({std::shared_ptr<const void>(), &claims});
  std::vector<std::size_t> spent;
  for (const std::size_t i : pods) {
    objects::Pod& pod = cluster().pods[i];
    PodFate fate{full_name(pod), PodChange::kMoved};
    Permission permission;
    if (through_api) {
      permission = ask_budgets(pod);
      if (!permission.refusal.empty()) {
        effect.pods.push_back({fate.pod, PodChange::kForbidden, pod.node_name, permission.refusal});
        continue;
      }
      for (const std::size_t budget : permission.budgets) {
        --allowed_[budget];
      }
    }
    fate.unmanaged = objects::controller_of(pod.meta) == nullptr;
    if (snapshot.pod(index_of[i]).node.valid()) {
      snapshot.unbind(index_of[i]);
    }
    ClaimUsers leaving;
    leaving.insert(pod);
    for (std::size_t c = 0; c < claims.size(); ++c) {
      free_claim(claims[c], leaving);
      if (is_spent(claims[c], leaving)) {
        claims[c].owner_uid.clear();  // nobody finds it any more
        spent.push_back(c);
      }
    }
    objects::Pod again = made_again(pod);
    const kubescheduler::Prediction prediction = kubescheduler::predict(snapshot, again, predict_options);
    if (prediction.verdict == kubescheduler::Verdict::kScheduled) {
      fate.node = prediction.node;
      snapshot.bind(index_of[i], snapshot.find_node(prediction.node));
      allocate_claims(pod, prediction, claims);
      pod.node_name = prediction.node;
      for (const std::size_t budget : permission.budgets) {
        ++allowed_[budget];
      }
    } else {
      fate.change = PodChange::kPending;
      fate.reason = reason_of(prediction);
      edited_.pending.emplace_back(pod.meta.namespace_name, pod.meta.name);
      pod = std::move(again);
    }
    effect.pods.push_back(std::move(fate));
  }
  std::ranges::sort(spent, std::greater());
  for (const std::size_t c : spent) {
    claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

Result<EditEffect> ObjectEditor::operator()(const DrainNode& edit) {
  const Result<std::vector<std::size_t>> nodes = targets(edit.node);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  EditEffect effect;
  for (const std::size_t index : *nodes) {
    objects::Node& node = cluster().nodes[index];
    change_node(edit, node);
    effect.nodes.push_back(node.meta.name);
    edited_.cordoned.push_back(node.meta.name);
  }
  std::vector<std::size_t> leaving;
  std::vector<PodFate> staying;
  for (const std::size_t index : pods_on(effect.nodes)) {
    const objects::Pod& pod = cluster().pods[index];
    if (stays_on_drain(pod)) {
      staying.push_back({full_name(pod), PodChange::kStays, pod.node_name});
    } else {
      leaving.push_back(index);
    }
  }
  move(leaving, true, effect);
  std::ranges::move(staying, std::back_inserter(effect.pods));
  effect.effect = eviction_text(effect.pods);
  return effect;
}

Result<EditEffect> ObjectEditor::operator()(const RemoveNode& edit) {
  const Result<std::vector<std::size_t>> nodes = targets(edit.node);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  EditEffect effect;
  for (const std::size_t index : *nodes) {
    effect.nodes.push_back(cluster().nodes[index].meta.name);
  }
  const std::set<std::string_view> names(effect.nodes.begin(), effect.nodes.end());
  std::vector<std::size_t> going;
  std::vector<std::pair<std::string, std::string>> leaving;
  for (const std::size_t index : pods_on(effect.nodes)) {
    const objects::Pod& pod = cluster().pods[index];
    if (stays_on_drain(pod) || objects::controller_of(pod.meta) == nullptr) {
      effect.pods.push_back({full_name(pod), PodChange::kGone, pod.node_name});
      going.push_back(index);
    } else {
      leaving.emplace_back(pod.meta.namespace_name, pod.meta.name);
    }
  }
  std::erase_if(cluster().nodes, [&](const objects::Node& node) { return names.contains(node.meta.name); });
  std::erase_if(cluster().csi_nodes, [&](const objects::CsiNode& node) { return names.contains(node.meta.name); });
  std::erase_if(cluster().resource_slices, [&](const objects::ResourceSlice& slice) {
    return slice.spec.node_name && names.contains(*slice.spec.node_name);
  });
  remove_pods(going);
  const std::set<std::pair<std::string, std::string>> to_move(leaving.begin(), leaving.end());
  std::vector<std::size_t> pods;
  for (std::size_t i = 0; i < cluster().pods.size(); ++i) {
    if (to_move.contains({cluster().pods[i].meta.namespace_name, cluster().pods[i].meta.name})) {
      pods.push_back(i);
    }
  }
  move(pods, false, effect);
  effect.effect = removed_text(effect);
  return effect;
}

void ObjectEditor::remove_pods(std::span<const std::size_t> pods) {
  std::vector<objects::Pod>& all = cluster().pods;
  std::vector<bool> gone(all.size());
  ClaimUsers leaving;
  for (const std::size_t index : pods) {
    gone[index] = true;
    leaving.insert(all[index]);
  }
  for (objects::ResourceClaim& claim : cluster().resource_claims) {
    free_claim(claim, leaving);
  }
  std::erase_if(cluster().resource_claims, [&](const objects::ResourceClaim& claim) {
    return is_spent(claim, leaving) || (claim.owner_kind == "Pod" && leaving.uids.contains(claim.owner_uid));
  });
  std::erase_if(edited_.pending, [&](const auto& pod) { return leaving.names.contains({pod.first, pod.second}); });
  std::erase_if(all, [&](const objects::Pod& pod) { return gone[static_cast<std::size_t>(&pod - all.data())]; });
}

Result<EditEffect> ObjectEditor::operator()(const DeletePod& edit) {
  std::vector<std::size_t> found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < cluster().pods.size(); ++i) {
    const objects::Pod& pod = cluster().pods[i];
    if (pod.finished()) {
      continue;
    }
    names.push_back(edit.name.find('/') == std::string::npos ? pod.meta.name : full_name(pod));
    if (names.back() == edit.name) {
      found.push_back(i);
    }
  }
  if (found.empty()) {
    return unknown_pod(edit.name, std::vector<std::string_view>(names.begin(), names.end()));
  }
  if (found.size() > 1) {
    return fail("ambiguous-pod", fmt::format("several namespaces have a pod {}", quote(edit.name)),
                fmt::format("name one of them: {}", full_name(cluster().pods[found.front()])));
  }
  const objects::Pod& pod = cluster().pods[found.front()];
  const std::string node = pod.node_name;
  EditEffect effect{{}, node.empty() ? "it waited for a place" : fmt::format("it leaves {}", node), {}};
  if (!node.empty()) {
    effect.nodes.push_back(node);
  }
  effect.pods.push_back({full_name(pod), PodChange::kGone, node});
  remove_pods(found);
  return effect;
}

namespace {

/// A new pod of the same controller, with claims of its own where its templates make them.
objects::Pod copy_of(const objects::Pod& pod, const std::string& name, std::vector<objects::ResourceClaim>& claims) {
  objects::Pod copy = made_again(pod);
  copy.meta.name = name;
  copy.meta.uid = fmt::format("{}/{}", pod.meta.namespace_name, name);
  copy.meta.creation_timestamp.reset();
  for (objects::PodResourceClaimStatus& status : copy.status.edit().resource_claim_statuses) {
    if (!status.claim_name) {
      continue;
    }
    const auto made = std::ranges::find_if(claims, [&](const objects::ResourceClaim& claim) {
      return claim.name == *status.claim_name && claim.namespace_name == pod.meta.namespace_name;
    });
    if (made != claims.end()) {
      objects::ResourceClaim claim = *made;
      claim.name = fmt::format("{}-{}", name, status.name);
      claim.uid.clear();
      claim.owner_uid = copy.meta.uid;
      claim.allocation.reset();
      claim.reserved_for.clear();
      status.claim_name = claim.name;
      claims.push_back(std::move(claim));
    }
  }
  return copy;
}

}  // namespace

Result<EditEffect> ObjectEditor::operator()(const ScaleOwner& edit) {
  const OwnerQuery query(edit);
  std::vector<std::size_t> pods;
  std::set<std::string> owners;
  std::set<std::string> known;
  for (std::size_t i = 0; i < cluster().pods.size(); ++i) {
    const objects::Pod& pod = cluster().pods[i];
    if (pod.finished()) {
      continue;
    }
    const objects::OwnerReference* const controller = objects::controller_of(pod.meta);
    std::string owner = query.owner_of(full_name(pod));
    if (controller != nullptr) {
      const objects::PodOwner maker = objects::pod_owner(controller->kind, controller->name, pod.meta.labels);
      owner = fmt::format("{}/{}/{}", pod.meta.namespace_name, maker.kind, maker.name);
    }
    if (query.matches(owner)) {
      pods.push_back(i);
      owners.insert(owner);
    }
    known.insert(std::move(owner));
  }
  if (pods.empty()) {
    return query.unknown(std::vector(known.begin(), known.end()));
  }
  if (owners.size() > 1) {
    return query.ambiguous(std::vector(owners.begin(), owners.end()));
  }
  std::ranges::stable_sort(pods, {}, [&](std::size_t i) {
    const objects::Pod& pod = cluster().pods[i];
    return query.age(pod.meta.name, pod.node_name.empty(),
                     pod.start_time ? pod.start_time : pod.meta.creation_timestamp);
  });
  const auto wanted = static_cast<std::size_t>(edit.count);
  EditEffect effect{{}, query.scale_text(pods.size(), wanted), {}};
  if (wanted < pods.size()) {
    std::vector<std::size_t> going(pods.begin() + static_cast<std::ptrdiff_t>(wanted), pods.end());
    for (const std::size_t index : going) {
      effect.pods.push_back({full_name(cluster().pods[index]), PodChange::kGone, cluster().pods[index].node_name});
    }
    remove_pods(going);
  } else if (wanted > pods.size()) {
    const objects::Pod like = cluster().pods[pods.back()];
    std::vector<std::string> running;
    std::ranges::transform(pods, std::back_inserter(running),
                           [&](std::size_t i) { return cluster().pods[i].meta.name; });
    NameSet taken;
    for (const objects::Pod& pod : cluster().pods) {
      if (pod.meta.namespace_name == like.meta.namespace_name) {
        taken.insert(pod.meta.name);
      }
    }
    for (const std::string& name : new_pod_names(running, edit.name, wanted - pods.size(), taken)) {
      objects::Pod copy = copy_of(like, name, cluster().resource_claims);
      edited_.pending.emplace_back(copy.meta.namespace_name, name);
      effect.pods.push_back({full_name(copy), PodChange::kPending});
      cluster().pods.push_back(std::move(copy));
    }
  }
  return effect;
}

}  // namespace gpusched::whatif
