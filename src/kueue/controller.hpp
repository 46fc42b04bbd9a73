#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "kueue/journal.hpp"
#include "kueue/state.hpp"

namespace gpusched::kueue {

/// Kueue's Workload controller and queue manager: hears of every write, keeps queues and cache up to date, and writes
/// what follows from it. It also plays the job controller: pods of an evicted Workload are gone at once.
/// Source: Kueue v0.17.0, pkg/controller/core/workload_controller.go, pkg/cache/queue.
class Controller {
 public:
  Controller(State& state, Journal& journal)
      : state_(state),
        journal_(journal),
        touched_flags_(state.workloads.size(), false),
        timer_of_(state.workloads.size()) {}

  /// Hears of all writes and of those that follow. `after_cycle`: the first ones are those of a scheduling cycle.
  void drain(bool after_cycle);
  /// Brings Workloads back that wait in the queues for which something has changed.
  void wake_queues();
  void touch(WorkloadId id);
  void touch_all();

  /// The time of the first timer that is not after `until`, and its Workload.
  [[nodiscard]] std::optional<std::pair<std::int64_t, WorkloadId>> next_timer(std::int64_t until) const;
  void reconcile(WorkloadId id);

  enum class Requeue : std::uint8_t { kGeneric, kNamespaceMismatch, kFailedAfterNomination, kPendingPreemption };
  /// A Workload that the scheduler has tried in vain goes back to its queue.
  void requeue(WorkloadId id, Requeue reason);
  void set_last(WorkloadId id, std::optional<LastAssignment> last);

  /// Whether the Workload's status lists every admission check that it needs.
  [[nodiscard]] bool has_needed_checks(WorkloadId id, const QueueState& queue) const;

  /// A Workload that still needs a second pass gets one after the next back-off; false: it needs none.
  bool queue_second_pass(WorkloadId id, int iteration);
  /// When the next second pass is due.
  [[nodiscard]] std::optional<std::int64_t> next_second_pass() const;
  /// Those that are due, in the order of their numbers, with the number of passes that they had; they leave the list.
  [[nodiscard]] std::vector<std::pair<WorkloadId, int>> take_second_passes();

  void request_wake(QueueId queue) { state_.queues[queue.index()].wake = true; }
  void start_local_queue(LocalQueueId id);
  void stop_local_queue(LocalQueueId id);
  void move_local_queue(LocalQueueId id, QueueId old_queue);

 private:
  void hear(const Change& change);
  void hear_phase(const Change& change);
  /// Its LocalQueue, when the queue manager knows it.
  [[nodiscard]] const LocalQueueState* managed_queue(const WorkloadState& workload) const;
  [[nodiscard]] QueueKey key_of(WorkloadId id) const;
  void enqueue(WorkloadId id);
  void push_or_update(PendingQueue& queue, WorkloadId id);
  void dequeue(WorkloadId id);
  void wake_associated(WorkloadId id);
  void wake_one(QueueId queue);

  // Steps of one reconciliation; each says whether it ends there.
  bool reconcile_step(WorkloadId id);
  bool reconcile_active(WorkloadId id);
  bool requeue_after_backoff(WorkloadId id);
  bool deactivate(WorkloadId id);
  [[nodiscard]] std::set<std::string> needed_checks(const WorkloadState& workload, const QueueState& queue) const;
  bool sync_checks(WorkloadId id, const QueueState& queue);
  bool reconcile_reserved(WorkloadId id, const LocalQueueState* local_queue, const QueueState* queue);
  bool evict_for_checks(WorkloadId id);
  bool follow_local_queue(WorkloadId id, const LocalQueueState* local_queue);
  bool follow_queue(WorkloadId id, const QueueState* queue);
  std::optional<std::int64_t> check_pods_ready(WorkloadId id);
  std::optional<std::int64_t> check_execution_time(WorkloadId id);
  void explain_pending(WorkloadId id, const LocalQueueState* local_queue, const LocalQueueState* managed,
                       const QueueState* queue);
  /// The pods of an evicted Workload are gone: it gives back its quota.
  void release_evicted(WorkloadId id);
  void set_timer(WorkloadId id, std::int64_t at);
  void stop_timer(WorkloadId id);

  State& state_;
  Journal& journal_;
  std::deque<WorkloadId> touched_;
  std::vector<bool> touched_flags_;
  std::set<std::tuple<std::int64_t, std::uint32_t, WorkloadId>> timers_;  // time, rank of the key
  std::vector<std::optional<std::int64_t>> timer_of_;
  struct SecondPass {
    std::int64_t due = 0;
    int iteration = 0;
  };
  std::map<WorkloadId, SecondPass> second_passes_;
};

}  // namespace gpusched::kueue
