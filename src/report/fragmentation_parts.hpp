#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::report {

/// The `fragmentation` object of a report: {free, total, largestBlock, largestIsland, rows[], gangs[], timeSliced}.
[[nodiscard]] nlohmann::ordered_json fragmentation_object(const frag::ExclusiveGpus& exclusive,
                                                          const frag::TimeSlicedGpus& time_sliced);
/// The `mig` list of a report, one entry per GPU in MIG mode.
[[nodiscard]] nlohmann::ordered_json mig_list(const ClusterUsage& usage, std::span<const frag::MigGpu> gpus);

}  // namespace gpusched::report
