#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/cluster_objects.hpp"
#include "gpusched/whatif/node_shapes.hpp"

/// Changes of a cluster, as values that name nodes and pods: what an operator could do. A question "what if" is a list
/// of them, applied in order to a copy of the model (model_edit.hpp) or of the objects (object_edit.hpp), or one at a
/// time to a snapshot of the scheduler (Trial).
namespace gpusched::whatif {

/// Adds empty nodes that equal an existing one but for the name: "NODE-new-1", ….
struct AddNodes {
  std::string like;
  std::int32_t count = 1;
  bool operator==(const AddNodes&) const = default;
};

/// Adds empty nodes that the cluster has no example of: "p5.48xlarge-new-1", ….
struct AddShape {
  std::shared_ptr<const NodeTemplate> node;
  std::int32_t count = 1;
  bool operator==(const AddShape&) const = default;
};

/// Takes nodes away. Whoever made their pods makes them again, and they want a place; pods of DaemonSets and of the
/// node itself go with it. `node`, here and where pods leave: a name, or a label selector.
struct RemoveNode {
  std::string node;
  bool operator==(const RemoveNode&) const = default;
};

/// kubectl cordon, or uncordon.
struct CordonNode {
  std::string node;
  bool cordoned = true;
  bool operator==(const CordonNode&) const = default;
};

/// kubectl drain --ignore-daemonsets: cordons the node and evicts its pods, which want another place: in a model and in
/// objects they get it at once where there is one, in a trial they stay Pending. Pods of DaemonSets and static pods
/// stay.
struct DrainNode {
  std::string node;
  bool operator==(const DrainNode&) const = default;
};

/// kubectl label --overwrite; without a value the label goes.
struct LabelNode {
  std::string node, key;
  std::optional<std::string> value;
  bool operator==(const LabelNode&) const = default;
};

/// kubectl taint --overwrite. `remove`: a taint of this key goes, of every effect when the effect is empty.
struct TaintNode {
  std::string node;
  objects::Taint taint;
  bool remove = false;
  bool operator==(const TaintNode&) const = default;
};

/// What a device plugin offers after a repartition or with other sharing; 0 takes the resource away. In a trial only.
struct SetAllocatable {
  std::string node, resource;
  std::int64_t amount = 0;
  bool operator==(const SetAllocatable&) const = default;
};

/// How a device plugin shares GPUs.
enum class SharingStrategy : std::uint8_t { kNone, kTimeSlicing, kMps };

/// Gives the GPUs of a node that are not in MIG mode so many replicas. Pods keep what they hold.
struct ShareGpus {
  std::string node;
  SharingStrategy strategy = SharingStrategy::kNone;
  std::int32_t replicas = 1;
  bool rename = false;  ///< the device plugin's renameByDefault: "nvidia.com/gpu.shared"
  bool operator==(const ShareGpus&) const = default;
};

/// Gives one GPU or all GPUs of a node another MIG layout. Busy instances stay where they are, if the layout has them.
struct RepartitionGpus {
  std::string node;
  std::optional<std::uint16_t> gpu;
  std::string layout;  ///< a mig-parted name ("all-1g.10gb", "all-disabled") or profiles ("2x1g.10gb+3g.40gb")
  bool operator==(const RepartitionGpus&) const = default;
};

/// Sets the number of pods of a controller: "deployment/web". New pods are Pending copies; of too many the youngest go.
struct ScaleOwner {
  std::string kind, namespace_name, name;  ///< an empty namespace: any
  std::int32_t count = 0;
  bool operator==(const ScaleOwner&) const = default;
};

/// Deletes a pod for good.
struct DeletePod {
  std::string name;  ///< "namespace/name", or a name that only one namespace has
  bool operator==(const DeletePod&) const = default;
};

/// Evicts a pod, which becomes pending; in a trial only. Claims that only it uses lose their allocation.
struct EvictPod {
  std::string namespace_name, name;
  bool operator==(const EvictPod&) const = default;
};

/// Puts a pod on another node; in a trial only.
struct MovePod {
  std::string namespace_name, name, node;
  bool operator==(const MovePod&) const = default;
};

using ClusterEdit = std::variant<AddNodes, AddShape, RemoveNode, CordonNode, DrainNode, LabelNode, TaintNode, ShareGpus,
                                 RepartitionGpus, SetAllocatable, ScaleOwner, DeletePod, EvictPod, MovePod>;

/// The edits that change the object of one node and nothing else.
template <class Edit>
inline constexpr bool kChangesOneNode = std::is_same_v<Edit, CordonNode> || std::is_same_v<Edit, LabelNode> ||
                                        std::is_same_v<Edit, TaintNode> || std::is_same_v<Edit, SetAllocatable>;

/// An order to the operator: "uncordon dgx-a", "evict ml/notebook-3".
[[nodiscard]] std::string describe(const ClusterEdit& edit);

/// The part of an edit that concerns one node's object: cordon, drain, label, taint, allocatable; others change
/// nothing.
void change_node(const ClusterEdit& edit, objects::Node& node);
/// The node that AddNodes would add as its `number`th, counted from 1.
[[nodiscard]] objects::Node new_node_like(const objects::Node& node, std::int32_t number);
/// Whether kubectl drain leaves the pod where it is: it belongs to a DaemonSet or to the node itself.
[[nodiscard]] bool stays_on_drain(const objects::Pod& pod);

}  // namespace gpusched::whatif
