#include "kueue/preemption.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace gpusched::kueue {

std::string_view reason_name(PreemptionReason reason) {
  static constexpr std::array<std::string_view, 4> kNames = {"InClusterQueue", "InCohortReclamation",
                                                             "InCohortReclaimWhileBorrowing", "InCohortFairSharing"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string_view reason_words(PreemptionReason reason) {
  static constexpr std::array<std::string_view, 4> kWords = {
      "prioritization in the ClusterQueue", "reclamation within the cohort",
      "reclamation within the cohort while borrowing", "Fair Sharing within the cohort"};
  return kWords[static_cast<std::size_t>(reason)];
}

std::vector<Target> PreemptionSearch::targets(const Preemptor& preemptor) {
  const QueueState& queue = state_.queues[preemptor.queue.index()];
  const bool elsewhere = queue.reclaim != Policy::kNever && state_.tree.has_parent(state_.node(preemptor.queue));
  if (queue.within == Policy::kNever && !elsewhere) {
    return {};
  }
  if (state_.configuration.fair_sharing) {
    return fair_targets(*this, preemptor);
  }
  return ClassicalSearch(*this, preemptor).run();
}

PreemptionSearch::Outlook PreemptionSearch::simulate(WorkloadId workload, QueueId queue, const Usage& usage) {
  const std::vector<Target> found = targets({workload, queue, {usage.column}, {usage}, {}});
  const QuotaNode node = state_.node(queue);
  if (found.empty()) {
    return {Possibility::kNoCandidates, state_.tree.lowest_fit(node, usage.column, usage.amount).height};
  }
  for (const Target& target : found) {
    state_.remove_usage(state_.workloads[target.workload.index()]);
  }
  const int borrow = state_.tree.lowest_fit(node, usage.column, usage.amount).height;
  restore(found);
  const bool own = std::ranges::any_of(
      found, [&](const Target& target) { return state_.workloads[target.workload.index()].cached_in == queue; });
  return {own ? Possibility::kPreempt : Possibility::kReclaim, borrow};
}

bool PreemptionSearch::before(WorkloadId a, WorkloadId b, QueueId queue) const {
  const auto key = [&](WorkloadId id) {
    const WorkloadState& workload = state_.workloads[id.index()];
    const ConditionState& reserved = workload.condition(ConditionType::kQuotaReserved);
    const std::int64_t since = reserved.is_true ? reserved.since : state_.now;
    return std::tuple(!workload.is(ConditionType::kEvicted), workload.cached_in == queue, workload.priority, -since,
                      workload.uid_rank, id);
  };
  return key(a) < key(b);
}

bool PreemptionSearch::satisfies(WorkloadId preemptor, WorkloadId candidate, Policy policy) const {
  constexpr std::int64_t kBuffer = 5 * 60 * 1000;
  const WorkloadState& a = state_.workloads[preemptor.index()];
  const WorkloadState& b = state_.workloads[candidate.index()];
  const bool lower = a.priority > b.priority;
  switch (policy) {
    case Policy::kNever:
      return false;
    case Policy::kLowerPriority:
      return lower;
    case Policy::kLowerOrNewerEqualPriority: {
      const std::int64_t newer_by = state_.queue_time(b) - state_.queue_time(a);
      const std::int64_t least = state_.features().scheduler_timestamp_preemption_buffer ? kBuffer : 0;
      return lower || (a.priority == b.priority && newer_by > least);
    }
    case Policy::kAny:
      return true;
  }
  return false;
}

bool PreemptionSearch::uses(WorkloadId workload, std::span<const Column> columns) const {
  const std::vector<Column>& used = state_.workloads[workload.index()].columns;
  return std::ranges::any_of(columns, [&](Column column) { return std::ranges::binary_search(used, column); });
}

bool PreemptionSearch::fits(const Preemptor& preemptor, bool allow_borrowing) const {
  const QuotaNode node = state_.node(preemptor.queue);
  for (const Usage& usage : preemptor.usage) {
    if (!allow_borrowing && state_.tree.borrows_with(node, usage.column, usage.amount)) {
      return false;
    }
    if (usage.amount > std::max<std::int64_t>(0, state_.tree.available(node, usage.column))) {
      return false;
    }
  }
  return preemptor.topology.empty() || !topologies_.place(preemptor.topology, false).failure;
}

void PreemptionSearch::fill_back(const Preemptor& preemptor, std::vector<Target>& targets, bool allow_borrowing) {
  for (std::size_t i = targets.size() - 1; i-- > 0;) {
    const WorkloadState& workload = state_.workloads[targets[i].workload.index()];
    state_.add_usage(workload);
    if (fits(preemptor, allow_borrowing)) {
      targets[i] = targets.back();
      targets.pop_back();
    } else {
      state_.remove_usage(workload);
    }
  }
}

void PreemptionSearch::restore(const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    state_.add_usage(state_.workloads[target.workload.index()]);
  }
}

}  // namespace gpusched::kueue
