#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/placement/options.hpp"

// What happens on a node after the scheduler chose it: the Topology Manager, the device manager and NVIDIA's device
// plugin. Sources: Kubernetes 1.37 pkg/kubelet/cm/{topologymanager,devicemanager}; k8s-device-plugin v0.20 internal/rm;
// go-gpuallocator besteffort_policy.go.
namespace gpusched::placement {

/// The NUMA nodes from which the device manager hands out, and whether the pod may start.
struct Affinity {
  std::uint64_t mask = 0;  ///< bit i: the i-th of NumaDevices::nodes; 0: no affinity
  bool admitted = true;
};

/// Devices of one resource on one node: whole GPUs, or their replicas.
struct NumaDevices {
  std::vector<int> nodes;      ///< NUMA nodes with devices, ascending
  std::vector<int> of_gpu;     ///< index into `nodes` of each GPU; -1: unknown, or not of the resource
  std::vector<int> all, free;  ///< units of each GPU: advertised, and not taken
};
/// The GPUs of the node outside MIG; `own` are units that count as free.
[[nodiscard]] NumaDevices numa_devices(const ClusterUsage& usage, NodeId node, std::span<const GpuShare> own = {});

/// What the policy makes of a request for so many units. Nothing is refused while no NUMA node is known: the plugin
/// then gives no hints. With more than 8 NUMA nodes that have GPUs the same.
[[nodiscard]] Affinity affinity(const NumaDevices& devices, int request, TopologyPolicy policy);

/// The GPUs (one entry a unit, ascending) that a container gets which asks for `request` units that are free.
[[nodiscard]] std::vector<std::uint16_t> kubelet_choice(const ClusterUsage& usage, NodeId node, int request,
                                                        const KubeletRules& rules);

}  // namespace gpusched::placement
