#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/cluster_objects.hpp"

/// Changes of a cluster, as values that name nodes and pods: what an operator could do. A question "what if" is a list
/// of them, applied in order to a copy of the objects (apply) or to a snapshot of the scheduler (Trial).
namespace gpusched::whatif {

/// Adds empty nodes that equal an existing one but for the name: "NODE-new-1", ….
struct AddNodes {
  std::string like;
  std::int32_t count = 1;
  bool operator==(const AddNodes&) const = default;
};

/// Takes a node and its pods away.
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

/// kubectl drain --ignore-daemonsets: cordons the node and evicts its pods, which become pending. Pods of DaemonSets
/// and static pods stay.
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

/// What a device plugin offers after a repartition or with other sharing; 0 takes the resource away.
struct SetAllocatable {
  std::string node, resource;
  std::int64_t amount = 0;
  bool operator==(const SetAllocatable&) const = default;
};

/// Deletes a pod. Claims that only it uses lose their allocation.
struct EvictPod {
  std::string namespace_name, name;
  bool operator==(const EvictPod&) const = default;
};

/// Puts a pod on another node.
struct MovePod {
  std::string namespace_name, name, node;
  bool operator==(const MovePod&) const = default;
};

using ClusterEdit =
    std::variant<AddNodes, RemoveNode, CordonNode, DrainNode, LabelNode, TaintNode, SetAllocatable, EvictPod, MovePod>;

/// Applies the edits in order. Errors: "unknown-node" and "unknown-pod", with a suggestion.
[[nodiscard]] Result<objects::ClusterObjects> apply(std::span<const ClusterEdit> edits,
                                                    objects::ClusterObjects cluster);

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
