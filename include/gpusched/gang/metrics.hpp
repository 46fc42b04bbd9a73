#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/gang/simulate.hpp"

namespace gpusched::gang {

/// Mean and percentiles (nearest rank: the smallest value with at least p % of all at or below it), largest last.
struct Distribution {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
};

/// The jobs of one group (all of them, a queue, a user, a size) that ended.
struct JobMetrics {
  std::string name;
  std::size_t jobs = 0;           ///< in the group
  std::size_t ended = 0;          ///< of them; the distributions are over these
  Distribution wait;              ///< seconds from the submission to the first start (queueing delay)
  Distribution jct;               ///< seconds from the submission to the end (job completion time, turnaround)
  Distribution slowdown;          ///< jct / run time
  Distribution bounded_slowdown;  ///< max(1, jct / max(run time, 10 s)); Feitelson et al., JSSPP 1997
  double gpu_seconds = 0;         ///< GPUs × run time
};

struct Metrics {
  JobMetrics all;
  std::vector<JobMetrics> queues, users;  ///< by name; empty when no job names one
  std::vector<JobMetrics> sizes;          ///< by GPUs of the job, ascending
  double utilisation = 0;                 ///< GPU-seconds run / (GPUs × makespan)
  double held_gpu_hours = 0;              ///< held by parts of waiting jobs
  double idle_gpu_hours = 0;              ///< of the GPUs over the makespan, what neither ran nor was held
  /// Jain's index (Σx)² / (n Σx²) over the users' (or, without users, the queues') mean slowdown: 1 is equal treatment.
  /// 1 when there are not two.
  double jain = 1;
};

[[nodiscard]] Metrics measure(const ClusterShape& shape, std::span<const Job> jobs, const SimulationResult& result);

}  // namespace gpusched::gang
