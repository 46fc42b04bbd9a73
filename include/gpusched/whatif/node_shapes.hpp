#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/model/node_network.hpp"
#include "gpusched/model/shape_builder.hpp"
#include "gpusched/objects/node.hpp"

/// The catalogue of machines that can be bought or rented, and nodes to add to a cluster.
namespace gpusched::whatif {

/// A cloud instance type or an on-premises machine with GPUs. How its GPUs are linked and how much memory they have
/// follows from the product and the instance type, as for the nodes of a dump.
struct NodeShape {
  std::string_view provider;       ///< "aws", "gcp", "azure", "coreweave", "on-prem"
  std::string_view instance_type;  ///< "p5.48xlarge"
  std::string_view arch;           ///< "amd64", "arm64"
  std::int32_t vcpus;
  std::int64_t memory_mib;             ///< of the machine; 0 unknown: of on-premises ones it is a matter of the order
  std::int64_t allocatable_milli_cpu;  ///< what kubelet and system leave, as Karpenter has it; 0 unknown
  std::int64_t allocatable_mib;
  std::int32_t allocatable_pods;
  std::string_view product;  ///< as GPU Feature Discovery spells it: "NVIDIA-H100-80GB-HBM3"
  std::int32_t gpus;
};

/// Every shape, by provider and instance type. Sources: src/io/data/node-shapes.json.
[[nodiscard]] std::span<const NodeShape> node_shapes();

/// The shape that "p5.48xlarge" or "aws/p5.48xlarge" names; case does not matter. Error "unknown-shape", with the
/// nearest name.
[[nodiscard]] Result<const NodeShape*> find_node_shape(std::string_view name);

/// The shape as the node that would join a cluster: labels of the cloud and of GPU Feature Discovery, allocatable with
/// one nvidia.com/gpu for each GPU. Where the catalogue does not know what is left of the machine, it is all of it, and
/// 110 pods, kubelet's default. An unknown memory is left out.
[[nodiscard]] objects::Node node_of(const NodeShape& shape);

/// A node to add copies of, for both kinds of cluster: as the object of a dump, and as the only node of a shape.
struct NodeTemplate {
  std::string name;          ///< "p5.48xlarge": what names of its copies start with
  objects::Node object;      ///< with a name
  ShapePtr shape;            ///< one node
  NodeNetwork network = {};  ///< its NICs; the rack does not count
};

/// Makes the template's node class known to a shape. A GPU model that the shape knows in another spelling ("A100-SXM4-
/// 80GB" for "NVIDIA-A100-SXM4-80GB") gets the shape's, because pods ask for it by that.
[[nodiscard]] NodeClassId add_node_class(ShapeBuilder& builder, const NodeTemplate& node);

/// The class of a node that joins as a copy of one of this class: nobody has cordoned it, so it lacks the taint that
/// the node controller gives to cordoned nodes, too.
[[nodiscard]] NodeClassId add_class_like(ShapeBuilder& builder, NodeClass node_class);

/// A node of the shape as a template, for copies of it; `object` stays empty.
[[nodiscard]] NodeTemplate template_like(const ClusterShape& shape, NodeId node);

}  // namespace gpusched::whatif
