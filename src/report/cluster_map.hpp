#pragma once

#include <nlohmann/json.hpp>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::report {

/// The `cluster` object of a report: every node by name, its GPUs, and who holds what (docs/formats/cluster-map.md).
[[nodiscard]] nlohmann::ordered_json cluster_object(const ClusterUsage& usage);

}  // namespace gpusched::report
