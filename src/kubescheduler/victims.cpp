#include "kubescheduler/victims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gpusched::kubescheduler {

namespace {

/// A node from which pods are taken and to which they are given back.
class DryRun {
 public:
  DryRun(const Cycle& cycle, Filters& filters, NodeIndex node)
      : cycle_(cycle), filters_(filters), node_(node), usage_(cycle.snapshot.node(node).usage) {}

  void remove(PodIndex index) {
    const PodState& pod = cycle_.snapshot.pod(index);
    usage_.remove(index, pod);
    changes_.push_back({&pod, -1});
  }
  void give_back(PodIndex index) {
    const PodState& pod = cycle_.snapshot.pod(index);
    usage_.add(index, pod);
    std::erase_if(changes_, [&](const PodChange& change) { return change.pod == &pod; });
  }
  [[nodiscard]] Status run() { return filters_.run(node_, usage_, changes_); }

 private:
  const Cycle& cycle_;
  Filters& filters_;
  NodeIndex node_;
  NodeUsage usage_;
  std::vector<PodChange> changes_;
};

/// Whether evicting the pods in this order breaks a budget, per pod.
std::vector<bool> violations_of(const Cycle& cycle, const std::vector<PodIndex>& pods) {
  const auto& budgets = cycle.snapshot.objects().disruption_budgets;
  std::vector<std::int64_t> allowed;
  for (const objects::PodDisruptionBudget& budget : budgets) {
    allowed.push_back(budget.disruptions_allowed);
  }
  const auto violates = [&](const objects::Pod& pod) {
    if (pod.meta.labels->empty()) {
      return false;
    }
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      const objects::PodDisruptionBudget& budget = budgets[i];
      const bool covers = budget.meta.namespace_name == pod.meta.namespace_name && budget.selector &&
                          !budget.selector->empty() && matches(*budget.selector, pod.meta.labels);
      const bool already = std::ranges::find(budget.disrupted_pods, pod.meta.name) != budget.disrupted_pods.end();
      if (covers && !already && --allowed[i] < 0) {
        return true;
      }
    }
    return false;
  };
  std::vector<bool> violations;
  for (const PodIndex index : pods) {
    violations.push_back(violates(*cycle.snapshot.pod(index).object));
  }
  return violations;
}

}  // namespace

bool more_important(const objects::Pod& a, const objects::Pod& b) {
  if (a.priority() != b.priority()) {
    return a.priority() > b.priority();
  }
  const auto& start_a = a.start_time;
  const auto& start_b = b.start_time;
  return start_a && (!start_b || *start_a < *start_b);
}

VictimSelection select_victims(Cycle& cycle, Filters& filters, NodeIndex node) {
  const auto by_importance = [&](PodIndex a, PodIndex b) {
    return more_important(*cycle.snapshot.pod(a).object, *cycle.snapshot.pod(b).object);
  };
  VictimSelection selection;
  std::vector<PodIndex> candidates;
  if (cycle.snapshot.lowest_priority() < cycle.pod.priority()) {
    std::ranges::copy_if(cycle.snapshot.node(node).usage.pods, std::back_inserter(candidates), [&](PodIndex index) {
      return cycle.snapshot.pod(index).object->priority() < cycle.pod.priority();
    });
  }
  if (candidates.empty()) {
    selection.status = cycle.reasons.unresolvable("No preemption victims found for incoming pod");
    return selection;
  }
  DryRun dry_run(cycle, filters, node);
  for (const PodIndex index : candidates) {
    dry_run.remove(index);
  }
  selection.status = dry_run.run();
  if (!selection.status.ok()) {
    return selection;
  }
  std::ranges::stable_sort(candidates, by_importance);
  const std::vector<bool> violations = violations_of(cycle, candidates);
  const auto reprieve = [&](bool violating) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (violations[i] != violating) {
        continue;
      }
      dry_run.give_back(candidates[i]);
      if (!dry_run.run().ok()) {
        dry_run.remove(candidates[i]);
        selection.victims.push_back(candidates[i]);
        selection.violations += violating ? 1 : 0;
      }
    }
  };
  reprieve(true);
  reprieve(false);
  std::ranges::stable_sort(selection.victims, by_importance);
  if (selection.victims.empty()) {
    selection.status = cycle.reasons.error(
        fmt::format("expected at least one victim pod on node \"{}\"", cycle.snapshot.node(node).name()));
  }
  return selection;
}

}  // namespace gpusched::kubescheduler
