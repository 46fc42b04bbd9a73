#include "gpusched/placement/preemption.hpp"

#include <algorithm>
#include <tuple>

#include "gang/scheduler.hpp"
#include "gang/simulation.hpp"

// Eviction of jobs and pods of lower priority.
namespace gpusched::gang {

// The least important first: lowest priority, then the latest to start (jobs that only hold something before all).
std::vector<JobId> Simulation::victims_below(std::int32_t priority) const {
  std::vector<JobId> victims;
  if (!holds_below(priority)) {
    return victims;
  }
  const auto add = [&](JobId id) {
    if (job(id).priority < priority && states_[id.index()].placed > 0) {
      victims.push_back(id);
    }
  };
  for (const auto& [end, id] : running_) {
    add(id);
  }
  std::ranges::for_each(holders_, add);
  std::ranges::sort(victims, {}, [&](JobId id) {
    const State& state = states_[id.index()];
    return std::tuple(job(id).priority, state.phase == Phase::kRunning, -state.run_since, -std::int64_t{id.value});
  });
  return victims;
}

// Whole jobs go: greedily until there is room, then each one that turns out not to be needed stays, the most important
// first.
bool Simulation::place_by_preemption(JobId id) {
  const std::vector<JobId> candidates = victims_below(job(id).priority);
  std::int64_t milli = capacity_milli_ - busy_milli_ - held_milli_;
  for (const JobId victim : candidates) {
    milli += states_[victim.index()].milli;
  }
  if (candidates.empty() || (job(id).min_pods == 0 && milli < gpu_milli(usage_.shape(), job(id)))) {
    return false;  // not even without all of them
  }
  const ClusterUsage::Mark mark = usage_.mark();
  const auto unbind = [&](JobId victim) {
    for (std::int32_t n = states_[victim.index()].placed; n-- > 0;) {
      usage_.unbind(pod(victim, n));
    }
  };
  const auto fits_without = [&](std::span<const JobId> victims) {
    std::ranges::for_each(victims, unbind);
    const bool fits = try_to_place(id) >= 0;
    usage_.revert(mark);
    return fits;
  };
  // The number of victims by bisection: more of them never make less room.
  std::size_t low = 0;
  std::size_t high = candidates.size();
  if (!fits_without(candidates)) {
    return false;
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (fits_without(std::span(candidates).first(middle)) ? high : low) = middle;
  }
  std::vector<JobId> victims(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(high));
  for (std::size_t i = victims.size(); i-- > 0 && victims.size() > 1;) {
    std::vector<JobId> fewer = victims;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits_without(fewer)) {
      victims = std::move(fewer);
    }
  }
  for (const JobId victim : victims) {
    evict(victim, id);
  }
  const std::int32_t placed = try_to_place(id);
  count_placed(id, std::max(placed, 0));
  return placed >= 0;
}

// kube-scheduler's way: pods of one node go. A job that loses a pod starts over with all of them.
bool Simulation::place_pod_by_preemption(JobId id, PodId wanted) {
  if (!holds_below(job(id).priority)) {
    return false;
  }
  const auto found = placement::find_preemption(usage_, placer_.filter(usage_.pod_class_id(wanted)));
  if (!found) {
    return false;
  }
  std::vector<JobId> victims;
  for (const PodId victim : found->victims) {
    if (job_of_pod_[victim.index()].valid()) {
      victims.push_back(job_of_pod_[victim.index()]);
    } else {
      usage_.unbind(victim);
    }
  }
  std::ranges::sort(victims);
  victims.erase(std::ranges::unique(victims).begin(), victims.end());
  for (const JobId victim : victims) {
    evict(victim, id);
  }
  return placer_.place(wanted).valid();
}

void Simulation::evict(JobId victim, JobId by) {
  State& state = states_[victim.index()];
  ++result_.jobs[victim.index()].preemptions;
  if (state.phase == Phase::kRunning) {
    const auto run = std::ranges::find(running_, victim, &std::pair<std::int64_t, JobId>::second);
    running_.erase(run);
    stop_run(victim, true);
    busy_milli_ -= state.milli;
    stragglers_.erase(victim);
    ++waiting_;
    state.phase = Phase::kWaiting;
  } else {
    scheduler_->remove(victim);
    held_milli_ -= state.milli;
    state.holding = false;
    holders_.erase(victim);
    ++state.version;
  }
  unplace(victim);
  note(EventKind::kPreempt, victim, by);
  scheduler_->enqueue(victim);
}

}  // namespace gpusched::gang
