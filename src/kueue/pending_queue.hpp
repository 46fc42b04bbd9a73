#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "kueue/digest.hpp"
#include "kueue/workload_state.hpp"

namespace gpusched::kueue {

/// Place of a pending Workload in its queue.
struct QueueKey {
  std::int64_t descending_priority = 0;
  std::int64_t timestamp = 0;
  std::uint32_t uid_rank = 0;
  WorkloadId workload;

  auto operator<=>(const QueueKey&) const = default;
};

/// Where a Workload is; one for each, shared by all queues, as a Workload is in one queue at most.
struct QueueSlot {
  static constexpr std::uint8_t kNowhere = 255;

  std::uint8_t set = kNowhere;
  QueueKey key;
  std::uint64_t digest = 0;  ///< what is to be told apart about it beside its place
};

/// The pending Workloads of one ClusterQueue: those that will be tried (Kueue's heap), and those that wait for a change
/// (inadmissible). Source: Kueue v0.17.0, pkg/cache/queue/cluster_queue.go.
///
/// Waking up all that wait is cheap: the two sets change places, or the smaller one moves.
class PendingQueue {
 public:
  explicit PendingQueue(std::vector<QueueSlot>& slots) : slots_(&slots) {}

  [[nodiscard]] bool has_heads() const { return !sets_[heap_].empty(); }
  [[nodiscard]] bool contains(WorkloadId workload) const { return slot(workload).set != QueueSlot::kNowhere; }
  [[nodiscard]] bool in_heap(WorkloadId workload) const { return slot(workload).set == heap_; }

  void push(const QueueKey& key) { put(key, heap_); }
  /// Waits for a wake-up.
  void wait(const QueueKey& key) { put(key, waiting_); }
  /// Waits for one that finds it eligible.
  void park(const QueueKey& key) { put(key, kParked); }
  void erase(WorkloadId workload);

  /// The first one, which leaves the queue.
  WorkloadId pop();
  /// It comes before all others until it is admitted or deleted.
  void make_sticky(WorkloadId workload) { sticky_ = workload; }
  void forget_sticky(WorkloadId workload);

  /// Everything that waits goes back to the heap; of the parked ones those that are eligible.
  void wake(const std::function<bool(WorkloadId)>& eligible);
  /// Nobody is known to be eligible any more.
  void park_waiting() { move_all(waiting_, kParked); }

  /// Of who is where; equal states have equal values.
  [[nodiscard]] std::uint64_t digest() const;
  void set_digest(WorkloadId workload, std::uint64_t digest);

 private:
  static constexpr std::uint8_t kParked = 2;

  [[nodiscard]] const QueueSlot& slot(WorkloadId workload) const { return (*slots_)[workload.index()]; }
  void put(const QueueKey& key, std::uint8_t set);
  void move_all(std::uint8_t from, std::uint8_t to);

  std::array<std::set<QueueKey>, 3> sets_;
  std::array<std::uint64_t, 3> digests_{};
  std::uint8_t heap_ = 0, waiting_ = 1;
  WorkloadId sticky_;
  std::vector<QueueSlot>* slots_;
};

}  // namespace gpusched::kueue
