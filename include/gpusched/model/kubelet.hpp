#pragma once

#include <cstdint>
#include <optional>

namespace gpusched {

/// The kubelet's Topology Manager policy, `topologyManagerPolicy`.
enum class TopologyPolicy : std::uint8_t {
  kNone,            ///< NUMA nodes are not looked at
  kBestEffort,      ///< devices of few NUMA nodes where that is possible
  kRestricted,      ///< a pod that could sit on fewer NUMA nodes of an empty machine is refused
  kSingleNumaNode,  ///< a pod whose devices are not on one NUMA node is refused
};

/// What decides on a node, after the scheduler, which devices a pod gets and whether it starts at all.
struct KubeletFacts {
  std::optional<TopologyPolicy> topology_policy;  ///< none: unknown
  bool mps = false;                               ///< replicas are clients of MPS: with limits of memory and threads
  bool one_replica_only = false;  ///< the device plugin refuses containers that ask for more than one replica
  bool packed = false;            ///< sharedDevicesAllocationPolicy: replicas of used GPUs first; false: distributed

  bool operator==(const KubeletFacts&) const = default;
};

}  // namespace gpusched
