#include <algorithm>
#include <map>

#include "gang/simulation.hpp"

// What is left when nothing more can happen.
namespace gpusched::gang {

namespace {

constexpr double kMilliUnits = 1e6;  // milli-GPU × ms in a GPU-second

double gpu_seconds(int128 amount) {
  return static_cast<double>(amount) / kMilliUnits;
}

}  // namespace

void Simulation::describe_waiting(JobId id) {
  remember_places(id);
  JobOutcome& outcome = result_.jobs[id.index()];
  State& state = states_[id.index()];
  const std::int32_t held = state.placed;
  const ClusterUsage::Mark mark = usage_.mark();
  while (state.placed < state.pods && bind_next(id, state.placed)) {
    ++state.placed;
  }
  outcome.placeable = state.placed;
  outcome.next_pod_class = next_pod_class(id);
  if (outcome.next_pod_class.valid()) {
    outcome.reasons = placer_.reasons(outcome.next_pod_class);
  }
  usage_.revert(mark);
  state.placed = held;
}

void Simulation::finish(SimulationResult& result) {
  finish_stays(result);
  result.busy_gpu_seconds = gpu_seconds(busy_);
  result.held_gpu_seconds = gpu_seconds(held_);
  result.lost_gpu_seconds = gpu_seconds(lost_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const JobId id{i};
    if (states_[i].phase == Phase::kFuture) {
      result.jobs[i].state = JobState::kBlocked;
    } else if (states_[i].phase != Phase::kOver) {
      describe_waiting(id);
    }
  }
  if (!result.deadlock) {
    return;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const bool known =
        std::ranges::find(result.deadlock->holders, JobId{i}, &Holder::job) != result.deadlock->holders.end();
    if (states_[i].holding && !known) {  // it came later
      result.deadlock->holders.push_back({.job = JobId{i}, .nodes = {}});
    }
  }
  result.deadlock->held_milli = held_milli_;
  const ClusterShape& shape = usage_.shape();
  for (Holder& holder : result.deadlock->holders) {
    const State& state = states_[holder.job.index()];
    std::map<std::uint32_t, std::pair<NodeId, std::int32_t>> by_name;
    holder.placed = state.placed;
    holder.missing = needed(holder.job) - state.placed;
    holder.held_milli = state.milli;
    holder.wanted_milli = 0;
    for (std::int32_t n = 0; n < needed(holder.job); ++n) {
      if (n >= state.placed) {
        holder.wanted_milli += gpu_milli(usage_.pod_class(pod(holder.job, n)));
        continue;
      }
      const NodeId node = usage_.node_of(pod(holder.job, n));
      auto& entry = by_name[shape.name_rank[node.index()]];
      entry.first = node;
      ++entry.second;
    }
    for (const auto& [rank, entry] : by_name) {
      holder.nodes.push_back(entry);
    }
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].phase == Phase::kWaiting && states_[i].placed == 0) {
      result.deadlock->waiting.emplace_back(i);
    }
  }
}

}  // namespace gpusched::gang
