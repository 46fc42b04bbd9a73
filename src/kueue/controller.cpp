#include "kueue/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "gpusched/base/text.hpp"

// Reconciliation of one Workload. Source: Kueue v0.17.0, pkg/controller/core/workload_controller.go.
namespace gpusched::kueue {

namespace {

bool is_requeued_false(const WorkloadState& workload, std::string_view reason) {
  return workload.has_false(ConditionType::kRequeued) && workload.condition(ConditionType::kRequeued).reason == reason;
}

}  // namespace

std::optional<std::pair<std::int64_t, WorkloadId>> Controller::next_timer(std::int64_t until) const {
  if (timers_.empty() || std::get<0>(*timers_.begin()) > until) {
    return std::nullopt;
  }
  return std::pair(std::get<0>(*timers_.begin()), std::get<2>(*timers_.begin()));
}

void Controller::set_timer(WorkloadId id, std::int64_t at) {
  stop_timer(id);
  timers_.emplace(at, state_.workloads[id.index()].key_rank, id);
  timer_of_[id.index()] = at;
}

void Controller::stop_timer(WorkloadId id) {
  if (const auto at = std::exchange(timer_of_[id.index()], std::nullopt)) {
    timers_.erase({*at, state_.workloads[id.index()].key_rank, id});
  }
}

void Controller::reconcile(WorkloadId id) {
  stop_timer(id);
  if (state_.workloads[id.index()].exists) {
    reconcile_step(id);
    release_evicted(id);
  }
}

void Controller::release_evicted(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  if (workload.is(ConditionType::kFinished) || !workload.is(ConditionType::kEvicted) ||
      !workload.is(ConditionType::kQuotaReserved)) {
    return;
  }
  const ConditionState evicted = workload.condition(ConditionType::kEvicted);  // the write below changes it
  const bool again = evicted.reason == "Preempted" || evicted.reason == "NodeFailures";
  journal_.write(id, [&](WorkloadState& w) {
    const bool requeued = w.set(ConditionType::kRequeued, again, evicted.reason, evicted.message, state_.now);
    return w.unreserve("Pending", evicted.message, state_.now) || requeued;
  });
}

bool Controller::reconcile_step(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  if (workload.is(ConditionType::kFinished)) {
    return true;
  }
  if (workload.active ? reconcile_active(id) : deactivate(id)) {
    return true;
  }
  const LocalQueueState* const local_queue =
      workload.local_queue.valid() ? &state_.local_queues[workload.local_queue.index()] : nullptr;
  const LocalQueueState* const managed = managed_queue(workload);
  const bool has_queue = managed != nullptr && managed->queue.valid();
  const QueueState* const queue = has_queue ? &state_.queues[managed->queue.index()] : nullptr;
  if (local_queue != nullptr && local_queue->managed && is_requeued_false(workload, "LocalQueueStopped")) {
    return journal_.write(id, [&](WorkloadState& w) {
      return w.set(ConditionType::kRequeued, true, "LocalQueueRestarted",
                   "The LocalQueue was restarted after being stopped", state_.now);
    });
  }
  if (queue != nullptr) {
    if (is_requeued_false(workload, "ClusterQueueStopped") && !queue->stopped) {
      return journal_.write(id, [&](WorkloadState& w) {
        return w.set(ConditionType::kRequeued, true, "ClusterQueueRestarted",
                     "The ClusterQueue was restarted after being stopped", state_.now);
      });
    }
    if (sync_checks(id, *queue)) {
      return true;
    }
  }
  if (!workload.is(ConditionType::kAdmitted) &&
      journal_.write(id, [&](WorkloadState& w) { return w.sync_admitted(state_.now); })) {
    return true;
  }
  if (workload.is(ConditionType::kQuotaReserved)) {
    return reconcile_reserved(id, local_queue, queue);
  }
  explain_pending(id, local_queue, managed, queue);
  return true;
}

/// Retry times of checks, the end of a back-off, and deactivation that was decided.
bool Controller::reconcile_active(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  std::optional<std::int64_t> retry_at;
  for (const CheckState& check : workload.checks) {
    if (check.value == CheckState::Value::kRetry && check.requeue_after) {
      retry_at = std::max(retry_at.value_or(0), check.since + *check.requeue_after);
    }
  }
  if (retry_at && *retry_at > state_.now && workload.requeue_at.value_or(0) < *retry_at) {
    return journal_.write(id, [&](WorkloadState& w) {
      w.requeue_at = *retry_at;
      w.has_requeue_state = true;
      return true;
    });
  }
  if (workload.is(ConditionType::kDeactivationTarget)) {
    return journal_.write(id, [&](WorkloadState& w) {
      w.active = false;
      return true;
    });
  }
  return requeue_after_backoff(id);
}

bool Controller::requeue_after_backoff(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  if (workload.requeue_at) {
    if (*workload.requeue_at > state_.now) {
      set_timer(id, *workload.requeue_at);
      return true;
    }
    if (workload.phase() == Phase::kPending) {
      journal_.write(id, [](WorkloadState& w) {
        w.requeue_at.reset();
        return true;
      });
      enqueue(id);
      return true;
    }
  }
  if (!workload.has_false(ConditionType::kRequeued)) {
    return false;
  }
  const std::string reason = workload.condition(ConditionType::kRequeued).reason;
  if (reason == "Deactivated") {
    return journal_.write(id, [&](WorkloadState& w) {
      w.set(ConditionType::kRequeued, true, "Reactivated", "The workload was reactivated", state_.now);
      return true;
    });
  }
  if (reason != "PodsReadyTimeout" && reason != "AdmissionCheck") {
    return false;
  }
  return journal_.write(id, [&](WorkloadState& w) {
    w.requeue_at.reset();
    w.set(ConditionType::kRequeued, true, "BackoffFinished", "The workload backoff was finished", state_.now);
    return true;
  });
}

bool Controller::deactivate(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  const bool evicts = !workload.is(ConditionType::kEvicted);
  if (!evicts && !workload.has_requeue_state) {
    return false;
  }
  return journal_.write(id, [&](WorkloadState& w) {
    const ConditionState target = std::exchange(w.condition(ConditionType::kDeactivationTarget), {});
    w.has_requeue_state = false;
    w.requeue_count = 0;
    w.requeue_at.reset();
    if (evicts) {
      w.evict(target.present ? "DeactivatedDueTo" + target.reason : "Deactivated",
              target.present ? "The workload is deactivated due to " + target.message : "The workload is deactivated",
              state_.now);
    }
    return true;
  });
}

std::set<std::string> Controller::needed_checks(const WorkloadState& workload, const QueueState& queue) const {
  std::set<std::string> needed;
  for (const CheckRuleState& rule : queue.checks) {
    bool applies = queue.checks_for_all_flavors;
    if (!applies && workload.admission) {
      for (const AssignedPodSet& pod_set : workload.admission->pod_sets) {
        applies |= std::ranges::any_of(pod_set.resources, [&](const AssignedResource& resource) {
          return std::ranges::find(rule.flavors, resource.flavor) != rule.flavors.end();
        });
      }
    }
    if (applies) {
      needed.insert(rule.name);
    }
  }
  return needed;
}

bool Controller::has_needed_checks(WorkloadId id, const QueueState& queue) const {
  const WorkloadState& workload = state_.workloads[id.index()];
  const std::set<std::string> needed = needed_checks(workload, queue);
  return std::ranges::all_of(needed, [&](const std::string& name) {
    return std::ranges::find(workload.checks, name, &CheckState::name) != workload.checks.end();
  });
}

/// Admission checks that the Workload needs appear as Pending, others go.
bool Controller::sync_checks(WorkloadId id, const QueueState& queue) {
  const WorkloadState& workload = state_.workloads[id.index()];
  if (queue.checks.empty() && workload.checks.empty()) {
    return false;
  }
  const std::set<std::string> needed = needed_checks(workload, queue);
  const auto has = [&](const std::string& name) {
    return std::ranges::find(workload.checks, name, &CheckState::name) != workload.checks.end();
  };
  const bool missing = !std::ranges::all_of(needed, has);
  const bool more = workload.checks.size() > needed.size();
  if (!missing && !more) {
    return false;
  }
  return journal_.write(id, [&](WorkloadState& w) {
    std::erase_if(w.checks, [&](const CheckState& check) { return !needed.contains(check.name); });
    for (const std::string& name : needed) {
      if (std::ranges::find(w.checks, name, &CheckState::name) == w.checks.end()) {
        w.checks.push_back({name, CheckState::Value::kPending, state_.now, std::nullopt});
      }
    }
    std::ranges::sort(w.checks, {}, &CheckState::name);
    return true;
  });
}

bool Controller::reconcile_reserved(WorkloadId id, const LocalQueueState* local_queue, const QueueState* queue) {
  if (evict_for_checks(id) || follow_local_queue(id, local_queue) || follow_queue(id, queue)) {
    return true;
  }
  const auto ready = check_pods_ready(id);
  const auto done = check_execution_time(id);
  if (ready || done) {
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    set_timer(id, std::min(ready.value_or(kNever), done.value_or(kNever)));
  }
  return true;
}

bool Controller::evict_for_checks(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  const bool rejected = workload.has_check(CheckState::Value::kRejected);
  if (workload.is(ConditionType::kEvicted) || (!rejected && !workload.has_check(CheckState::Value::kRetry))) {
    return false;
  }
  if (!rejected) {
    return journal_.write(id, [&](WorkloadState& w) {
      w.evict("AdmissionCheck", "At least one admission check is false", state_.now);
      return true;
    });
  }
  std::vector<std::string> names;
  for (const CheckState& check : workload.checks) {
    if (check.value == CheckState::Value::kRejected) {
      names.push_back(check.name);
    }
  }
  journal_.write(id, [&](WorkloadState& w) {
    return w.set(ConditionType::kDeactivationTarget, true, "AdmissionCheck",
                 fmt::format("Admission check(s): {}, were rejected", join(names, ",")), state_.now);
  });
  return true;
}

bool Controller::follow_local_queue(WorkloadId id, const LocalQueueState* local_queue) {
  const WorkloadState& workload = state_.workloads[id.index()];
  const std::string& name = workload.object->queue_name;
  if (workload.is(ConditionType::kAdmitted)) {
    if (local_queue == nullptr || !local_queue->drains() || workload.is(ConditionType::kEvicted)) {
      return false;
    }
    return journal_.write(id, [&](WorkloadState& w) {
      w.evict("LocalQueueStopped", "The LocalQueue is stopped", state_.now);
      return true;
    });
  }
  if (local_queue != nullptr && local_queue->managed) {
    return false;
  }
  journal_.write(id, [&](WorkloadState& w) {
    return w.unreserve("Inadmissible",
                       local_queue == nullptr ? fmt::format("LocalQueue {} is terminating or missing", name)
                                              : fmt::format("LocalQueue {} is stopped", name),
                       state_.now);
  });
  return true;
}

/// `queue` is the one behind a LocalQueue that is not stopped.
bool Controller::follow_queue(WorkloadId id, const QueueState* queue) {
  const WorkloadState& workload = state_.workloads[id.index()];
  if (workload.is(ConditionType::kAdmitted)) {
    const bool drains = queue != nullptr && queue->object.stop_policy == "HoldAndDrain";
    if (!drains || workload.is(ConditionType::kEvicted)) {
      return false;
    }
    return journal_.write(id, [&](WorkloadState& w) {
      w.evict("ClusterQueueStopped", "The ClusterQueue is stopped", state_.now);
      return true;
    });
  }
  if (queue != nullptr && !queue->stopped) {
    return false;
  }
  const LocalQueueState* const managed = managed_queue(workload);
  const std::string name = managed == nullptr ? std::string() : managed->object.cluster_queue;
  journal_.write(id, [&](WorkloadState& w) {
    return w.unreserve("Inadmissible",
                       queue == nullptr ? fmt::format("ClusterQueue {} is terminating or missing", name)
                                        : fmt::format("ClusterQueue {} is stopped", name),
                       state_.now);
  });
  return true;
}

/// When to look again; none: there is nothing to wait for, or it was evicted.
std::optional<std::int64_t> Controller::check_pods_ready(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  const auto& wait = state_.configuration.wait_for_pods_ready;
  const ConditionState& ready = workload.condition(ConditionType::kPodsReady);
  if (!wait || !workload.active || workload.is(ConditionType::kEvicted) || !workload.is(ConditionType::kAdmitted) ||
      ready.is_true) {
    return std::nullopt;
  }
  std::int64_t deadline = 0;
  if (!ready.present || ready.reason == "WaitForStart" || ready.reason == "PodsReady") {
    deadline = workload.condition(ConditionType::kAdmitted).since + wait->timeout_seconds;
  } else if (ready.reason == "WaitForRecovery" && wait->recovery_timeout_seconds) {
    deadline = ready.since + *wait->recovery_timeout_seconds;
  } else {
    return std::nullopt;
  }
  if (deadline > state_.now) {
    return deadline;
  }
  const std::int32_t count = workload.requeue_count;
  if (wait->backoff_limit_count && count >= *wait->backoff_limit_count) {
    journal_.write(id, [&](WorkloadState& w) {
      return w.set(ConditionType::kDeactivationTarget, true, "RequeuingLimitExceeded",
                   "exceeding the maximum number of re-queuing retries", state_.now);
    });
    return std::nullopt;
  }
  std::int64_t backoff = wait->backoff_base_seconds;
  for (std::int32_t i = 0; i < count && backoff < wait->backoff_max_seconds; ++i) {
    backoff *= 2;
  }
  journal_.write(id, [&](WorkloadState& w) {
    const std::int64_t at = state_.now + std::min(backoff, wait->backoff_max_seconds);
    w.requeue_at = std::max(w.requeue_at.value_or(at), at);
    w.requeue_count = count + 1;
    w.has_requeue_state = true;
    w.evict("PodsReadyTimeout", "Exceeded the PodsReady timeout " + w.key, state_.now);
    return true;
  });
  return std::nullopt;
}

std::optional<std::int64_t> Controller::check_execution_time(WorkloadId id) {
  const WorkloadState& workload = state_.workloads[id.index()];
  const auto& limit = workload.object->maximum_execution_seconds;
  if (!limit || !workload.is(ConditionType::kAdmitted)) {
    return std::nullopt;
  }
  const std::int64_t deadline = workload.condition(ConditionType::kAdmitted).since + *limit - workload.past_execution;
  if (deadline > state_.now) {
    return deadline;
  }
  if (!workload.is(ConditionType::kDeactivationTarget)) {
    journal_.write(id, [&](WorkloadState& w) {
      w.past_execution = 0;
      return w.set(ConditionType::kDeactivationTarget, true, "MaximumExecutionTimeExceeded",
                   "exceeding the maximum execution time", state_.now);
    });
  }
  return std::nullopt;
}

void Controller::explain_pending(WorkloadId id, const LocalQueueState* local_queue, const LocalQueueState* managed,
                                 const QueueState* queue) {
  const std::string& name = state_.workloads[id.index()].object->queue_name;
  std::string message;
  if (local_queue == nullptr) {
    message = fmt::format("LocalQueue {} doesn't exist", name);
  } else if (managed == nullptr) {
    message = fmt::format("LocalQueue {} is inactive", name);
  } else if (queue == nullptr) {
    message = fmt::format("ClusterQueue {} doesn't exist", managed->object.cluster_queue);
  } else if (!queue->active) {
    message = fmt::format("ClusterQueue {} is inactive", managed->object.cluster_queue);
  } else {
    return;
  }
  journal_.write(id, [&](WorkloadState& w) { return w.unreserve("Inadmissible", std::move(message), state_.now); });
}

}  // namespace gpusched::kueue
