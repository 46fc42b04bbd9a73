#pragma once

#include <string>

#include "gpusched/io/cluster_dump.hpp"

namespace gpusched::io {

/// The name of the job that a pod is part of, "namespace/kind/name" with the kind in small letters; "" when it stands
/// for itself. A pod group counts before the workload that made the pod.
[[nodiscard]] std::string pod_group(const ClusterDump& dump, const PodRecord& record);

}  // namespace gpusched::io
