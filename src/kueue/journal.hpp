#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/kueue/admission.hpp"
#include "kueue/state.hpp"

namespace gpusched::kueue {

/// A write to a Workload, as its watchers hear of it.
struct Change {
  WorkloadId workload;
  bool created = false;
  Phase before = Phase::kPending, after = Phase::kPending;
  bool active = true;
};

/// Writes to Workloads: each becomes an event, and the evictions among them are kept for the answer.
class Journal {
 public:
  explicit Journal(State& state) : state_(state), digests_(state.workloads.size(), 0) {}

  void create(WorkloadId id);
  /// `edit(WorkloadState&)` says whether it changed anything; that is returned.
  template <class Edit>
  bool write(WorkloadId id, Edit&& edit) {
    WorkloadState& workload = state_.workloads[id.index()];
    const Phase before = workload.phase();
    const bool was_evicted = workload.is(ConditionType::kEvicted);
    if (!edit(workload)) {
      return false;
    }
    record(id, before, was_evicted);
    return true;
  }

  [[nodiscard]] bool empty() const { return changes_.empty(); }
  Change take();
  /// Writes of one cycle come from several threads: they are heard in the order of the names.
  void sort_by_key();

  [[nodiscard]] const std::vector<Eviction>& evictions() const { return evictions_; }
  [[nodiscard]] std::vector<AdmissionTransition> take_transitions() { return std::exchange(transitions_, {}); }
  /// Of all conditions; equal states have equal values.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }

 private:
  void record(WorkloadId id, Phase before, bool was_evicted);

  State& state_;
  std::deque<Change> changes_;
  std::vector<Eviction> evictions_;
  std::vector<AdmissionTransition> transitions_;
  std::vector<std::uint64_t> digests_;  // by workload
  std::uint64_t digest_ = 0;
};

}  // namespace gpusched::kueue
