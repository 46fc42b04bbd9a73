#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "gang/job_shapes.hpp"
#include "gang/stay_log.hpp"
#include "gpusched/gang/simulate.hpp"

namespace gpusched::gang {

class Scheduler;

__extension__ typedef __int128 int128;

/// One run: the clock, what every job holds, and the moves that a Scheduler may make. A Scheduler decides, this class
/// keeps the books.
class Simulation {
 public:
  Simulation(const ClusterUsage& usage, std::span<const Job> jobs, const Options& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] SimulationResult run();

  // What a scheduler may look at.
  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::span<const Job> jobs() const { return jobs_; }
  [[nodiscard]] const Job& job(JobId id) const { return jobs_[id.index()]; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const JobShapes& shapes() const { return shapes_; }
  [[nodiscard]] const ClusterUsage& usage() const { return usage_; }
  [[nodiscard]] placement::Placer& placer() { return placer_; }
  [[nodiscard]] std::int32_t placed(JobId id) const { return states_[id.index()].placed; }
  /// Pods that must be placed before the job can start.
  [[nodiscard]] std::int32_t needed(JobId id) const;
  /// When and since when the jobs that run will end: (time, job), soonest first.
  [[nodiscard]] const std::set<std::pair<std::int64_t, JobId>>& running() const { return running_; }
  /// Where the job's placed pods are.
  [[nodiscard]] std::vector<std::pair<NodeId, std::int64_t>> milli_by_node(JobId id) const;
  /// The class of the next pod without a place.
  [[nodiscard]] PodClassId next_pod_class(JobId id) const;
  /// Whether no room was found for the shape, or a pod of the class, since the last time that something was given back.
  [[nodiscard]] bool blocked_shape(std::uint32_t shape) const { return blocked_shapes_[shape] == epoch_; }
  [[nodiscard]] bool blocked_class(PodClassId pod_class) const { return blocked_classes_[pod_class.index()] == epoch_; }

  // What a scheduler may do.
  /// Places all pods of a waiting job that holds nothing, or at least those that it needs; evicts lower priorities if
  /// the run allows it. False: nothing changed.
  bool place_whole(JobId id);
  /// Takes back what place_whole did for a job, without a word and before anything else was placed.
  void take_back_whole(JobId id);
  /// Places the next pod of a job; false: no node fits.
  bool place_next(JobId id);
  /// The job has what it needs and runs from now on.
  void start(JobId id);
  /// A waiting job gives back what it holds, without going back to the queue.
  void give_back(JobId id, EventKind why);
  /// The same without a word: a try that did not succeed.
  void undo_placing(JobId id);
  /// From now on the job holds a part, for at most `timeout_ms` (negative: for ever).
  void hold(JobId id, std::int64_t timeout_ms);

 private:
  enum class Phase : std::uint8_t { kFuture, kWaiting, kBackoff, kRunning, kOver };
  struct State {
    PodId first_pod;
    std::int32_t pods = 0, placed = 0, ends_waited_for = 0;
    Phase phase = Phase::kFuture;
    bool holding = false;
    std::uint32_t version = 0;  // of holding or running: older timers are void
    std::int64_t run_since = 0;
    std::int64_t milli = 0;  // of the placed pods
  };
  // In the order in which things of one time are done.
  enum class Tick : std::uint8_t { kEnd, kSubmit, kTimeout, kRetry };
  struct Timer {
    std::int64_t time;
    Tick tick;
    JobId job;
    std::uint32_t version;
    bool operator>(const Timer& other) const;
  };

  void add_jobs();
  void advance(std::int64_t time);
  void drop_void_timers();
  [[nodiscard]] bool is_void(const Timer& timer) const;
  void tick(const Timer& timer);
  void submit(JobId id);
  void end_run(JobId id);
  void timed_out(JobId id);
  void over(JobId id, JobState state, EventKind event);
  void run_until_next_end(JobId id);
  void stop_run(JobId id, bool lost);
  void unplace(JobId id);
  void unbind_pods(JobId id);
  void place_stragglers();
  void note(EventKind kind, JobId id, JobId by = {});
  void look_for_deadlock();
  [[nodiscard]] bool hopeless() const;
  void finish(SimulationResult& result);
  void describe_waiting(JobId id);
  void remember_places(JobId id);
  [[nodiscard]] PodPlace place_of(JobId id, std::int32_t number) const;
  void log_stays(JobId id, bool runs_on, bool open = false);
  void finish_stays(SimulationResult& result);
  [[nodiscard]] PodId pod(JobId id, std::int32_t number) const {
    return PodId{states_[id.index()].first_pod.index() + static_cast<std::size_t>(number)};
  }
  /// -1 when there is no room.
  [[nodiscard]] std::int32_t try_to_place(JobId id);
  [[nodiscard]] bool bind_next(JobId id, std::int32_t number);
  void count_placed(JobId id, std::int32_t pods);

  // Preemption (preemption.cpp).
  [[nodiscard]] bool place_by_preemption(JobId id);
  [[nodiscard]] bool place_pod_by_preemption(JobId id, PodId wanted);
  [[nodiscard]] bool holds_below(std::int32_t priority) const {
    return !placed_jobs_.empty() && placed_jobs_.begin()->first < priority;
  }
  [[nodiscard]] std::vector<JobId> victims_below(std::int32_t priority) const;
  void evict(JobId victim, JobId by);

  std::span<const Job> jobs_;
  const Options& options_;
  bool preempts_;
  Backoff backoff_;
  ClusterUsage usage_;
  placement::Placer placer_;
  JobShapes shapes_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<State> states_;
  std::vector<JobId> job_of_pod_;  // by PodId; invalid: a pod of the cluster
  std::vector<std::vector<JobId>> followers_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::set<std::pair<std::int64_t, JobId>> running_;
  std::set<JobId> stragglers_;                       // running jobs with pods that have no place
  std::set<JobId> holders_;                          // waiting jobs that hold a part
  std::map<std::int32_t, std::size_t> placed_jobs_;  // jobs with placed pods, by priority
  std::vector<std::uint64_t> blocked_shapes_, blocked_classes_;
  std::uint64_t epoch_ = 1;
  std::int64_t now_ = 0;
  std::int64_t capacity_milli_ = 0, busy_milli_ = 0, held_milli_ = 0;
  int128 busy_ = 0, held_ = 0, lost_ = 0;  // milli-GPU × ms
  std::size_t waiting_ = 0, ended_ = 0, submitted_ = 0, live_timeouts_ = 0;
  std::size_t idle_timeouts_ = 0;  // since something last started, ended or was submitted
  StayLog stays_;
  SimulationResult result_;
};

}  // namespace gpusched::gang
