#include "gpusched/chain/stop_policy.hpp"

#include <fmt/format.h>

#include <array>

namespace gpusched::chain {

namespace {

constexpr int kTeardownSeconds = 15;
constexpr int kReservationSeconds = 60;
constexpr int kStatusSeconds = 5;
constexpr int kMaxTurns = 32;  // a state changes a handful of times; more would be a circle

Turn unchanged(const QueueState& state, int requeue_seconds = 0) {
  return {state, "", requeue_seconds, false, false};
}

bool is_none(StopPolicy policy) {
  return policy == StopPolicy::kNone || policy == StopPolicy::kUnset;
}

/// Saves the policy and drains, so that the groups can change without negative counters.
Turn start_draining(const QueueState& state, std::string_view why) {
  Turn turn = unchanged(state);
  turn.state.saved = state.policy;
  turn.state.phase = MigrationPhase::kDraining;
  turn.state.policy = StopPolicy::kHoldAndDrain;
  turn.state.stopped_seen = false;
  turn.write = fmt::format("saves stopPolicy {}, drains: {} -> HoldAndDrain", name_of(state.policy), why);
  return turn;
}

Turn fill(const QueueState& state, std::string write) {
  Turn turn = unchanged(state);
  turn.state.groups = true;
  turn.fills_groups = true;
  turn.state.marker = false;
  turn.write = std::move(write);
  return turn;
}

/// The saved policy comes back only after the queue was seen stopped with its new groups.
Turn continue_migration(const QueueState& state, const Desired& desired) {
  if (state.phase == MigrationPhase::kDraining) {
    if (state.reserved || !state.stopped_seen) return unchanged(state);
    Turn turn = unchanged(state);
    turn.state.phase = MigrationPhase::kSwitched;
    turn.state.groups = desired.flavors && desired.plan_valid;
    turn.state.stopped_seen = false;
    (turn.state.groups ? turn.fills_groups : turn.empties_groups) = true;
    turn.write = turn.state.groups ? "writes the new resource groups" : "empties the resource groups";
    return turn;
  }
  if (!state.groups && desired.flavors && desired.plan_valid) {
    Turn turn = fill(state, "flavors are back: writes the resource groups");
    turn.state.stopped_seen = false;
    return turn;
  }
  if (!state.groups || !state.stopped_seen) return unchanged(state);
  Turn turn = unchanged(state);
  turn.state.policy = state.saved;
  turn.state.saved = StopPolicy::kUnset;
  turn.state.phase = MigrationPhase::kNone;
  turn.write = fmt::format("restores stopPolicy {}", name_of(turn.state.policy));
  return turn;
}

Turn without_groups(const QueueState& state, const Desired& desired) {
  if (desired.flavors && desired.plan_valid) {
    if (state.policy == StopPolicy::kHoldAndDrain) {
      Turn turn = fill(state, "fills the resource groups, HoldAndDrain -> None");
      turn.state.policy = StopPolicy::kNone;
      return turn;
    }
    return fill(state, state.marker ? "fills the resource groups, drops the empty-plan-hold mark"
                                    : "fills the resource groups");
  }
  if (!is_none(state.policy)) return unchanged(state);
  Turn turn = unchanged(state);
  turn.state.policy = StopPolicy::kHold;
  turn.state.marker = true;
  turn.write = fmt::format("no resource groups to admit by: {} -> Hold, marked empty-plan-hold", name_of(state.policy));
  return turn;
}

Turn with_groups(const QueueState& state, const Desired& desired, bool drain_setting) {
  if (!desired.flavors) {
    if (!drain_setting && state.reserved) return unchanged(state, kReservationSeconds);
    return start_draining(state, "no live flavor is left");
  }
  if (!desired.plan_valid) return unchanged(state);
  if (desired.dropped == Dropped::kNotCurrent) return unchanged(state, kStatusSeconds);
  if (desired.dropped == Dropped::kBusy) return start_draining(state, "a flavor in use is dropped");
  if (!desired.changed && !state.marker) return unchanged(state);
  return fill(state, "updates the resource groups in place");
}

void kueue_turn(Fixpoint& fixpoint) {
  QueueState& state = fixpoint.state;
  if (state.policy != StopPolicy::kHoldAndDrain) return;
  fixpoint.drained = true;
  if (state.reserved) {
    state.reserved = false;
    fixpoint.writes.push_back({Actor::kKueue, "evicts the workloads that hold quota"});
  }
  state.stopped_seen = true;
}

}  // namespace

std::string_view name_of(StopPolicy policy) {
  constexpr std::array<std::string_view, 4> kNames = {"unset", "None", "Hold", "HoldAndDrain"};
  return kNames[static_cast<std::size_t>(policy)];
}

std::string_view name_of(MigrationPhase phase) {
  constexpr std::array<std::string_view, 3> kNames = {"", "draining", "switched"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view name_of(Actor actor) {
  constexpr std::array<std::string_view, 3> kNames = {"lifecycle", "quota", "kueue"};
  return kNames[static_cast<std::size_t>(actor)];
}

Turn lifecycle_turn(const QueueState& state) {
  Turn turn = unchanged(state);
  QueueState& next = turn.state;
  if (state.type_missing) return turn;
  if (state.type_deleting) {
    turn.requeue_seconds = state.exists ? kTeardownSeconds : 0;
    if (state.exists && !state.deleting) {
      next.deleting = true;
      turn.write = "deletes the queue and waits until Kueue has removed it";
    }
    return turn;
  }
  if (!state.exists) {
    next = QueueState{};
    next.inactive = state.inactive;
    next.exists = true;
    next.policy = StopPolicy::kHold;
    next.marker = true;
    turn.write = "creates the queue on Hold, marked empty-plan-hold";
    return turn;
  }
  if (state.deleting) return turn;
  if (state.phase != MigrationPhase::kNone) {
    next.saved = state.inactive ? StopPolicy::kHold : StopPolicy::kNone;
    // What was saved as unset comes back as unset unless somebody made the type inactive and active again.
    if (!state.inactive && state.saved == StopPolicy::kUnset) next.saved = state.saved;
    if (next.saved != state.saved) turn.write = fmt::format("saved stopPolicy -> {}", name_of(next.saved));
    return turn;
  }
  if (state.inactive && is_none(state.policy)) {
    next.policy = StopPolicy::kHold;
    turn.write = "the type is inactive: None -> Hold";
  } else if (!state.inactive && state.policy == StopPolicy::kHold && !state.marker && state.groups) {
    next.policy = StopPolicy::kNone;
    turn.write = "the type is active: Hold -> None";
  } else if (!state.inactive && state.policy == StopPolicy::kHold && !state.marker && state.inactive_cleared) {
    next.marker = true;
    turn.write = "no resource groups to release with: marks the Hold empty-plan-hold";
  } else if (!state.inactive && state.policy == StopPolicy::kHoldAndDrain) {
    next.inactive = true;
    turn.write = "the queue is stopped: spec.inactive -> true, for good";
  }
  return turn;
}

Turn quota_turn(const QueueState& state, const Desired& desired, bool drain_setting) {
  if (!state.exists) return unchanged(state);
  if (state.deleting) {
    Turn turn = unchanged(state);
    turn.state.policy = StopPolicy::kHoldAndDrain;
    if (turn.state.policy != state.policy) turn.write = "the queue is being deleted: -> HoldAndDrain";
    return turn;
  }
  if (state.phase != MigrationPhase::kNone) return continue_migration(state, desired);
  return state.groups ? with_groups(state, desired, drain_setting) : without_groups(state, desired);
}

Fixpoint settle(QueueState state, Desired desired, bool drain_setting) {
  Fixpoint fixpoint;
  fixpoint.state = state;
  for (int i = 0; i < kMaxTurns; ++i) {
    const std::size_t before = fixpoint.writes.size();
    const Turn quota = quota_turn(fixpoint.state, desired, drain_setting);
    fixpoint.state = quota.state;
    if (!quota.write.empty()) fixpoint.writes.push_back({Actor::kQuota, quota.write});
    if (quota.fills_groups) {
      desired.changed = false;
      desired.dropped = Dropped::kNone;
    }
    kueue_turn(fixpoint);
    const Turn lifecycle = lifecycle_turn(fixpoint.state);
    fixpoint.state = lifecycle.state;
    if (!lifecycle.write.empty()) fixpoint.writes.push_back({Actor::kLifecycle, lifecycle.write});
    fixpoint.requeue_seconds = quota.requeue_seconds != 0 ? quota.requeue_seconds : lifecycle.requeue_seconds;
    if (fixpoint.writes.size() == before) break;
  }
  return fixpoint;
}

}  // namespace gpusched::chain
