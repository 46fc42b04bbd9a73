#include "kueue/journal.hpp"

#include <algorithm>

namespace gpusched::kueue {

void Journal::create(WorkloadId id) {
  WorkloadState& workload = state_.workloads[id.index()];
  workload.exists = true;
  record(id, workload.phase(), false);
  changes_.back().created = true;
}

Change Journal::take() {
  const Change first = changes_.front();
  changes_.pop_front();
  return first;
}

void Journal::sort_by_key() {
  const auto key = [&](const Change& change) { return state_.workloads[change.workload.index()].key_rank; };
  if (!std::ranges::is_sorted(changes_, {}, key)) {
    std::ranges::stable_sort(changes_, {}, key);
  }
}

void Journal::record(WorkloadId id, Phase before, bool was_evicted) {
  WorkloadState& workload = state_.workloads[id.index()];
  changes_.push_back({id, false, before, workload.phase(), workload.active});
  const ConditionState& evicted = workload.condition(ConditionType::kEvicted);
  if (evicted.is_true && !was_evicted) {
    const ConditionState& preempted = workload.condition(ConditionType::kPreempted);
    evictions_.push_back({workload.key, state_.cycle, evicted.reason, evicted.message,
                          preempted.is_true ? preempted.reason : std::string()});
  }
  if (before < Phase::kReserved && workload.phase() >= Phase::kReserved) {
    workload.admitted_cycle = state_.cycle;
  }
  const Phase after = workload.phase();
  if (after != before && after != Phase::kFinished && !workload.is(ConditionType::kFinished)) {
    using Kind = AdmissionTransition::Kind;
    const Kind kind = after == Phase::kPending    ? Kind::kReleased
                      : after == Phase::kReserved ? Kind::kReserved
                                                  : Kind::kAdmitted;
    transitions_.push_back({id.index(), kind, state_.now});
  }
  std::uint64_t digest = id.index();
  for (const ConditionState& condition : workload.conditions) {
    const std::uint64_t flags = (condition.present ? 1U : 0U) | (condition.is_true ? 2U : 0U);
    digest = spread(digest ^ flags) + condition.digest;
  }
  digest_ += digest - digests_[id.index()];
  digests_[id.index()] = digest;
}

}  // namespace gpusched::kueue
