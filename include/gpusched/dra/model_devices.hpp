#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/dra/in_use.hpp"
#include "gpusched/dra/node_facts.hpp"
#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// A published device and the GPU, or MIG instance, of the model that it stands for.
struct ModelDevice {
  DeviceId id;
  NodeId node;
  std::uint16_t gpu = 0;                           ///< index in the node
  std::uint16_t instance = GpuShare::kNoInstance;  ///< index into NodeClass::instances
};

/// The devices of slices_of(shape, style lesson) in their order.
[[nodiscard]] std::vector<ModelDevice> model_devices(const ClusterShape& shape,
                                                     std::span<const objects::ResourceSlice> slices);

/// Devices whose GPU or instance some pod holds, wholly or in part, count as allocated.
[[nodiscard]] InUse held_devices(const ClusterUsage& usage, std::span<const ModelDevice> devices);

/// The nodes in input order with their labels.
[[nodiscard]] std::vector<NodeFacts> node_facts(const ClusterShape& shape);

}  // namespace gpusched::dra
