#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace gpusched::render {

/// What a job does between two of its events.
enum class JobPhase : std::uint8_t {
  kAway,     ///< not submitted yet, or ended
  kWaiting,  ///< without a GPU
  kHolding,  ///< a part of it has GPUs and waits for the rest
  kRunning,
};
/// By the first of the two. `last`: there is no other one, so that a failure is the end.
[[nodiscard]] JobPhase phase_after(std::string_view event, bool last);

/// How many jobs wait and run, and how many GPUs have a pod, after something happened.
struct JobMoment {
  double time = 0;  ///< s
  std::int64_t waiting = 0, running = 0;
};
struct GpuMoment {
  double time = 0;                     ///< s
  std::int64_t running = 0, held = 0;  ///< GPUs with a pod of a running job, of one that waits for the rest
};

/// The jobs of a GangReport over time, one moment for each time at which something changed.
[[nodiscard]] std::vector<JobMoment> job_moments(const nlohmann::ordered_json& report);
/// The GPUs likewise, by the stays; a GPU counts once for each pod on it.
[[nodiscard]] std::vector<GpuMoment> gpu_moments(const nlohmann::ordered_json& report);

}  // namespace gpusched::render
