#include <algorithm>
#include <tuple>

#include "gang/simulation.hpp"
#include "gang/topology_place.hpp"

// How jobs get their nodes and give them back.
namespace gpusched::gang {

PodClassId Simulation::next_pod_class(JobId id) const {
  const std::int32_t placed = states_[id.index()].placed;
  std::int32_t before = 0;
  for (const PodSet& set : job(id).pod_sets) {
    before += set.count;
    if (placed < before) {
      return set.pod_class;
    }
  }
  return {};
}

std::vector<std::pair<NodeId, std::int64_t>> Simulation::milli_by_node(JobId id) const {
  std::vector<std::pair<NodeId, std::int64_t>> milli;
  for (std::int32_t n = 0; n < states_[id.index()].placed; ++n) {
    const NodeId node = usage_.node_of(pod(id, n));
    const auto found = std::ranges::find(milli, node, &std::pair<NodeId, std::int64_t>::first);
    if (found == milli.end()) {
      milli.emplace_back(node, gpu_milli(usage_.pod_class(pod(id, n))));
    } else {
      found->second += gpu_milli(usage_.pod_class(pod(id, n)));
    }
  }
  return milli;
}

bool Simulation::bind_next(JobId id, std::int32_t number) {
  return placer_.place(pod(id, number)).valid();
}

void Simulation::count_placed(JobId id, std::int32_t pods) {
  State& state = states_[id.index()];
  std::int64_t milli = 0;
  for (std::int32_t n = state.placed; n < state.placed + pods; ++n) {
    milli += gpu_milli(usage_.pod_class(pod(id, n)));
    if (stays_.on()) {
      stays_.placed(pod(id, n), now_, state.phase == Phase::kRunning);
    }
  }
  if (state.placed == 0 && pods > 0) {
    ++placed_jobs_[job(id).priority];
  }
  state.placed += pods;
  state.milli += milli;
  if (state.phase == Phase::kRunning) {
    busy_milli_ += milli;
  } else if (state.holding) {
    held_milli_ += milli;
  }
}

// All pods that find a node, if they are enough to start. The usage is as before when they are not.
std::int32_t Simulation::try_to_place(JobId id) {
  const ClusterUsage::Mark mark = usage_.mark();
  const std::int32_t pods = states_[id.index()].pods;
  if (job(id).topology.key.valid()) {
    const bool fits = place_in_domains(placer_, job(id), pod(id, 0), jobs_, job_of_pod_);
    return fits ? pods : -1;
  }
  std::int32_t placed = 0;
  while (placed < pods && bind_next(id, placed)) {
    ++placed;
  }
  if (placed < needed(id)) {
    usage_.revert(mark);
    return -1;
  }
  return placed;
}

bool Simulation::place_whole(JobId id) {
  const std::uint32_t shape = shapes_.of(id);
  if (blocked_shape(shape)) {
    return false;
  }
  if (const std::int32_t placed = try_to_place(id); placed >= 0) {
    count_placed(id, placed);
    return true;
  }
  if (preempts_ && place_by_preemption(id)) {
    return true;
  }
  blocked_shapes_[shape] = epoch_;
  return false;
}

bool Simulation::place_next(JobId id) {
  const PodClassId pod_class = next_pod_class(id);
  if (blocked_class(pod_class)) {
    return false;
  }
  const PodId next = pod(id, states_[id.index()].placed);
  if (bind_next(id, states_[id.index()].placed) || (preempts_ && place_pod_by_preemption(id, next))) {
    count_placed(id, 1);
    return true;
  }
  blocked_classes_[pod_class.index()] = epoch_;
  return false;
}

void Simulation::unbind_pods(JobId id) {
  State& state = states_[id.index()];
  log_stays(id, false);
  for (std::int32_t n = state.placed; n-- > 0;) {
    usage_.unbind(pod(id, n));
  }
  if (state.placed > 0) {
    const auto placed = placed_jobs_.find(job(id).priority);
    if (--placed->second == 0) {
      placed_jobs_.erase(placed);
    }
  }
  state.placed = 0;
  state.milli = 0;
}

void Simulation::unplace(JobId id) {
  if (states_[id.index()].placed > 0) {
    ++epoch_;
  }
  unbind_pods(id);
}

void Simulation::take_back_whole(JobId id) {
  unbind_pods(id);
}

// Pods above a gang's minimum come when there is room for them.
void Simulation::place_stragglers() {
  for (auto it = stragglers_.begin(); it != stragglers_.end();) {
    const JobId id = *it;
    while (states_[id.index()].placed < states_[id.index()].pods && place_next(id)) {
    }
    it = states_[id.index()].placed == states_[id.index()].pods ? stragglers_.erase(it) : std::next(it);
  }
}

PodPlace Simulation::place_of(JobId id, std::int32_t number) const {
  const std::span<const GpuShare> shares = usage_.shares(pod(id, number));
  return {number, usage_.node_of(pod(id, number)), {shares.begin(), shares.end()}};
}

void Simulation::remember_places(JobId id) {
  std::vector<PodPlace>& places = result_.jobs[id.index()].places;
  places.clear();
  for (std::int32_t n = 0; n < states_[id.index()].placed; ++n) {
    places.push_back(place_of(id, n));
  }
}

void Simulation::log_stays(JobId id, bool runs_on, bool open) {
  for (std::int32_t n = 0; stays_.on() && n < states_[id.index()].placed; ++n) {
    stays_.ends(pod(id, n), {.job = id, .place = place_of(id, n), .open = open}, now_, runs_on);
  }
}

void Simulation::finish_stays(SimulationResult& result) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    log_stays(JobId{i}, false, true);
  }
  result.stays = std::move(stays_.stays());
  std::ranges::sort(result.stays, {},
                    [](const Stay& stay) { return std::tuple(stay.from_ms, stay.job, stay.place.pod); });
}

}  // namespace gpusched::gang
