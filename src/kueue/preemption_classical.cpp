#include <algorithm>
#include <array>

#include "kueue/preemption.hpp"
#include "kueue/wrapping.hpp"

// Source: Kueue v0.17.0, pkg/scheduler/preemption/classical, and preemption.go: classicalPreemptions.
namespace gpusched::kueue {

ClassicalSearch::Variant ClassicalSearch::classify(WorkloadId candidate, bool has_advantage) const {
  const State& state = search_.state_;
  const QueueState& queue = state.queues[preemptor_.queue.index()];
  const WorkloadState& workload = state.workloads[candidate.index()];
  const bool own = workload.cached_in == preemptor_.queue;
  if (!search_.uses(candidate, preemptor_.contested) ||
      !search_.satisfies(preemptor_.workload, candidate, own ? queue.within : queue.reclaim)) {
    return Variant::kNever;
  }
  if (own) {
    return Variant::kWithinQueue;
  }
  if (has_advantage) {
    return Variant::kHierarchical;
  }
  const bool too_important = workload.priority >= state.workloads[preemptor_.workload.index()].priority ||
                             (queue.priority_threshold && workload.priority > *queue.priority_threshold);
  return !queue.borrow_while_preempting || too_important ? Variant::kOnlyWithoutBorrowing : Variant::kAlsoBorrowing;
}

void ClassicalSearch::collect_from(QuotaNode queue, QuotaNode ancestor, bool has_advantage,
                                   std::vector<Candidate>& list) const {
  for (const WorkloadId id : search_.state_.queues[queue.index()].cached) {
    if (const Variant variant = classify(id, has_advantage); variant != Variant::kNever) {
      list.push_back({id, ancestor, variant});
    }
  }
}

/// Subtrees within their quota, and the one that was looked at before, are left out.
void ClassicalSearch::collect_below(QuotaNode cohort, QuotaNode ancestor, QuotaNode done, bool has_advantage,
                                    std::vector<Candidate>& list) const {
  const QuotaTree& tree = search_.state_.tree;
  for (const QuotaNode child : tree.child_cohorts(cohort)) {
    if (child != done && !tree.within_quota(child, preemptor_.contested)) {
      collect_below(child, ancestor, done, has_advantage, list);
    }
  }
  for (const QuotaNode child : tree.child_queues(cohort)) {
    if (child.index() != preemptor_.queue.index() && !tree.within_quota(child, preemptor_.contested)) {
      collect_from(child, ancestor, has_advantage, list);
    }
  }
}

void ClassicalSearch::collect() {
  const State& state = search_.state_;
  const QuotaTree& tree = state.tree;
  const QueueState& queue = state.queues[preemptor_.queue.index()];
  std::array<std::vector<Candidate>, 3> lists;  // hierarchical, by priority, of the own queue
  const QuotaNode own = state.node(preemptor_.queue);
  if (queue.within != Policy::kNever) {
    collect_from(own, QuotaNode(), false, lists[2]);
  }
  if (queue.reclaim != Policy::kNever) {
    bool has_advantage = false;
    std::vector<Usage> remaining = preemptor_.usage;
    QuotaNode before;
    for (QuotaNode node = own; node.valid(); node = tree.parent(node)) {
      if (node != own) {
        collect_below(node, node, before, has_advantage, lists[has_advantage ? 0 : 1]);
        before = node;
      }
      bool fits = true;
      for (Usage& usage : remaining) {
        fits &= !tree.borrows_with(node, usage.column, usage.amount);
        usage.amount = std::max<std::int64_t>(0, wrap_sub(usage.amount, tree.local_available(node, usage.column)));
      }
      has_advantage |= fits;
    }
  }
  none_hierarchical_ = lists[0].empty();
  none_elsewhere_ = lists[0].empty() && lists[1].empty();
  for (std::vector<Candidate>& list : lists) {
    std::ranges::sort(list, [&](const Candidate& a, const Candidate& b) {
      return search_.before(a.workload, b.workload, preemptor_.queue);
    });
  }
  for (const bool evicted : {true, false}) {
    for (const std::vector<Candidate>& list : lists) {
      std::ranges::copy_if(list, std::back_inserter(candidates_), [&](const Candidate& candidate) {
        return state.workloads[candidate.workload.index()].is(ConditionType::kEvicted) == evicted;
      });
    }
  }
}

bool ClassicalSearch::is_valid(const Candidate& candidate, bool borrow) const {
  if (!candidate.ancestor.valid()) {
    return true;
  }
  if (borrow && candidate.variant == Variant::kOnlyWithoutBorrowing) {
    return false;
  }
  const State& state = search_.state_;
  QuotaNode node = state.node(state.workloads[candidate.workload.index()].cached_in);
  for (; node.valid() && node != candidate.ancestor; node = state.tree.parent(node)) {
    if (state.tree.within_quota(node, preemptor_.contested)) {
      return false;
    }
  }
  return true;
}

bool ClassicalSearch::under_nominal() const {
  const State& state = search_.state_;
  const QuotaNode node = state.node(preemptor_.queue);
  return std::ranges::all_of(preemptor_.contested, [&](Column column) {
    return state.tree.usage(node, column) < state.tree.quota(node, column).nominal;
  });
}

std::vector<Target> ClassicalSearch::attempt(bool borrow) {
  const auto reason_of = [](Variant variant) {
    switch (variant) {
      case Variant::kWithinQueue:
        return PreemptionReason::kInClusterQueue;
      case Variant::kAlsoBorrowing:
        return PreemptionReason::kInCohortReclaimWhileBorrowing;
      default:
        return PreemptionReason::kInCohortReclamation;
    }
  };
  std::vector<Target> targets;
  for (const Candidate& candidate : candidates_) {
    if (!is_valid(candidate, borrow)) {
      continue;
    }
    search_.state_.remove_usage(search_.state_.workloads[candidate.workload.index()]);
    targets.push_back({candidate.workload, reason_of(candidate.variant)});
    if (search_.fits(preemptor_, borrow)) {
      search_.fill_back(preemptor_, targets, borrow);
      search_.restore(targets);
      return targets;
    }
  }
  search_.restore(targets);
  return {};
}

std::vector<Target> ClassicalSearch::run() {
  collect();
  if (candidates_.empty()) {
    return {};
  }
  const bool forbidden = !search_.state_.queues[preemptor_.queue.index()].borrow_while_preempting;
  std::vector<bool> attempts = {true, false};
  if (none_elsewhere_ || (forbidden && !under_nominal())) {
    attempts = {true};
  } else if (forbidden && none_hierarchical_) {
    attempts = {false, true};
  }
  for (const bool borrow : attempts) {
    if (std::vector<Target> targets = attempt(borrow); !targets.empty()) {
      return targets;
    }
  }
  return {};
}

}  // namespace gpusched::kueue
