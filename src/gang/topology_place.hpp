#pragma once

#include <span>
#include <vector>

#include "gpusched/model/job.hpp"
#include "gpusched/placement/placer.hpp"

namespace gpusched::gang {

/// Binds all pods of a job with a topology request, the first of which is `first_pod`; false: nothing is bound. The
/// domains are tried in the order of their label values; nodes inside a domain go by the placement policy.
[[nodiscard]] bool place_in_domains(placement::Placer& placer, const Job& job, PodId first_pod,
                                    std::span<const Job> jobs, std::span<const JobId> job_of_pod);

}  // namespace gpusched::gang
