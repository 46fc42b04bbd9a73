#include "gpusched/explain/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "gpusched/objects/pod_owner.hpp"

namespace gpusched::explain {

namespace {

using objects::WorkloadState;
using Key = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name

Key key_of(const WorkloadState& state) {
  return {state.kind, state.meta.namespace_name, state.meta.name};
}

const objects::PodCondition* find_true(const WorkloadState& state, std::string_view type) {
  const auto found = std::ranges::find_if(state.conditions, [&](const objects::PodCondition& condition) {
    return condition.type == type && condition.status == "True";
  });
  return found == state.conditions.end() ? nullptr : &*found;
}

std::string name_text(const WorkloadState& state) {
  return fmt::format("{} {}/{}", state.kind, state.meta.namespace_name, state.meta.name);
}

std::string count_text(const WorkloadState& state) {
  return state.wanted ? fmt::format("{} of {} pods are there: ", state.present.value_or(0), *state.wanted) : "";
}

Finding not_created(const WorkloadState& state, const std::string& message) {
  const bool quota = message.find("exceeded quota") != std::string::npos;
  return {"blocked", quota ? "quota" : "admission",
          fmt::format("{}: {}the API server refuses to create pods, so that there is no pod to explain: {}",
                      name_text(state), count_text(state), message)};
}

void kueue_findings(const WorkloadState& state, std::vector<Finding>& findings) {
  if (state.suspended) {
    findings.push_back({"suspended", "", fmt::format("{}: deactivated (spec.active: false)", name_text(state))});
    return;
  }
  if (find_true(state, "Admitted") != nullptr || find_true(state, "Finished") != nullptr) {
    return;
  }
  const std::string queue = state.queue.empty() ? "" : fmt::format(" in the queue {}", state.queue);
  if (const objects::PodCondition* const evicted = find_true(state, "Evicted")) {
    findings.push_back(
        {"evicted", "", fmt::format("{}{}: {}: {}", name_text(state), queue, evicted->reason, evicted->message)});
  }
  const auto reserved = std::ranges::find(state.conditions, "QuotaReserved", &objects::PodCondition::type);
  if (reserved == state.conditions.end()) {
    findings.push_back(
        {"waiting for quota", "", fmt::format("{}{}: Kueue has not looked at it", name_text(state), queue)});
  } else if (reserved->status == "True") {
    findings.push_back(
        {"waiting for admission", "",
         fmt::format("{}{}: quota is reserved, its admission checks are not done", name_text(state), queue)});
  } else {
    findings.push_back({"waiting for quota", "", fmt::format("{}{}: {}", name_text(state), queue, reserved->message)});
  }
}

/// Why this object's pods are not there; nothing when they are.
void own_findings(const objects::WorkloadStates& states, const WorkloadState& state, std::vector<Finding>& findings) {
  if (state.kind == "Workload") {
    kueue_findings(state, findings);
    return;
  }
  for (const std::string_view type : {"Complete", "Completed", "Failed"}) {
    if (const objects::PodCondition* const end = find_true(state, type)) {
      findings.push_back({"finished", "", fmt::format("{}: {} {}", name_text(state), type, end->message)});
      return;
    }
  }
  if (state.suspended) {
    findings.push_back(
        {"suspended", "",
         fmt::format("{}: spec.suspend is true, its pods are not made{}", name_text(state),
                     state.queue.empty() ? "" : fmt::format(" until Kueue admits it from the queue {}", state.queue))});
    return;
  }
  if (const objects::PodCondition* const failure = find_true(state, "ReplicaFailure")) {
    findings.push_back(not_created(state, failure->message));
    return;
  }
  const bool short_of_pods = !state.wanted || state.present.value_or(0) < *state.wanted;
  const auto refused = std::ranges::find_if(states.events, [&](const objects::WorkloadEvent& event) {
    return event.reason == "FailedCreate" && Key(event.kind, event.namespace_name, event.name) == key_of(state);
  });
  if (short_of_pods && refused != states.events.end()) {
    findings.push_back(not_created(state, refused->message));
  }
}

bool is_owned(const objects::ObjectMeta& meta, const std::set<Key>& owners) {
  return std::ranges::any_of(meta.owner_references, [&](const objects::OwnerReference& owner) {
    return owners.contains({owner.kind, meta.namespace_name, owner.name});
  });
}

/// The workload, whom it stands for when it is Kueue's, and everything below.
std::set<Key> family_of(const objects::WorkloadStates& states, const WorkloadState& asked) {
  std::set<Key> family{key_of(asked)};
  if (asked.kind == "Workload") {
    for (const objects::OwnerReference& owner : asked.meta.owner_references) {
      family.insert({owner.kind, asked.meta.namespace_name, owner.name});
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const WorkloadState& state : states.workloads) {
      grown = (is_owned(state.meta, family) && family.insert(key_of(state)).second) || grown;
    }
  }
  return family;
}

}  // namespace

bool keeps(std::string_view verdict) {
  return verdict != "runs" && verdict != "finished";
}

bool is_kept(const WorkloadAnswer& answer) {
  return std::ranges::any_of(answer.findings, keeps, &Finding::verdict);
}

std::optional<WorkloadAnswer> explain_workload(const objects::WorkloadStates& states,
                                               std::span<const objects::Pod> pods, WorkloadName name) {
  const auto asked = std::ranges::find_if(states.workloads, [&](const WorkloadState& state) {
    return objects::names_kind(name.kind, state.kind) && state.meta.name == name.name &&
           state.meta.namespace_name == name.namespace_name;
  });
  if (asked == states.workloads.end()) {
    return std::nullopt;
  }
  name.kind = asked->kind;
  WorkloadAnswer answer{std::move(name), {}, {}, 0};
  const std::set<Key> family = family_of(states, *asked);
  for (const WorkloadState& state : states.workloads) {
    if (family.contains(key_of(state))) {
      own_findings(states, state, answer.findings);
    }
  }
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!is_owned(pods[i].meta, family) || pods[i].finished()) {
      continue;
    }
    if (pods[i].node_name.empty()) {
      answer.waiting.push_back(i);
    } else {
      ++answer.placed;
    }
  }
  const std::size_t known = answer.waiting.size() + answer.placed;
  if (answer.findings.empty() && asked->wanted && static_cast<std::int64_t>(known) < *asked->wanted) {
    answer.findings.push_back(
        {"pods missing", "",
         fmt::format("{}: wants {} pods, the dump has {}; nothing in the dump says why (its Events "
                     "may: kubectl get events)",
                     name_text(*asked), *asked->wanted, known)});
  }
  if (answer.findings.empty()) {
    answer.findings.push_back(
        answer.waiting.empty()
            ? Finding{"runs", "", fmt::format("{}: {} pods have a node, none waits", name_text(*asked), answer.placed)}
            : Finding{
                  "waiting for pods", "",
                  fmt::format("{}: {} of {} pods wait for a node", name_text(*asked), answer.waiting.size(), known)});
  }
  return answer;
}

std::vector<Finding> find_missing_pods(const objects::WorkloadStates& states) {
  std::vector<Finding> findings;
  for (const WorkloadState& state : states.workloads) {
    std::vector<Finding> own;
    own_findings(states, state, own);
    std::ranges::copy_if(own, std::back_inserter(findings),
                         [](const Finding& finding) { return finding.verdict != "finished"; });
  }
  return findings;
}

}  // namespace gpusched::explain
