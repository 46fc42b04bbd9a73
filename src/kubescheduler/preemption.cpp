#include "kubescheduler/preemption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "gpusched/base/text.hpp"
#include "kubescheduler/fit_error.hpp"
#include "kubescheduler/victims.hpp"

namespace gpusched::kubescheduler {

namespace {

bool terminates_by_preemption(const objects::Pod& pod) {
  const objects::PodCondition* const target = find_condition(pod.status, "DisruptionTarget");
  return pod.meta.deletion_timestamp && target != nullptr && target->status == "True" &&
         target->reason == "PreemptionByScheduler";
}

/// Why the pod may not preempt; "" when it may.
std::string ineligibility(const Cycle& cycle, std::span<const Status> statuses) {
  if (cycle.pod.spec->preemption_policy == "Never") {
    return "not eligible due to preemptionPolicy=Never.";
  }
  const NodeIndex nominated = cycle.snapshot.find_node(cycle.pod.nominated_node_name);
  if (!nominated.valid() || statuses.empty() || statuses[nominated.index()].code != StatusCode::kUnschedulable) {
    return {};
  }
  const auto blocks = [&](PodIndex index) {
    const objects::Pod& pod = *cycle.snapshot.pod(index).object;
    return pod.priority() < cycle.pod.priority() && terminates_by_preemption(pod);
  };
  return std::ranges::any_of(cycle.snapshot.node(nominated).usage.pods, blocks)
             ? "not eligible due to a terminating pod on the nominated node."
             : "";
}

struct Candidate {
  NodeIndex node;
  VictimSelection selection;
};

/// The earliest start among the victims of the highest priority; a victim that has not started is the latest.
objects::Timestamp earliest_start(const Cycle& cycle, const VictimSelection& selection) {
  constexpr objects::Timestamp kNow{std::numeric_limits<std::int64_t>::max(), 0};
  // The victims are sorted so that this is the first one.
  return cycle.snapshot.pod(selection.victims.front()).object->start_time.value_or(kNow);
}

/// Keeps the candidates for which `value` is the smallest.
template <class Value>
void keep_smallest(std::vector<Candidate>& candidates, const Value& value) {
  auto best = value(candidates.front());
  for (const Candidate& candidate : candidates) {
    best = std::min(best, value(candidate));
  }
  std::erase_if(candidates, [&](const Candidate& candidate) { return value(candidate) != best; });
}

void keep_best(const Cycle& cycle, std::vector<Candidate>& candidates) {
  const auto priority = [&](PodIndex index) { return std::int64_t{cycle.snapshot.pod(index).object->priority()}; };
  keep_smallest(candidates, [](const Candidate& c) { return c.selection.violations; });
  keep_smallest(candidates, [&](const Candidate& c) { return priority(c.selection.victims.front()); });
  keep_smallest(candidates, [&](const Candidate& c) {
    constexpr std::int64_t kShift = std::int64_t{1} << 31U;  // makes every priority count as positive
    std::int64_t sum = 0;
    for (const PodIndex victim : c.selection.victims) {
      sum += priority(victim) + kShift;
    }
    return sum;
  });
  keep_smallest(candidates, [](const Candidate& c) { return c.selection.victims.size(); });
  const auto start = [&](const Candidate& c) { return earliest_start(cycle, c.selection); };
  objects::Timestamp latest = start(candidates.front());
  for (const Candidate& candidate : candidates) {
    latest = std::max(latest, start(candidate));
  }
  std::erase_if(candidates, [&](const Candidate& candidate) { return start(candidate) != latest; });
}

std::string aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> distinct;
  for (const std::string& error : errors) {
    if (std::ranges::find(distinct, error) == distinct.end()) {
      distinct.push_back(error);
    }
  }
  return distinct.size() == 1 ? distinct.front() : fmt::format("[{}]", join(distinct, ", "));
}

}  // namespace

PreemptionResult preempt(Cycle& cycle, Filters& filters, std::span<const Status> statuses) {
  constexpr std::string_view kPrefix = "preemption: ";
  PreemptionResult result;
  if (const std::string reason = ineligibility(cycle, statuses); !reason.empty()) {
    result.text = std::string(kPrefix) + reason;
    return result;
  }
  FitError fit_error(cycle.snapshot.nodes().size());
  fit_error.set_absent_reason("Preemption is not helpful for scheduling");
  std::vector<Candidate> candidates;
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].code != StatusCode::kUnschedulable) {
      continue;
    }
    Candidate candidate{NodeIndex(i), select_victims(cycle, filters, NodeIndex(i))};
    if (candidate.selection.status.ok()) {
      candidates.push_back(std::move(candidate));
      continue;
    }
    if (candidate.selection.status.code == StatusCode::kError) {
      errors.push_back(candidate.selection.status.reasons->front());
    }
    fit_error.add(candidate.selection.status);
  }
  if (!candidates.empty()) {
    keep_best(cycle, candidates);
    result.outcome = PreemptionResult::Outcome::kCandidate;
    for (Candidate& candidate : candidates) {
      result.candidates.push_back({cycle.snapshot.node(candidate.node).name(), std::move(candidate.selection.victims)});
    }
    std::ranges::sort(result.candidates, {}, &PreemptionResult::Candidate::node);
  } else if (!errors.empty()) {
    result.outcome = PreemptionResult::Outcome::kError;
    result.text = std::string(kPrefix) + aggregate(errors);
  } else {
    result.text = std::string(kPrefix) + fit_error.message();
  }
  return result;
}

}  // namespace gpusched::kubescheduler
