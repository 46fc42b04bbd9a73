#include "kueue/workload_state.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "kueue/digest.hpp"

namespace gpusched::kueue {

namespace {

/// Source: Kueue v0.17.0, pkg/util/api.
std::string truncated(std::string message) {
  constexpr std::size_t kLimit = 32 * std::size_t{1024};
  constexpr std::string_view kSuffix = " ...";
  if (message.size() > kLimit) {
    message.resize(kLimit - kSuffix.size());
    message += kSuffix;
  }
  return message;
}

}  // namespace

void ConditionState::set_texts(std::string_view new_reason, std::string new_message) {
  reason = new_reason;
  message = std::move(new_message);
  digest = spread(std::hash<std::string_view>()(reason)) + 3 * spread(std::hash<std::string_view>()(message));
}

Phase WorkloadState::phase() const {
  if (is(ConditionType::kFinished)) {
    return Phase::kFinished;
  }
  if (is(ConditionType::kAdmitted)) {
    return Phase::kAdmitted;
  }
  return is(ConditionType::kQuotaReserved) ? Phase::kReserved : Phase::kPending;
}

bool WorkloadState::all_checks_ready() const {
  return std::ranges::all_of(checks, [](const CheckState& check) { return check.value == CheckState::Value::kReady; });
}

bool WorkloadState::has_check(CheckState::Value value) const {
  return std::ranges::find(checks, value, &CheckState::value) != checks.end();
}

bool WorkloadState::topology_pending() const {
  return admission && std::ranges::any_of(admission->pod_sets, [](const AssignedPodSet& pod_set) {
           return pod_set.topology_pending && !pod_set.domains && !pod_set.topology;
         });
}

bool WorkloadState::needs_second_pass() const {
  return !is(ConditionType::kFinished) && !is(ConditionType::kEvicted) && is(ConditionType::kQuotaReserved) &&
         !is(ConditionType::kAdmitted) && !checks.empty() && all_checks_ready() && topology_pending();
}

bool WorkloadState::set(ConditionType type, bool is_true, std::string_view reason, std::string message,
                        std::int64_t now) {
  message = truncated(std::move(message));
  ConditionState& state = condition(type);
  if (state.present && state.is_true == is_true && state.reason == reason && state.message == message) {
    return false;
  }
  if (!state.present || state.is_true != is_true) {
    state.since = now;
  }
  if (type == ConditionType::kEvicted || type == ConditionType::kRequeued) {
    ++status_version;
  }
  state.present = true;
  state.is_true = is_true;
  state.set_texts(reason, std::move(message));
  return true;
}

void WorkloadState::reset(ConditionType type, std::string_view reason, std::int64_t now) {
  if (is(type)) {
    set(type, false, reason, "Previously: " + condition(type).message, now);
  }
}

bool WorkloadState::sync_admitted(std::int64_t now) {
  const bool reserved = is(ConditionType::kQuotaReserved);
  const bool ready = all_checks_ready();
  const bool admitted = is(ConditionType::kAdmitted);
  const bool placed = !topology_pending();
  if (admitted == (reserved && ready && placed)) {
    return false;
  }
  if (admitted) {
    past_execution += now - condition(ConditionType::kAdmitted).since;
  }
  if (!reserved && !ready) {
    return set(ConditionType::kAdmitted, false, "NoReservationUnsatisfiedChecks",
               "The workload has no reservation and not all checks ready", now);
  }
  if (!reserved) {
    return set(ConditionType::kAdmitted, false, "NoReservation", "The workload has no reservation", now);
  }
  if (!ready) {
    return set(ConditionType::kAdmitted, false, "UnsatisfiedChecks", "The workload has not all checks ready", now);
  }
  if (!placed) {
    return set(ConditionType::kAdmitted, false, "PendingDelayedTopologyRequests",
               "There are pending delayed topology requests", now);
  }
  return set(ConditionType::kAdmitted, true, "Admitted", "The workload is admitted", now);
}

bool WorkloadState::unreserve(std::string_view reason, std::string message, std::int64_t now) {
  bool changed = set(ConditionType::kQuotaReserved, false, reason, std::move(message), now);
  changed |= admission.has_value();
  admission.reset();
  resolved = false;
  changed |= sync_admitted(now);
  return changed;
}

void WorkloadState::evict(std::string_view reason, std::string message, std::int64_t now) {
  set(ConditionType::kEvicted, true, reason, std::move(message), now);
  for (CheckState& check : checks) {
    if (check.value != CheckState::Value::kPending) {
      check.value = CheckState::Value::kPending;
      check.since = now;
    }
  }
}

}  // namespace gpusched::kueue
