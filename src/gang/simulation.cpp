#include "gang/simulation.hpp"

#include <algorithm>
#include <tuple>

#include "gang/scheduler.hpp"

namespace gpusched::gang {

namespace {
constexpr std::size_t kProgressSteps = 1024;  // jobs between two reports of progress
constexpr Backoff kPodBackoff{
    .base_ms = 1000, .max_ms = 10'000, .limit = {}};  // kube-scheduler's podInitialBackoffSeconds, podMaxBackoffSeconds
}  // namespace

bool Simulation::Timer::operator>(const Timer& other) const {
  return std::tie(time, tick, job, version) > std::tie(other.time, other.tick, other.job, other.version);
}

Simulation::Simulation(const ClusterUsage& usage, std::span<const Job> jobs, const Options& options)
    : jobs_(jobs),
      options_(options),
      preempts_(options.preemption.value_or(mode_info(options.mode).preempts)),
      backoff_(options.backoff.value_or(options.mode == Mode::kCoscheduling ? kPodBackoff : Backoff{})),
      usage_(usage),
      placer_(usage_, options.placement),
      shapes_(jobs),
      states_(jobs.size()),
      followers_(jobs.size()),
      blocked_shapes_(shapes_.size()),
      blocked_classes_(usage.shape().pod_classes.size()) {
  result_.jobs.resize(jobs.size());
  result_.capacity_milli = capacity_milli_ = capacity_milli(usage, jobs);
  add_jobs();
  scheduler_ = make_scheduler(*this);
}

Simulation::~Simulation() = default;

void Simulation::add_jobs() {
  job_of_pod_.resize(usage_.pod_count());
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const JobId id{i};
    State& state = states_[i];
    state.pods = pod_count(jobs_[i]);
    state.first_pod = PodId{usage_.pod_count()};
    for (const PodSet& set : jobs_[i].pod_sets) {
      for (std::int32_t n = 0; n < set.count; ++n) {
        usage_.add_pod(set.pod_class, jobs_[i].name);
        job_of_pod_.push_back(id);
      }
    }
    state.ends_waited_for = static_cast<std::int32_t>(jobs_[i].after.size());
    for (const JobId before : jobs_[i].after) {
      followers_[before.index()].push_back(id);
    }
    result_.jobs[i].submission_ms = jobs_[i].submission_ms;
    if (state.ends_waited_for == 0) {
      timers_.push({jobs_[i].submission_ms, Tick::kSubmit, id, 0});
    }
  }
  usage_.commit();
  if (options_.stays) {
    stays_.resize(usage_.pod_count());
  }
  now_ = timers_.empty() ? 0 : timers_.top().time;
  result_.first_ms = result_.last_ms = now_;
}

SimulationResult Simulation::run() {
  while (drop_void_timers(), !timers_.empty() && !result_.livelock) {
    advance(timers_.top().time);
    while (!timers_.empty() && timers_.top().time == now_) {
      const Timer timer = timers_.top();
      timers_.pop();
      tick(timer);
    }
    place_stragglers();
    scheduler_->pass();
    usage_.commit();
    look_for_deadlock();
    result_.livelock = hopeless();
  }
  finish(result_);
  return std::move(result_);
}

// Of runs and holds that are over already: time does not go on for their sake.
void Simulation::drop_void_timers() {
  while (!timers_.empty() && is_void(timers_.top())) {
    live_timeouts_ -= timers_.top().tick == Tick::kTimeout ? 1U : 0U;
    timers_.pop();
  }
}

bool Simulation::is_void(const Timer& timer) const {
  const State& state = states_[timer.job.index()];
  switch (timer.tick) {
    case Tick::kSubmit:
      return false;
    case Tick::kEnd:
      return state.phase != Phase::kRunning || state.version != timer.version;
    case Tick::kTimeout:
      return !state.holding || state.version != timer.version;
    case Tick::kRetry:
      return state.phase != Phase::kBackoff;
  }
  return false;
}

void Simulation::advance(std::int64_t time) {
  const int128 span = time - now_;
  busy_ += span * busy_milli_;
  held_ += span * held_milli_;
  now_ = time;
}

void Simulation::tick(const Timer& timer) {
  live_timeouts_ -= timer.tick == Tick::kTimeout ? 1U : 0U;
  if (is_void(timer)) {
    return;
  }
  switch (timer.tick) {
    case Tick::kSubmit:
      submit(timer.job);
      return;
    case Tick::kEnd:
      end_run(timer.job);
      return;
    case Tick::kTimeout:
      timed_out(timer.job);
      return;
    case Tick::kRetry:
      states_[timer.job.index()].phase = Phase::kWaiting;
      scheduler_->enqueue(timer.job);
      return;
  }
}

void Simulation::submit(JobId id) {
  states_[id.index()].phase = Phase::kWaiting;
  result_.jobs[id.index()].submission_ms = now_;
  ++waiting_;
  ++submitted_;
  idle_timeouts_ = 0;
  note(EventKind::kSubmit, id);
  scheduler_->enqueue(id);
}

std::int32_t Simulation::needed(JobId id) const {
  const std::int32_t least = job(id).min_pods;
  return least > 0 ? std::min(least, states_[id.index()].pods) : states_[id.index()].pods;
}

void Simulation::start(JobId id) {
  State& state = states_[id.index()];
  JobOutcome& outcome = result_.jobs[id.index()];
  log_stays(id, true);
  if (state.holding) {
    state.holding = false;
    held_milli_ -= state.milli;
    holders_.erase(id);
  }
  --waiting_;
  idle_timeouts_ = 0;
  state.phase = Phase::kRunning;
  busy_milli_ += state.milli;
  outcome.start_ms = outcome.start_ms < 0 ? now_ : outcome.start_ms;
  if (state.placed < state.pods) {
    stragglers_.insert(id);
  }
  note(EventKind::kStart, id);
  run_until_next_end(id);
}

// The n-th run ends at the n-th failure, runs after the last failure end well.
void Simulation::run_until_next_end(JobId id) {
  State& state = states_[id.index()];
  const auto run = static_cast<std::size_t>(result_.jobs[id.index()].restarts);
  std::int64_t length = job(id).duration_ms;
  if (run < job(id).fail_at_ms.size()) {
    length = std::min(length, job(id).fail_at_ms[run]);
  }
  state.run_since = now_;
  ++state.version;
  running_.emplace(now_ + length, id);
  timers_.push({now_ + length, Tick::kEnd, id, state.version});
}

void Simulation::stop_run(JobId id, bool lost) {
  State& state = states_[id.index()];
  const std::int64_t length = now_ - state.run_since;
  result_.jobs[id.index()].run_ms += length;
  if (lost) {
    lost_ += int128{length} * state.milli;
  }
  ++state.version;
}

void Simulation::end_run(JobId id) {
  running_.erase({now_, id});
  idle_timeouts_ = 0;
  State& state = states_[id.index()];
  JobOutcome& outcome = result_.jobs[id.index()];
  const auto run = static_cast<std::size_t>(outcome.restarts);
  const bool failed = run < job(id).fail_at_ms.size() && job(id).fail_at_ms[run] < job(id).duration_ms;
  stop_run(id, failed);
  if (!failed) {
    over(id, JobState::kFinished, EventKind::kFinish);
  } else if (outcome.restarts >= job(id).max_restarts) {
    over(id, JobState::kFailed, EventKind::kFail);
  } else {
    ++outcome.restarts;
    note(EventKind::kFail, id);
    if (options_.mode != Mode::kPod) {  // JobSet makes its pods anew, and their place is still reserved for them
      note(EventKind::kRestart, id);
      run_until_next_end(id);
      return;
    }
    busy_milli_ -= state.milli;
    unplace(id);
    stragglers_.erase(id);
    state.phase = Phase::kWaiting;
    ++waiting_;
    scheduler_->enqueue(id);
  }
}

void Simulation::over(JobId id, JobState job_state, EventKind event) {
  State& state = states_[id.index()];
  JobOutcome& outcome = result_.jobs[id.index()];
  outcome.state = job_state;
  if (state.phase == Phase::kRunning) {
    outcome.end_ms = result_.last_ms = now_;
    busy_milli_ -= state.milli;
    remember_places(id);
    unplace(id);
    stragglers_.erase(id);
  }
  state.phase = Phase::kOver;
  note(event, id);
  for (const JobId next : followers_[id.index()]) {
    if (--states_[next.index()].ends_waited_for == 0) {
      timers_.push({std::max(now_ + job(next).think_ms, job(next).submission_ms), Tick::kSubmit, next, 0});
    }
  }
  if (++ended_ % kProgressSteps == 0 && options_.progress) {
    options_.progress(ended_);
  }
}

void Simulation::hold(JobId id, std::int64_t timeout_ms) {
  State& state = states_[id.index()];
  if (state.holding) {
    return;
  }
  state.holding = true;
  ++state.version;
  holders_.insert(id);
  held_milli_ += state.milli;
  note(EventKind::kHold, id);
  if (timeout_ms >= 0) {
    ++live_timeouts_;
    timers_.push({now_ + timeout_ms, Tick::kTimeout, id, state.version});
  }
}

void Simulation::give_back(JobId id, EventKind why) {
  State& state = states_[id.index()];
  if (state.holding) {
    held_milli_ -= state.milli;
    state.holding = false;
    holders_.erase(id);
    ++state.version;
  }
  unplace(id);
  note(why, id);
}

void Simulation::undo_placing(JobId id) {
  unplace(id);
}

void Simulation::timed_out(JobId id) {
  scheduler_->remove(id);
  give_back(id, EventKind::kTimeout);
  ++idle_timeouts_;
  State& state = states_[id.index()];
  const std::int32_t times = ++result_.jobs[id.index()].timeouts;
  if (backoff_.limit && times > *backoff_.limit) {
    --waiting_;
    over(id, JobState::kGivenUp, EventKind::kGiveUp);
  } else if (backoff_.base_ms > 0) {
    std::int64_t wait = backoff_.base_ms;
    for (std::int32_t i = 1; i < times && wait < backoff_.max_ms; ++i) {
      wait *= 2;
    }
    state.phase = Phase::kBackoff;
    timers_.push({now_ + std::min(wait, backoff_.max_ms), Tick::kRetry, id, 0});
  } else {
    scheduler_->enqueue(id);
  }
}

void Simulation::note(EventKind kind, JobId id, JobId by) {
  result_.events.push_back({now_, kind, id, by, id.valid() ? states_[id.index()].placed : 0});
}

// What holds GPUs and waits is stuck when nothing runs, and no time-out will make it let go.
void Simulation::look_for_deadlock() {
  const bool stuck = !holders_.empty() && running_.empty() && live_timeouts_ == 0;
  if (!stuck) {
    if (result_.deadlock && !running_.empty()) {
      const bool still = std::ranges::all_of(result_.deadlock->holders,
                                             [&](const Holder& holder) { return states_[holder.job.index()].holding; });
      if (!still) {
        result_.deadlock.reset();
      }
    }
    return;
  }
  if (result_.deadlock) {
    return;
  }
  Deadlock deadlock;
  deadlock.time_ms = now_;
  deadlock.held_milli = held_milli_;
  result_.deadlock = std::move(deadlock);
  result_.events.push_back({now_, EventKind::kDeadlock, {}, {}, 0});
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    if (state.holding) {
      result_.deadlock->holders.push_back({.job = JobId{i}, .placed = state.placed, .nodes = {}});
    }
  }
}

// Everybody had a turn at the head of the queue, and nobody could start.
bool Simulation::hopeless() const {
  return waiting_ > 0 && running_.empty() && !backoff_.limit && submitted_ == jobs_.size() &&
         idle_timeouts_ > 2 * waiting_ + 8;
}

}  // namespace gpusched::gang
