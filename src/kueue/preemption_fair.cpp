#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "kueue/preemption.hpp"

// Source: Kueue v0.17.0, pkg/scheduler/preemption/fairsharing, and preemption.go: fairPreemptions.
namespace gpusched::kueue {

namespace {

using Strategies = std::vector<objects::FairStrategy>;

/// Hands out the ClusterQueues from which the next Workload should be taken: always the child with the largest share.
class TargetOrder {
 public:
  using Before = std::function<bool(WorkloadId, WorkloadId)>;

  TargetOrder(const State& state, QueueId preemptor, const std::vector<WorkloadId>& candidates, Before before)
      : state_(state), tree_(state.tree), own_(state.node(preemptor)), before_(std::move(before)) {
    for (QuotaNode node = tree_.parent(own_); node.valid(); node = tree_.parent(node)) {
      ancestors_.insert(node);
    }
    for (const WorkloadId candidate : candidates) {
      candidates_[state.node(state.workloads[candidate.index()].cached_in)].push_back(candidate);
    }
    for (auto& [queue, list] : candidates_) {
      std::ranges::reverse(list);  // the first one is taken from the end
    }
  }

  /// Invalid when there is none any more.
  QuotaNode next() {
    if (!tree_.has_parent(own_)) {
      return has_workload(own_) ? own_ : QuotaNode();
    }
    const QuotaNode root = tree_.root(own_);
    while (!pruned_.contains(root)) {
      if (const QuotaNode queue = next_below(root); queue.valid()) {
        return queue;
      }
    }
    return {};
  }

  [[nodiscard]] bool has_workload(QuotaNode queue) const {
    const auto found = candidates_.find(queue);
    return found != candidates_.end() && !found->second.empty();
  }
  WorkloadId pop(QuotaNode queue) {
    std::vector<WorkloadId>& list = candidates_.at(queue);
    const WorkloadId first = list.back();
    list.pop_back();
    return first;
  }
  void drop(QuotaNode queue) { pruned_.insert(queue); }

  struct Shares {
    QuotaNode preemptor, target;  ///< the children of the lowest common cohort
  };
  [[nodiscard]] Shares nodes_to_compare(QuotaNode queue) const {
    QuotaNode common = tree_.parent(queue);
    Shares shares{own_, queue};
    while (!ancestors_.contains(common)) {
      shares.target = common;
      common = tree_.parent(common);
    }
    while (tree_.parent(shares.preemptor) != common) {
      shares.preemptor = tree_.parent(shares.preemptor);
    }
    return shares;
  }

 private:
  QuotaNode next_below(QuotaNode cohort);

  const State& state_;
  const QuotaTree& tree_;
  QuotaNode own_;
  Before before_;
  std::set<QuotaNode> ancestors_, pruned_;
  std::map<QuotaNode, std::vector<WorkloadId>> candidates_;
};

QuotaNode TargetOrder::next_below(QuotaNode cohort) {
  QuotaNode best_queue;
  FairShare best_queue_share = FairShare::below_all();
  for (const QuotaNode queue : tree_.child_queues(cohort)) {
    if (pruned_.contains(queue)) {
      continue;
    }
    FairShare share = tree_.fair_share(queue);
    if ((!share.borrowing && queue != own_) || !has_workload(queue)) {
      pruned_.insert(queue);
      continue;
    }
    const int order = compare(share, best_queue_share);
    if (order > 0 || (order == 0 && before_(candidates_.at(queue).back(), candidates_.at(best_queue).back()))) {
      best_queue = queue;
      best_queue_share = std::move(share);
    }
  }
  QuotaNode best_cohort;
  FairShare best_cohort_share = FairShare::below_all();
  for (const QuotaNode child : tree_.child_cohorts(cohort)) {
    if (pruned_.contains(child)) {
      continue;
    }
    FairShare share = tree_.fair_share(child);
    if (!share.borrowing && !ancestors_.contains(child)) {
      pruned_.insert(child);
    } else if (compare(share, best_cohort_share) >= 0) {
      best_cohort = child;
      best_cohort_share = std::move(share);
    }
  }
  if (!best_queue.valid() && !best_cohort.valid()) {
    pruned_.insert(cohort);
    return {};
  }
  if (best_cohort.valid() && compare(best_cohort_share, best_queue_share) >= 0) {
    return next_below(best_cohort);
  }
  return best_queue;
}

}  // namespace

class FairSearch {
 public:
  FairSearch(PreemptionSearch& search, const Preemptor& preemptor)
      : search_(search),
        state_(search.state_),
        tree_(state_.tree),
        preemptor_(preemptor),
        own_(state_.node(preemptor.queue)) {}

  std::vector<Target> run();

 private:
  [[nodiscard]] std::vector<WorkloadId> candidates() const;
  [[nodiscard]] TargetOrder order(const std::vector<WorkloadId>& candidates) const {
    return {state_, preemptor_.queue, candidates,
            [this](WorkloadId a, WorkloadId b) { return search_.before(a, b, preemptor_.queue); }};
  }
  /// Takes the Workload; whether the preemptor fits now.
  bool take(WorkloadId workload, PreemptionReason reason);
  bool run_first(objects::FairStrategy strategy, const std::vector<WorkloadId>& candidates);
  bool run_second();
  [[nodiscard]] FairShare share_without(QuotaNode node, WorkloadId workload);

  PreemptionSearch& search_;
  State& state_;
  QuotaTree& tree_;
  const Preemptor& preemptor_;
  QuotaNode own_;
  std::vector<Target> targets_;
  std::vector<WorkloadId> rejected_;
};

std::vector<WorkloadId> FairSearch::candidates() const {
  const QueueState& queue = state_.queues[preemptor_.queue.index()];
  std::vector<WorkloadId> found;
  const auto collect = [&](QuotaNode node, Policy policy) {
    for (const WorkloadId id : state_.queues[node.index()].cached) {
      if (search_.satisfies(preemptor_.workload, id, policy) && search_.uses(id, preemptor_.contested)) {
        found.push_back(id);
      }
    }
  };
  if (queue.within != Policy::kNever) {
    collect(own_, queue.within);
  }
  if (tree_.has_parent(own_) && queue.reclaim != Policy::kNever) {
    for (const QueueId id : tree_.tree_queues(own_)) {
      const QuotaNode node = state_.node(id);
      if (node != own_ && state_.visible(state_.queues[id.index()]) &&
          !tree_.within_quota(node, preemptor_.contested)) {
        collect(node, queue.reclaim);
      }
    }
  }
  std::ranges::sort(found, [&](WorkloadId a, WorkloadId b) { return search_.before(a, b, preemptor_.queue); });
  return found;
}

bool FairSearch::take(WorkloadId workload, PreemptionReason reason) {
  state_.remove_usage(state_.workloads[workload.index()]);
  targets_.push_back({workload, reason});
  tree_.remove(own_, preemptor_.usage);
  const bool fits = search_.fits(preemptor_, true);
  tree_.add(own_, preemptor_.usage);
  return fits;
}

FairShare FairSearch::share_without(QuotaNode node, WorkloadId workload) {
  const WorkloadState& removed = state_.workloads[workload.index()];
  const QuotaNode queue = state_.node(removed.cached_in);
  tree_.remove(queue, removed.usage);
  FairShare share = tree_.fair_share(node);
  tree_.add(queue, removed.usage);
  return share;
}

bool FairSearch::run_first(objects::FairStrategy strategy, const std::vector<WorkloadId>& candidates) {
  TargetOrder targets = order(candidates);
  const bool within_nominal =
      state_.features().fair_sharing_preempt_within_nominal && tree_.within_quota(own_, preemptor_.contested);
  for (QuotaNode queue = targets.next(); queue.valid(); queue = targets.next()) {
    if (queue == own_ || within_nominal) {
      const auto reason = queue == own_ ? PreemptionReason::kInClusterQueue : PreemptionReason::kInCohortReclamation;
      if (take(targets.pop(queue), reason)) {
        return true;
      }
      continue;
    }
    const TargetOrder::Shares nodes = targets.nodes_to_compare(queue);
    const FairShare preemptor_share = tree_.fair_share(nodes.preemptor);
    const FairShare target_share = tree_.fair_share(nodes.target);
    while (targets.has_workload(queue)) {
      const WorkloadId candidate = targets.pop(queue);
      const bool allowed = strategy == objects::FairStrategy::kLessThanInitialShare
                               ? compare(preemptor_share, target_share) < 0
                               : compare(preemptor_share, share_without(nodes.target, candidate)) <= 0;
      if (!allowed) {
        rejected_.push_back(candidate);
        continue;
      }
      if (take(candidate, PreemptionReason::kInCohortFairSharing)) {
        return true;
      }
      break;  // shares have changed: choose the queue anew
    }
  }
  return false;
}

bool FairSearch::run_second() {
  TargetOrder targets = order(rejected_);
  for (QuotaNode queue = targets.next(); queue.valid(); queue = targets.next()) {
    const TargetOrder::Shares nodes = targets.nodes_to_compare(queue);
    if (compare(tree_.fair_share(nodes.preemptor), tree_.fair_share(nodes.target)) < 0 &&
        take(targets.pop(queue), PreemptionReason::kInCohortFairSharing)) {
      return true;
    }
    targets.drop(queue);
  }
  return false;
}

std::vector<Target> FairSearch::run() {
  const std::vector<WorkloadId> found = candidates();
  if (found.empty()) {
    return {};
  }
  Strategies strategies = state_.configuration.fair_sharing->strategies;
  if (strategies.empty()) {
    strategies = {objects::FairStrategy::kLessThanOrEqualToFinalShare, objects::FairStrategy::kLessThanInitialShare};
  }
  tree_.add(own_, preemptor_.usage);  // shares are those with the new Workload
  bool fits = run_first(strategies.front(), found);
  if (!fits && strategies.size() > 1) {
    fits = run_second();
  }
  tree_.remove(own_, preemptor_.usage);
  if (!fits) {
    search_.restore(targets_);
    return {};
  }
  search_.fill_back(preemptor_, targets_, true);
  search_.restore(targets_);
  return std::move(targets_);
}

std::vector<Target> fair_targets(PreemptionSearch& search, const Preemptor& preemptor) {
  return FairSearch(search, preemptor).run();
}

}  // namespace gpusched::kueue
