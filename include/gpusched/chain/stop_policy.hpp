#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The two controllers that share a ClusterQueue's StopPolicy: L keeps the queue and its InstanceType, Q its quota.
/// Source: GPUStack operator v0.9.0-rc2, "The InstanceType lifecycle" and "Queue quota and draining".
namespace gpusched::chain {

enum class StopPolicy : std::uint8_t { kUnset, kNone, kHold, kHoldAndDrain };
[[nodiscard]] std::string_view name_of(StopPolicy policy);  ///< "unset", "None", "Hold", "HoldAndDrain"

enum class MigrationPhase : std::uint8_t { kNone, kDraining, kSwitched };
[[nodiscard]] std::string_view name_of(MigrationPhase phase);  ///< "", "draining", "switched"

/// What both controllers read and write.
struct QueueState {
  bool exists = false;
  bool deleting = false;       ///< of the queue
  bool type_deleting = false;  ///< of the InstanceType
  bool type_missing = false;   ///< the queue outlived its InstanceType: nobody acts as L
  bool groups = false;         ///< the queue has resource groups
  StopPolicy policy = StopPolicy::kUnset;
  bool marker = false;  ///< topology.gpustack.ai/empty-plan-hold
  MigrationPhase phase = MigrationPhase::kNone;
  StopPolicy saved = StopPolicy::kUnset;  ///< topology.gpustack.ai/migration-stop-policy
  bool inactive = false;                  ///< spec.inactive of the type
  bool inactive_cleared = false;          ///< an admin has just cleared it
  bool reserved = false;                  ///< workloads hold quota
  bool stopped_seen = true;               ///< Kueue reports Active=False, Stopped at the current generation

  bool operator==(const QueueState&) const = default;
};

/// What became of flavors that the queue lists and the pool has no more.
enum class Dropped : std::uint8_t {
  kNone,
  kIdle,        ///< reported, with nothing reserved or used
  kBusy,        ///< reserved, used, or not reported
  kNotCurrent,  ///< the queue's status is behind its generation
};

/// What the pool's flavors ask of the queue.
struct Desired {
  bool flavors = false;     ///< the pool has a live flavor
  bool plan_valid = false;  ///< and the plan passes its checks
  bool changed = false;     ///< the groups differ from the plan
  Dropped dropped = Dropped::kNone;
};

enum class Actor : std::uint8_t { kLifecycle, kQuota, kKueue };
[[nodiscard]] std::string_view name_of(Actor actor);

/// One turn of a controller: the state after it and what it wrote, "" when it left everything alone.
struct Turn {
  QueueState state;
  std::string write;
  int requeue_seconds = 0;
  bool fills_groups = false;  ///< the groups became the plan
  bool empties_groups = false;
};

/// The first rule that applies to the controller. `drain_setting` is instance-type-drain-when-no-flavors.
[[nodiscard]] Turn lifecycle_turn(const QueueState& state);
[[nodiscard]] Turn quota_turn(const QueueState& state, const Desired& desired, bool drain_setting);

struct Write {
  Actor actor;
  std::string what;

  bool operator==(const Write&) const = default;
};

/// Both controllers in turn until neither writes; Kueue evicts what a drained queue holds and reports that it is
/// stopped. The writes in their order.
struct Fixpoint {
  QueueState state;
  std::vector<Write> writes;
  int requeue_seconds = 0;
  bool drained = false;  ///< on the way the queue was HoldAndDrain: running Instances of the type were stopped
};
[[nodiscard]] Fixpoint settle(QueueState state, Desired desired, bool drain_setting);

}  // namespace gpusched::chain
