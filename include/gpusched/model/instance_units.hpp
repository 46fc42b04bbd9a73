#pragma once

#include <cstdint>
#include <span>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched {

/// MIG instances of a node that nobody holds and that are counted as this resource. Under the device plugin's single
/// strategy that is the GPUs' own: a pod gets one instance for every nvidia.com/gpu that it asks for (k8s-device-plugin
/// v0.20, MIG_STRATEGY).
[[nodiscard]] inline std::int32_t free_instances(const ClusterUsage& usage, NodeId node, ResourceId resource) {
  const NodeClass& node_class = usage.node_class(node);
  std::int32_t free = 0;
  const std::span<const PodId> holders = usage.instance_holders(node);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    free += !holders[i].valid() && node_class.instances[i].resource == resource ? 1 : 0;
  }
  return free;
}

}  // namespace gpusched
