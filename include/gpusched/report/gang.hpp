#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpusched/gang/all_reduce.hpp"
#include "gpusched/gang/metrics.hpp"
#include "gpusched/gang/simulate.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// A run that did without the deadlock: the same jobs in another mode.
struct DeadlockAvoided {
  gang::Mode mode = gang::Mode::kGang;
  std::int64_t makespan_ms = 0;
  double held_gpu_seconds = 0;
  std::size_t finished = 0;
};

/// The whole GangReport (docs/formats/gang-report.md). `usage` is the cluster at the start, which stands in it with
/// the stays of all pods when it is to be shown; `all_reduce`, by job, may be empty.
[[nodiscard]] Document gang_report(const ClusterUsage& usage, std::span<const Job> jobs, const gang::Options& options,
                                   const gang::SimulationResult& result, const std::optional<DeadlockAvoided>& avoided,
                                   std::span<const std::optional<topology::JobBound>> all_reduce,
                                   Cluster cluster = Cluster::kLeftOut);

}  // namespace gpusched::report
