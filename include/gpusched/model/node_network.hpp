#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/model/node_labels.hpp"

/// What connects nodes beside NVLink.
namespace gpusched {

struct NodeNetwork {
  std::int32_t network_mbps = 0;  ///< MB/s in one direction of all its NICs together; 0 unknown
  std::int32_t gpu_nic_mbps = 0;  ///< MB/s in one direction of the NIC that each GPU has for itself; 0 unknown or none
  StringId rack;                  ///< the nodes with this value share a switch; invalid when unknown

  bool operator==(const NodeNetwork&) const = default;
};

struct ClusterNetwork {
  std::vector<NodeNetwork> nodes;           ///< by NodeId; may be shorter: nothing known
  std::int32_t oversubscription_milli = 0;  ///< 4000: a rack's links carry a fourth of what its nodes send; 0 unknown
  std::string rack_label = {};              ///< the label that names a node's rack; "": the first of kRackLabels

  [[nodiscard]] NodeNetwork of(NodeId node) const {
    return node.index() < nodes.size() ? nodes[node.index()] : NodeNetwork{};
  }
};

/// Where clouds and NVIDIA Topograph write which nodes share a switch, the first one that a node has counts. Sources:
/// docs of NVIDIA Topograph (leaf switch), EKS (the layer next to the instance), GKE (subblock), Kueue's examples of
/// topology-aware scheduling.
inline constexpr std::array<std::string_view, 4> kRackLabels = {
    "network.topology.nvidia.com/leaf", "topology.k8s.aws/network-node-layer-3",
    "cloud.google.com/gce-topology-subblock", "cloud.provider.com/topology-rack"};

/// The rack that labels name; "" when they name none. `rack_label` as in ClusterNetwork.
[[nodiscard]] std::string_view rack_of(std::span<const LabelText> labels, std::string_view rack_label);

}  // namespace gpusched
