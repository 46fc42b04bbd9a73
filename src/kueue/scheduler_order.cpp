#include <algorithm>
#include <tuple>

#include "kueue/scheduler.hpp"

// In which order the entries of a cycle get their turn.
namespace gpusched::kueue {

void Scheduler::sort_entries() {
  if (state_.configuration.fair_sharing) {
    entry_of_queue_.assign(state_.queues.size(), entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].second_pass == 0) {
        entry_of_queue_[entries_[i].queue.index()] = i;
      }
    }
    return;
  }
  const auto key = [&](const Entry& entry) {
    const WorkloadState& workload = state_.workloads[entry.workload.index()];
    const std::int64_t priority = state_.features().priority_sorting_within_cohort ? -workload.priority : 0;
    return std::tuple(entry.second_pass == 0, entry.assignment.borrowing, priority, state_.queue_time(workload));
  };
  if (!std::ranges::is_sorted(entries_, {}, key)) {
    std::ranges::stable_sort(entries_, {}, key);
  }
}

std::size_t Scheduler::next_entry(const std::vector<bool>& done) {
  const auto first = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
  const QuotaNode queue = state_.node(entries_[first].queue);
  if (!state_.configuration.fair_sharing || !state_.tree.has_parent(queue) || entries_[first].second_pass > 0) {
    return first;
  }
  const QuotaNode root = state_.tree.root(queue);
  compute_shares(root, done);
  return run_tournament(root, done);
}

/// Shares of all nodes on the way from each entry's queue to the root, as if the entry was admitted.
void Scheduler::compute_shares(QuotaNode root, const std::vector<bool>& done) {
  shares_.assign(entries_.size(), {});
  for (const QueueId id : state_.tree.tree_queues(root)) {
    const std::size_t index = entry_of_queue_[id.index()];
    if (index == entries_.size() || done[index]) {
      continue;
    }
    const QuotaNode queue = state_.node(id);
    const std::vector<Usage>& usage = entries_[index].assignment.usage;
    state_.tree.add(queue, usage);
    for (QuotaNode node = queue; state_.tree.has_parent(node); node = state_.tree.parent(node)) {
      shares_[index].push_back(state_.tree.fair_share(node));
    }
    state_.tree.remove(queue, usage);
  }
}

/// In every cohort the best entry among its children wins; `entries_.size()` when there is none.
std::size_t Scheduler::run_tournament(QuotaNode cohort, const std::vector<bool>& done) {
  std::size_t best = entries_.size();
  const auto compete = [&](std::size_t index) {
    if (index != entries_.size() && !done[index] && (best == entries_.size() || is_fairer(index, best, cohort))) {
      best = index;
    }
  };
  for (const QuotaNode child : state_.tree.child_cohorts(cohort)) {
    compete(run_tournament(child, done));
  }
  for (const QuotaNode child : state_.tree.child_queues(cohort)) {
    compete(entry_of_queue_[child.index()]);
  }
  return best;
}

bool Scheduler::is_fairer(std::size_t a, std::size_t b, QuotaNode cohort) const {
  // The share of the child of `cohort` through which the entry comes.
  const auto share_of = [&](std::size_t index) -> const FairShare& {
    std::size_t depth = 0;
    QuotaNode node = state_.tree.parent(state_.node(entries_[index].queue));
    for (; node != cohort; node = state_.tree.parent(node)) {
      ++depth;
    }
    return shares_[index][depth];
  };
  const auto borrows_requested = [&](std::size_t index) {
    return std::ranges::any_of(entries_[index].assignment.usage, [&](const Usage& usage) {
      const std::vector<Column>& borrowed = share_of(index).borrowed;
      return usage.amount > 0 && std::ranges::find(borrowed, usage.column) != borrowed.end();
    });
  };
  if (state_.features().fair_sharing_prioritize_non_borrowing) {
    const bool a_borrows = borrows_requested(a);
    if (a_borrows != borrows_requested(b)) {
      return !a_borrows;
    }
  }
  if (const int order = compare(share_of(a), share_of(b)); order != 0) {
    return order < 0;
  }
  const WorkloadState& first = state_.workloads[entries_[a].workload.index()];
  const WorkloadState& second = state_.workloads[entries_[b].workload.index()];
  if (state_.features().priority_sorting_within_cohort && first.priority != second.priority) {
    return first.priority > second.priority;
  }
  return state_.queue_time(first) < state_.queue_time(second);
}

}  // namespace gpusched::kueue
