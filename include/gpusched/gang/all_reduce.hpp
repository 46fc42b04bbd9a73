#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpusched/gang/simulate.hpp"
#include "gpusched/topology/job_all_reduce.hpp"

namespace gpusched::gang {

/// What a job's GPUs exchange per training step, bytes: the most that one of its pods says; 0 when none does.
[[nodiscard]] std::int64_t gradient_bytes(const ClusterShape& shape, const Job& job);

/// By job: the all-reduce bound where its last run was; none for jobs that never ran or exchange nothing. The pods that
/// name no gradient take no part.
[[nodiscard]] std::vector<std::optional<topology::JobBound>> all_reduce_bounds(const ClusterShape& shape,
                                                                               std::span<const Job> jobs,
                                                                               const SimulationResult& result,
                                                                               const topology::JobAllReduce& network);

}  // namespace gpusched::gang
