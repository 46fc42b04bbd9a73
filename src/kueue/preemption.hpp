#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kueue/assignment.hpp"

/// Which Workloads have to go so that another one fits. Source: Kueue v0.17.0, pkg/scheduler/preemption.
namespace gpusched::kueue {

enum class PreemptionReason : std::uint8_t {
  kInClusterQueue,
  kInCohortReclamation,
  kInCohortReclaimWhileBorrowing,
  kInCohortFairSharing,
};
[[nodiscard]] std::string_view reason_name(PreemptionReason reason);   ///< of condition Preempted
[[nodiscard]] std::string_view reason_words(PreemptionReason reason);  ///< in its message

struct Target {
  WorkloadId workload;
  PreemptionReason reason = PreemptionReason::kInClusterQueue;
};

/// A Workload that wants room.
struct Preemptor {
  WorkloadId workload;
  QueueId queue;
  std::vector<Column> contested;  ///< flavor-resources that need preemption
  std::vector<Usage> usage;       ///< what it would use
  TopologyRequests topology;      ///< where it would have to fit
};

/// What preemption could do for one flavor-resource, from worst to best.
enum class Possibility : std::uint8_t { kNoCandidates, kPreempt, kReclaim };

/// Tries removals on the state and takes them back, so that the state is the same after each call.
class PreemptionSearch {
 public:
  PreemptionSearch(State& state, const TopologyPlanner& topologies) : state_(state), topologies_(topologies) {}

  /// The Workloads to evict; none when it cannot be done.
  [[nodiscard]] std::vector<Target> targets(const Preemptor& preemptor);

  struct Outlook {
    Possibility possibility = Possibility::kNoCandidates;
    int borrow = 0;  ///< height of the subtree that holds the amount after the preemptions
  };
  [[nodiscard]] Outlook simulate(WorkloadId workload, QueueId queue, const Usage& usage);

 private:
  friend class ClassicalSearch;
  friend class FairSearch;

  /// Kueue's CandidatesOrdering.
  [[nodiscard]] bool before(WorkloadId a, WorkloadId b, QueueId queue) const;
  [[nodiscard]] bool satisfies(WorkloadId preemptor, WorkloadId candidate, Policy policy) const;
  [[nodiscard]] bool uses(WorkloadId workload, std::span<const Column> columns) const;
  [[nodiscard]] bool fits(const Preemptor& preemptor, bool allow_borrowing) const;
  /// Puts targets back that turned out not to be needed, from the last but one to the first.
  void fill_back(const Preemptor& preemptor, std::vector<Target>& targets, bool allow_borrowing);
  void restore(const std::vector<Target>& targets);

  State& state_;
  const TopologyPlanner& topologies_;
};

/// Without fair sharing.
class ClassicalSearch {
 public:
  ClassicalSearch(PreemptionSearch& search, const Preemptor& preemptor) : search_(search), preemptor_(preemptor) {}
  [[nodiscard]] std::vector<Target> run();

 private:
  enum class Variant : std::uint8_t { kNever, kWithinQueue, kHierarchical, kOnlyWithoutBorrowing, kAlsoBorrowing };
  struct Candidate {
    WorkloadId workload;
    QuotaNode ancestor;  ///< the lowest cohort that holds both; invalid in the own ClusterQueue
    Variant variant = Variant::kNever;
  };

  [[nodiscard]] Variant classify(WorkloadId candidate, bool has_advantage) const;
  void collect();
  void collect_from(QuotaNode queue, QuotaNode ancestor, bool has_advantage, std::vector<Candidate>& list) const;
  void collect_below(QuotaNode cohort, QuotaNode ancestor, QuotaNode done, bool has_advantage,
                     std::vector<Candidate>& list) const;
  [[nodiscard]] bool is_valid(const Candidate& candidate, bool borrow) const;
  [[nodiscard]] bool under_nominal() const;
  [[nodiscard]] std::vector<Target> attempt(bool borrow);

  PreemptionSearch& search_;
  const Preemptor& preemptor_;
  std::vector<Candidate> candidates_;
  bool none_elsewhere_ = true, none_hierarchical_ = true;
};

/// With fair sharing.
[[nodiscard]] std::vector<Target> fair_targets(PreemptionSearch& search, const Preemptor& preemptor);

}  // namespace gpusched::kueue
