#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched {

/// The MIG instances of one GPU of a node, as indices into NodeClass::instances.
[[nodiscard]] std::vector<std::uint16_t> instances_of(const NodeClass& node_class, std::size_t gpu);

/// The pods that hold a GPU: its instances, or the whole of it or a part. In input order.
[[nodiscard]] std::vector<PodId> holders_of(const ClusterUsage& usage, NodeId node, std::size_t gpu);

}  // namespace gpusched
