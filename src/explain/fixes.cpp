#include "explain/fixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "explain/verdict.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_owner.hpp"

namespace gpusched::explain {

using kubescheduler::Prediction;
using kubescheduler::Verdict;

std::string FixSearch::effect_of(const Prediction& prediction) const {
  const std::size_t others = prediction.feasible_nodes.size() - 1;
  return others == 0
             ? fmt::format("schedules on {}", prediction.node)
             : fmt::format("schedules on {} or {} other node{}", prediction.node, others, others == 1 ? "" : "s");
}

/// kube-scheduler looks at a nominated node first, and at no other when it fits.
Prediction FixSearch::predict(objects::Pod pod, const std::string& target) const {
  pod.nominated_node_name = target;
  return kubescheduler::predict(trial_.snapshot(), pod, options_);
}

std::string FixSearch::target_in(const NodeGroup& group) const {
  const Snapshot& snapshot = question_.snapshot;
  return snapshot.nodes().size() > kManyNodes ? snapshot.node(group.nodes.front()).name() : std::string();
}

/// Evicted pods without a controller; "" none, and of pods that end anyway.
std::string FixSearch::pods_not_made_again(const Plan& plan) {
  std::vector<std::string> names;
  for (const whatif::ClusterEdit& edit : plan.cluster) {
    const auto* const evicted = std::get_if<whatif::EvictPod>(&edit);
    if (evicted == nullptr) {
      continue;
    }
    const objects::Pod& pod = *trial_.snapshot().pod(trial_.find_pod(evicted->namespace_name, evicted->name)).object;
    if (!pod.meta.deletion_timestamp && objects::controller_of(pod.meta) == nullptr) {
      names.push_back(fmt::format("{}/{}", evicted->namespace_name, evicted->name));
    }
  }
  constexpr std::size_t kNames = 3;
  return names.size() > kNames ? fmt::format("{} pods", names.size()) : join(names, ", ");
}

bool FixSearch::try_plan(const Plan& plan, std::string change, const std::string& target) {
  if (enough()) {
    return false;
  }
  objects::Pod pod = question_.pod;
  std::vector<std::string> changes;
  for (const whatif::PodEdit& edit : plan.pod) {
    Result<objects::Pod> changed = whatif::apply(edit, std::move(pod));
    if (!changed) {
      return false;
    }
    pod = *std::move(changed);
    changes.push_back(whatif::describe(edit));
  }
  const std::size_t mark = trial_.mark();
  bool possible = true;
  for (const whatif::ClusterEdit& edit : plan.cluster) {
    possible = possible && trial_.apply(edit).has_value();
    changes.push_back(whatif::describe(edit));
  }
  const Prediction prediction = possible ? predict(pod, target) : Prediction();
  const Snapshot& tried = trial_.snapshot();
  const bool has_catch = prediction.verdict == Verdict::kScheduled &&
                         shares_gpus(tried, pod, tried.node(tried.find_node(prediction.node)));
  trial_.revert(mark);
  if (!possible || prediction.verdict != Verdict::kScheduled) {
    return false;
  }
  Fix fix{change.empty() ? join(changes, " and ") : std::move(change), effect_of(prediction), plan};
  if (has_catch) {
    fix.has_catch = true;
    fix.effect += ", on GPUs that pods share";
  }
  if (std::ranges::find(fixes_, fix.change, &Fix::change) == fixes_.end()) {
    fixes_.push_back(std::move(fix));
  }
  return true;
}

void FixSearch::unblock(const NodeGroup& group) {
  for (const Plan& plan : unblocking_plans(question_, group)) {
    if (try_plan(plan, {}, target_in(group))) {
      return;
    }
  }
}

/// Names that nearly match: of a resource, of a label's value; and the name that MIG strategy single uses.
void FixSearch::other_names() {
  for (const Wanted& wanted : question_.survey.wanted) {
    if (!wanted.extended || wanted.largest > 0) {
      continue;
    }
    std::vector<std::string> names{nearest_resource(question_.snapshot, wanted.name), wanted.name + ".shared"};
    if (wanted.name.starts_with("nvidia.com/mig-")) {
      names.emplace_back("nvidia.com/gpu");
    }
    for (const std::string& name : names) {
      if (!name.empty() && question_.snapshot.find_resource(name).valid()) {
        try_plan({{whatif::RenameResource{wanted.name, name}}, {}});
      }
    }
  }
  const bool blocked =
      std::ranges::any_of(question_.survey.groups, [](const NodeGroup& group) { return group.has(Step::kSelector); });
  if (!blocked) {
    return;
  }
  for (const auto& [key, value] : question_.pod.spec->node_selector) {
    if (const std::string near = nearest_label_value(question_, key, value); !near.empty()) {
      try_plan({{whatif::SetNodeSelector{key, near}}, {}});
    }
  }
}

void FixSearch::say_what_does_not_help(const Finding& verdict) {
  const auto say = [&](std::string text) { findings_.push_back({"will not help", "", std::move(text)}); };
  const Survey& survey = question_.survey;
  const int distance = survey.groups.front().distance;
  if (verdict.verdict == "never fits") {
    say("waiting, evicting pods, a higher priority, or more nodes like those that are there");
  } else if ((distance >= 10 || verdict.verdict == "blocked") && !volume_in_use_) {
    say("waiting, evicting pods or a higher priority: no pod is in the way");
  } else if (std::ranges::any_of(survey.groups, [](const NodeGroup& group) {
               return group.distance < 10 && group.has(Step::kDevices);
             })) {
    say("a higher priority: kube-scheduler does not preempt pods for their devices");
  }
  if (question_.pod.spec->preemption_policy == "Never" && distance < 10) {
    say("its priority: preemptionPolicy is Never");
  }
  // A change that opens a node and still leaves the pod outside.
  std::set<std::string> said;
  for (const NodeGroup& group : survey.groups) {
    const bool shut = std::ranges::any_of(group.obstacles, [](const Obstacle& o) { return o.step >= Step::kClaim; });
    const auto short_of =
        std::ranges::find_if(group.obstacles, [](const Obstacle& o) { return o.step < Step::kClaim; });
    if (!shut || short_of == group.obstacles.end() || group.distance >= 1000) {
      continue;
    }
    const std::vector<Plan> plans = unblocking_plans(question_, group);
    if (plans.empty()) {
      continue;
    }
    std::vector<std::string> changes;
    std::ranges::transform(plans.back().pod, std::back_inserter(changes),
                           [](const auto& e) { return whatif::describe(e); });
    std::ranges::transform(plans.back().cluster, std::back_inserter(changes),
                           [](const auto& e) { return whatif::describe(e); });
    const std::string change = join(changes, " and ");
    if (std::ranges::find(fixes_, change, &Fix::change) != fixes_.end()) {
      continue;  // it opens another node
    }
    std::string text = fmt::format("to {} alone: {} on {}", change, obstacle_text(*short_of),
                                   name_list(question_.snapshot, group.nodes));
    if (said.insert(text).second && said.size() <= 3) {
      say(std::move(text));
    }
  }
}

std::vector<Fix> FixSearch::take_fixes() {
  for (Fix& fix : fixes_) {
    if (const std::string lost = pods_not_made_again(fix.plan); !lost.empty()) {
      fix.effect += fmt::format("; nothing makes {} again", lost);
    }
  }
  std::ranges::stable_partition(fixes_, [](const Fix& fix) { return !fix.has_catch; });
  return std::move(fixes_);
}

void FixSearch::search(const Finding& verdict) {
  free_volumes();
  other_names();  // a wrong word is put right before a rule is dropped
  constexpr std::size_t kMaxGroups = 5;
  std::size_t groups = 0;
  for (const NodeGroup& group : question_.survey.groups) {
    // Where something is in use, too, opening the node is not enough.
    const bool only_shut =
        std::ranges::all_of(group.obstacles, [](const Obstacle& o) { return o.step >= Step::kClaim; });
    if (only_shut && !group.obstacles.empty() && ++groups <= kMaxGroups) {
      unblock(group);
    }
  }
  repartition();
  if (only_pods_in_the_way(question_.survey)) {
    wait_for_terminating();
    move_pods();
    evict_pods();
    evict_claims();
    raise_priority();
  }
  lower_request();
  if (only_pods_in_the_way(question_.survey)) {
    add_node();
  }
  say_what_does_not_help(verdict);
}

void FixSearch::avoid_sharing() {
  try_plan({{whatif::RequireNode{{"nvidia.com/gpu.sharing-strategy", "NotIn", {"time-slicing", "mps"}}}}, {}});
}

void FixSearch::search_before_nodes(const Prediction& prediction) {
  if (prediction.verdict == Verdict::kGated) {
    try_plan({{whatif::OpenGates{}}, {}});
  } else if (prediction.verdict == Verdict::kWaiting && prediction.plugin.empty() &&
             !question_.pod.meta.deletion_timestamp) {
    try_plan({{whatif::UseScheduler{}}, {}});
  }
}

}  // namespace gpusched::explain
