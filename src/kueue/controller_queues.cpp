#include <algorithm>
#include <utility>

#include "kueue/controller.hpp"

// What the controller does with queues and cache.
namespace gpusched::kueue {

void Controller::drain(bool after_cycle) {
  if (after_cycle) {
    journal_.sort_by_key();
  }
  while (!journal_.empty() || !touched_.empty()) {
    if (!journal_.empty()) {
      const Change change = journal_.take();
      hear(change);
      touch(change.workload);
      continue;
    }
    const WorkloadId id = touched_.front();
    touched_.pop_front();
    touched_flags_[id.index()] = false;
    reconcile(id);
  }
}

void Controller::touch(WorkloadId id) {
  if (!touched_flags_[id.index()]) {
    touched_flags_[id.index()] = true;
    touched_.push_back(id);
  }
}

void Controller::touch_all() {
  std::vector<WorkloadId> all;
  for (std::size_t i = 0; i < state_.workloads.size(); ++i) {
    if (state_.workloads[i].exists) {
      all.emplace_back(i);
    }
  }
  std::ranges::sort(all, {}, [&](WorkloadId id) { return state_.workloads[id.index()].name_rank; });
  std::ranges::for_each(all, [&](WorkloadId id) { touch(id); });
}

void Controller::hear(const Change& change) {
  hear_phase(change);
  queue_second_pass(change.workload, 0);
}

// Source: Kueue v0.17.0, pkg/cache/queue/second_pass_queue.go.
bool Controller::queue_second_pass(WorkloadId id, int iteration) {
  constexpr std::int64_t kMostSeconds = 30;
  constexpr int kDoublings = 5;
  if (!state_.workloads[id.index()].needs_second_pass()) {
    if (iteration > 0) {
      second_passes_.erase(id);
    }
    return false;
  }
  const std::int64_t delay = std::min(std::int64_t{1} << std::min(iteration, kDoublings), kMostSeconds);
  second_passes_.try_emplace(id, SecondPass{state_.now + delay, iteration + 1});
  return true;
}

std::optional<std::int64_t> Controller::next_second_pass() const {
  std::optional<std::int64_t> next;
  for (const auto& [id, pass] : second_passes_) {
    next = std::min(next.value_or(pass.due), pass.due);
  }
  return next;
}

std::vector<std::pair<WorkloadId, int>> Controller::take_second_passes() {
  std::vector<std::pair<WorkloadId, int>> due;
  for (auto pass = second_passes_.begin(); pass != second_passes_.end();) {
    if (pass->second.due > state_.now) {
      ++pass;
      continue;
    }
    if (state_.workloads[pass->first.index()].needs_second_pass()) {
      due.emplace_back(pass->first, pass->second.iteration);
    }
    pass = second_passes_.erase(pass);
  }
  return due;
}

void Controller::hear_phase(const Change& change) {
  const WorkloadId id = change.workload;
  const bool was_pending = change.before == Phase::kPending;
  const bool is_pending = change.after == Phase::kPending;
  if (change.created) {
    if (change.active && is_pending) {
      enqueue(id);
    } else if (change.after != Phase::kFinished) {
      state_.cache(id);
    }
  } else if (change.after == Phase::kFinished || !change.active) {
    dequeue(id);
    state_.uncache(id);
    wake_associated(id);
  } else if (was_pending && is_pending) {
    enqueue(id);
  } else if (was_pending) {
    dequeue(id);
    state_.cache(id);
  } else if (is_pending) {
    state_.uncache(id);
    const WorkloadState& workload = state_.workloads[id.index()];
    if (!workload.requeue_at || *workload.requeue_at <= state_.now) {
      enqueue(id);
    }
    wake_associated(id);
  } else {
    state_.cache(id);
  }
}

const LocalQueueState* Controller::managed_queue(const WorkloadState& workload) const {
  if (!workload.local_queue.valid()) {
    return nullptr;
  }
  const LocalQueueState& queue = state_.local_queues[workload.local_queue.index()];
  return queue.managed ? &queue : nullptr;
}

QueueKey Controller::key_of(WorkloadId id) const {
  const WorkloadState& workload = state_.workloads[id.index()];
  return {-workload.priority, state_.queue_time(workload), workload.uid_rank, id};
}

void Controller::set_last(WorkloadId id, std::optional<LastAssignment> last) {
  WorkloadState& workload = state_.workloads[id.index()];
  if (!last && !workload.last) {
    return;
  }
  workload.last = std::move(last);
  std::uint64_t digest = 0;
  if (workload.last) {
    for (const auto& pod_set : workload.last->pod_sets) {
      digest = spread(digest + 1);
      for (const LastAssignment::Tried& tried : pod_set) {
        digest += spread((std::uint64_t{tried.resource.value} << 32U) + static_cast<std::uint32_t>(tried.flavor));
      }
    }
  }
  const LocalQueueState* const local_queue = managed_queue(workload);
  if (local_queue != nullptr && local_queue->queue.valid()) {
    state_.queues[local_queue->queue.index()].pending.set_digest(id, digest);
  }
}

void Controller::enqueue(WorkloadId id) {
  WorkloadState& workload = state_.workloads[id.index()];
  const LocalQueueState* const local_queue = managed_queue(workload);
  if (!workload.admissible() || local_queue == nullptr) {
    return;
  }
  workload.assigned = true;
  if (local_queue->queue.valid()) {
    push_or_update(state_.queues[local_queue->queue.index()].pending, id);
    workload.preemption_expected = false;
  }
}

void Controller::push_or_update(PendingQueue& queue, WorkloadId id) {
  WorkloadState& workload = state_.workloads[id.index()];
  set_last(id, std::nullopt);
  const bool waits = queue.contains(id) && !queue.in_heap(id);
  const bool same = workload.queued_version == workload.status_version;
  workload.queued_version = workload.status_version;
  if (waits && same) {
    return;  // nothing that could make it admissible
  }
  if (!queue.in_heap(id) && !state_.backoff_over(workload)) {
    queue.park(key_of(id));
  } else {
    queue.push(key_of(id));
  }
}

void Controller::dequeue(WorkloadId id) {
  second_passes_.erase(id);
  const WorkloadState& workload = state_.workloads[id.index()];
  const LocalQueueState* const local_queue = managed_queue(workload);
  if (workload.assigned && local_queue != nullptr && local_queue->queue.valid()) {
    PendingQueue& queue = state_.queues[local_queue->queue.index()].pending;
    queue.erase(id);
    queue.forget_sticky(id);
  }
}

void Controller::requeue(WorkloadId id, Requeue reason) {
  WorkloadState& workload = state_.workloads[id.index()];
  const LocalQueueState* const local_queue = managed_queue(workload);
  if (workload.is(ConditionType::kQuotaReserved) || local_queue == nullptr) {
    return;
  }
  workload.assigned = true;
  if (!local_queue->queue.valid()) {
    return;
  }
  QueueState& queue = state_.queues[local_queue->queue.index()];
  if (reason == Requeue::kPendingPreemption && !queue.strict) {
    queue.pending.make_sticky(id);
  }
  const bool at_once = queue.strict
                           ? reason != Requeue::kNamespaceMismatch
                           : reason == Requeue::kFailedAfterNomination || reason == Requeue::kPendingPreemption;
  const bool flavors_left =
      workload.last && std::ranges::any_of(workload.last->pod_sets, [](const auto& pod_set) {
        return std::ranges::any_of(pod_set, [](const LastAssignment::Tried& tried) { return tried.flavor != -1; });
      });
  workload.queued_version = workload.status_version;
  const bool over = state_.backoff_over(workload);
  if (over && (at_once || flavors_left)) {
    queue.pending.push(key_of(id));
  } else if (over && reason != Requeue::kNamespaceMismatch) {
    queue.pending.wait(key_of(id));
  } else {
    queue.pending.park(key_of(id));
  }
}

void Controller::wake_associated(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  const LocalQueueState* const local_queue = managed_queue(workload);
  if (workload.assigned && local_queue != nullptr && local_queue->queue.valid()) {
    request_wake(local_queue->queue);
  }
}

void Controller::wake_one(QueueId id) {
  QueueState& queue = state_.queues[id.index()];
  queue.pending.wake([&](WorkloadId workload) {
    const WorkloadState& candidate = state_.workloads[workload.index()];
    return state_.namespace_matches(queue, candidate.object->meta.namespace_name) && state_.backoff_over(candidate);
  });
}

void Controller::wake_queues() {
  for (std::size_t i = 0; i < state_.queues.size(); ++i) {
    if (!state_.queues[i].wake || state_.queues[i].in_cycle) {
      state_.queues[i].wake = false;
      continue;
    }
    for (const QueueId other : state_.tree.tree_queues(QuotaNode(i))) {
      state_.queues[other.index()].wake = false;
      wake_one(other);
    }
  }
}

void Controller::start_local_queue(LocalQueueId id) {
  LocalQueueState& local_queue = state_.local_queues[id.index()];
  local_queue.managed = true;
  for (std::size_t i = 0; i < state_.workloads.size(); ++i) {
    WorkloadState& workload = state_.workloads[i];
    if (!workload.exists || workload.local_queue != id) {
      continue;
    }
    workload.assigned = true;
    if (workload.admissible() && local_queue.queue.valid()) {
      set_last(WorkloadId(i), std::nullopt);
      workload.queued_version = workload.status_version;
      state_.queues[local_queue.queue.index()].pending.push(key_of(WorkloadId(i)));
    }
  }
}

void Controller::stop_local_queue(LocalQueueId id) {
  for (std::size_t i = 0; i < state_.workloads.size(); ++i) {
    if (state_.workloads[i].exists && state_.workloads[i].local_queue == id) {
      dequeue(WorkloadId(i));
    }
  }
  state_.local_queues[id.index()].managed = false;
}

void Controller::move_local_queue(LocalQueueId id, QueueId old_queue) {
  const LocalQueueState& local_queue = state_.local_queues[id.index()];
  if (local_queue.queue == old_queue) {
    return;
  }
  for (std::size_t i = 0; i < state_.workloads.size(); ++i) {
    const WorkloadId workload(i);
    const WorkloadState& state = state_.workloads[i];
    if (!state.exists || state.local_queue != id || !state.assigned || !state.admissible()) {
      continue;
    }
    if (old_queue.valid()) {
      state_.queues[old_queue.index()].pending.erase(workload);
      state_.queues[old_queue.index()].pending.forget_sticky(workload);
    }
    if (local_queue.queue.valid()) {
      state_.queues[local_queue.queue.index()].pending.push(key_of(workload));
    }
  }
}

}  // namespace gpusched::kueue
