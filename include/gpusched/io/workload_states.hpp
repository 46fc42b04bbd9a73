#pragma once

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/objects/workload_state.hpp"

namespace gpusched::io {

/// The objects of a dump that make pods or say why there are none, and its Events. What has another type than the API
/// gives it counts as absent, since only people read the outcome.
[[nodiscard]] objects::WorkloadStates read_workload_states(const ClusterDump& dump);

}  // namespace gpusched::io
