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

/// What a container asks of one device plugin's resource.
struct DeviceRequest {
  ResourceId resource;
  int units = 0;
};
/// GPUs and MIG instances by profile, each a resource of its own.
[[nodiscard]] std::vector<DeviceRequest> device_requests(const PodClass& pod);

/// Devices of one resource on one node: GPUs, their replicas, or MIG instances, which are on the NUMA node of their
/// GPU.
struct NumaDevices {
  std::vector<int> nodes;      ///< NUMA nodes with GPUs, ascending; the same for every resource of a node
  std::vector<int> of_gpu;     ///< index into `nodes` of each GPU; -1: unknown
  std::vector<int> all, free;  ///< units on each GPU: advertised, and not taken

  /// Bit i: the i-th of `nodes` has such devices; 0: the NUMA node of none is known, then the device manager has no
  /// preference.
  [[nodiscard]] std::uint64_t numa_mask() const;
};
/// `own` are units that count as free.
[[nodiscard]] NumaDevices numa_devices(const ClusterUsage& usage, NodeId node, ResourceId resource,
                                       std::span<const GpuShare> own = {});

struct NumaRequest {
  NumaDevices devices;
  int units = 0;
};
/// What a pod asks of each resource of a node.
[[nodiscard]] std::vector<NumaRequest> numa_requests(const ClusterUsage& usage, NodeId node, const PodClass& pod,
                                                     std::span<const GpuShare> own = {});

/// What the policy makes of the requests of one container. Nothing is refused while no NUMA node is known: the plugin
/// then gives no hints. With more than 8 NUMA nodes that have GPUs the same.
[[nodiscard]] Affinity affinity(std::span<const NumaRequest> requests, TopologyPolicy policy);

/// The GPUs (one entry a unit, ascending) that a container gets which asks for `request` units of this resource that
/// are free.
[[nodiscard]] std::vector<std::uint16_t> kubelet_choice(const ClusterUsage& usage, NodeId node, DeviceRequest request,
                                                        const Affinity& affinity, const KubeletRules& rules);

/// Whether the GPU, and so its instances, is on one of the NUMA nodes.
[[nodiscard]] bool is_aligned(const NumaDevices& devices, const Affinity& affinity, std::uint16_t gpu);

}  // namespace gpusched::placement
