#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/gang/options.hpp"
#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/model/job.hpp"
#include "gpusched/placement/placer.hpp"

namespace gpusched::gang {

enum class JobState : std::uint8_t {
  kFinished,
  kFailed,   ///< failed more often than it may restart
  kWaiting,  ///< still in the queue when nothing more could happen
  kGivenUp,  ///< timed out more often than Backoff::limit
  kBlocked,  ///< a job that it depends on never finished
};

/// Where one pod ran.
struct PodPlace {
  std::int32_t pod = 0;  ///< number of the pod in its job
  NodeId node;
  std::vector<GpuShare> shares;
};

/// What became of a job.
struct JobOutcome {
  JobState state = JobState::kWaiting;
  std::int64_t submission_ms = 0;  ///< later than the job's own when it waited for others
  std::int64_t start_ms = -1;      ///< of its first run; -1: never
  std::int64_t end_ms = -1;        ///< -1: never
  std::int64_t run_ms = 0;         ///< of all runs together, those that were lost included
  std::int32_t preemptions = 0, restarts = 0, timeouts = 0;
  std::vector<PodPlace> places;  ///< of its last run; of what it holds when it is waiting
  // Waiting, at the end:
  std::int32_t placeable = 0;       ///< pods that have a node, or would find one now
  PodClassId next_pod_class;        ///< the class of the next one; invalid when all would find one
  placement::ReasonGroups reasons;  ///< why that one has no node; null when it has
};

enum class EventKind : std::uint8_t {
  kSubmit,
  kHold,  ///< took a part of its pods' GPUs and waits for the rest
  kStart,
  kFinish,
  kFail,
  kRestart,  ///< runs again after a failure
  kTimeout,  ///< gave back what it held
  kReject,   ///< gave back what it held: too much of the group is missing (coscheduling)
  kPreempt,  ///< evicted for a job of a higher priority
  kGiveUp,
  kDeadlock,  ///< nothing runs, nothing can start, and parts of jobs hold GPUs
};

[[nodiscard]] std::string_view event_name(EventKind kind);

struct Event {
  std::int64_t time_ms = 0;
  EventKind kind = EventKind::kSubmit;
  JobId job;              ///< invalid for kDeadlock
  JobId by;               ///< kPreempt: for whom
  std::int32_t pods = 0;  ///< that the job holds afterwards
};

/// A pod on a node for a while: running, or held by a part of its job that waits for the rest.
struct Stay {
  JobId job;
  PodPlace place;
  std::int64_t from_ms = 0, until_ms = 0;
  bool runs = false;
  bool open = false;  ///< it never ends: until_ms is the last event's time
};

/// A job that takes part in a deadlock.
struct Holder {
  JobId job;
  std::int32_t placed = 0, missing = 0;                ///< pods
  std::int64_t held_milli = 0;                         ///< GPUs that it holds
  std::int64_t wanted_milli = 0;                       ///< GPUs that its missing pods ask for
  std::vector<std::pair<NodeId, std::int32_t>> nodes;  ///< where its pods are, by node name
};

/// Nothing runs, nothing can start, and parts of jobs hold GPUs that others wait for.
struct Deadlock {
  std::int64_t time_ms = 0;
  std::int64_t held_milli = 0;
  std::vector<Holder> holders;  ///< in the order of the queue
  std::vector<JobId> waiting;   ///< jobs that hold nothing and wait, too
};

struct SimulationResult {
  std::vector<JobOutcome> jobs;  ///< by JobId
  std::vector<Event> events;     ///< in order
  std::vector<Stay>
      stays;  ///< with Options::stays, by start, then job and pod; what never ends lasts until the last event
  std::optional<Deadlock> deadlock;
  bool livelock = false;            ///< jobs take and give back parts for ever, none starts
  std::int64_t first_ms = 0;        ///< first submission
  std::int64_t last_ms = 0;         ///< last end; equal to first_ms when nothing ended
  std::int64_t capacity_milli = 0;  ///< GPUs that jobs could use at the start
  double busy_gpu_seconds = 0;      ///< GPUs × time of all runs
  double held_gpu_seconds = 0;      ///< GPUs × time that parts of waiting jobs held
  double lost_gpu_seconds = 0;      ///< part of busy: of runs that failed or were evicted

  [[nodiscard]] std::int64_t makespan_ms() const { return last_ms - first_ms; }
};

/// Milli-GPUs that a pod of the class takes; MIG instances and pods without GPUs count 0.
[[nodiscard]] std::int64_t gpu_milli(const PodClass& pod_class);
/// The same of all pods of a job.
[[nodiscard]] std::int64_t gpu_milli(const ClusterShape& shape, const Job& job);
[[nodiscard]] std::int32_t pod_count(const Job& job);
/// Milli-GPUs that the cluster has of the resources that the jobs ask for, without those that its own pods hold.
[[nodiscard]] std::int64_t capacity_milli(const ClusterUsage& usage, std::span<const Job> jobs);

/// The jobs that an empty cluster could never start: those that ask for more than there is, or for nodes that do not
/// exist. In input order.
[[nodiscard]] std::vector<JobId> oversized(const ClusterUsage& usage, std::span<const Job> jobs,
                                           const placement::Options& options);

/// Plays the jobs on the cluster. Everything that happens at one time comes first (ends, then submissions in input
/// order, then timeouts), then one scheduling pass. What the usage holds at the start stays. Errors: a cycle of
/// dependencies ("dependency-cycle").
[[nodiscard]] Result<SimulationResult> simulate(const ClusterUsage& usage, std::span<const Job> jobs,
                                                const Options& options);

}  // namespace gpusched::gang
