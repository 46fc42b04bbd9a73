#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpusched/model/cluster_shape.hpp"

namespace gpusched {

/// A pod's hold on one GPU (or one time-slicing replica of it), or on one MIG instance.
struct GpuShare {
  static constexpr std::uint16_t kNoInstance = 0xffff;

  std::uint16_t gpu = 0;                 ///< index in the node
  std::uint16_t instance = kNoInstance;  ///< index into NodeClass::instances
  std::int32_t milli = kWholeGpuMilli;   ///< of the GPU, 0 for an instance
  std::int32_t memory_mib = 0;           ///< declared on the GPU, 0 for an instance

  bool operator==(const GpuShare&) const = default;
};

/// Where the pods of a cluster are, and what is left on every node and GPU. A cheap value: flat vectors by id over a
/// shared ClusterShape. Every change is logged, so a what-if is `mark`, changes, `revert`, in time proportional to the
/// changes; a copy is the other way.
///
/// Used amounts may go above allocatable: over-commitment is a fact of real clusters. Callers check before they bind.
class ClusterUsage {
 public:
  explicit ClusterUsage(ShapePtr shape);

  [[nodiscard]] const ClusterShape& shape() const { return *shape_; }
  [[nodiscard]] const ShapePtr& shape_ptr() const { return shape_; }

  // Pods.
  PodId add_pod(PodClassId pod_class, StringId name = {});
  /// Room for so many pods more, so that adding them one by one moves nothing.
  void reserve_pods(std::size_t count);
  /// Binds an unbound pod to a node and takes what it asks for; `shares` are the GPUs and MIG instances it gets.
  void bind(PodId pod, NodeId node, std::span<const GpuShare> shares);
  /// Gives everything back that bind took.
  void unbind(PodId pod);
  void set_cordoned(NodeId node, bool cordoned);

  [[nodiscard]] std::size_t pod_count() const { return pods_.size(); }
  [[nodiscard]] const PodClass& pod_class(PodId pod) const {
    return shape_->pod_classes[pods_[pod.index()].pod_class.index()];
  }
  [[nodiscard]] PodClassId pod_class_id(PodId pod) const { return pods_[pod.index()].pod_class; }
  [[nodiscard]] StringId pod_name(PodId pod) const { return pods_[pod.index()].name; }
  [[nodiscard]] NodeId node_of(PodId pod) const { return pods_[pod.index()].node; }  ///< invalid when unbound
  [[nodiscard]] std::span<const GpuShare> shares(PodId pod) const;
  /// The pods of a node, newest first: `for (PodId p = first_pod(n); p.valid(); p = next_pod(p))`.
  [[nodiscard]] PodId first_pod(NodeId node) const { return first_pod_[node.index()]; }
  [[nodiscard]] PodId next_pod(PodId pod) const { return pods_[pod.index()].next; }

  // Nodes.
  [[nodiscard]] NodeClassId node_class_id(NodeId node) const { return node_class_[node.index()]; }
  [[nodiscard]] const NodeClass& node_class(NodeId node) const {
    return shape_->node_classes[node_class_[node.index()].index()];
  }
  [[nodiscard]] bool cordoned(NodeId node) const { return cordoned_[node.index()] != 0; }
  [[nodiscard]] std::int64_t used(NodeId node, ResourceId resource) const {
    return used_[node.index() * stride_ + resource.index()];
  }
  [[nodiscard]] std::int64_t non_zero_cpu(NodeId node) const { return used_[node.index() * stride_ + stride_ - 2]; }
  [[nodiscard]] std::int64_t non_zero_memory(NodeId node) const { return used_[node.index() * stride_ + stride_ - 1]; }

  // GPUs, by index in their node.
  /// Milli-units left: kWholeGpuMilli × replicas when nobody holds the GPU.
  [[nodiscard]] std::span<const std::int32_t> free_milli(NodeId node) const;
  /// Memory that nobody declared, MiB; negative when oversubscribed.
  [[nodiscard]] std::span<const std::int64_t> free_memory_mib(NodeId node) const;
  /// The pod that holds each MIG instance of the node; invalid when it is free.
  [[nodiscard]] std::span<const PodId> instance_holders(NodeId node) const;

  /// Which GPUs of the node its pods hold is an assumption: dumps tell how many, not which. Figures by island are then
  /// ranges.
  void set_assumed(NodeId node) { assumed_[node.index()] = 1; }
  [[nodiscard]] bool assumed(NodeId node) const { return assumed_[node.index()] != 0; }

  // Undo.
  using Mark = std::size_t;
  [[nodiscard]] Mark mark() const { return log_.size(); }
  /// Undoes every change since `mark`; the value is then equal to what it was.
  void revert(Mark mark);
  /// Forgets the log; marks taken before are void.
  void commit() { log_.clear(); }

  /// The nodes that changed, in order, undone changes included: whoever keeps figures per node remembers how far it
  /// has read. Not part of the value.
  [[nodiscard]] std::span<const NodeId> touched() const { return touched_; }

  /// Equal content: same pods at the same places, same amounts. The log and `touched` do not count.
  friend bool operator==(const ClusterUsage& a, const ClusterUsage& b);

 private:
  struct PodState {
    PodClassId pod_class;
    StringId name;
    NodeId node;
    PodId previous, next;  // on the node
    std::uint32_t first_share = 0, share_count = 0;

    bool operator==(const PodState&) const = default;
  };
  enum class ChangeKind : std::uint8_t { kAddPod, kBind, kUnbind, kCordon, kUncordon };
  struct Change {
    ChangeKind kind;
    std::uint32_t id;  // a pod, or a node for kCordon and kUncordon
    // For kUnbind: where the pod was. Its neighbours stand here and not in its state, which a later bind overwrites.
    NodeId node = {};
    std::uint32_t first_share = 0, share_count = 0;
    PodId previous = {}, next = {};
  };

  void take(PodId pod, std::int64_t sign);
  void link(PodId pod);
  void unlink(PodId pod);
  void relink(PodId pod);
  void undo(const Change& change);

  ShapePtr shape_;
  std::size_t stride_;  // resources of the shape, then non-zero cpu and memory
  std::vector<NodeClassId> node_class_;
  std::vector<std::uint8_t> cordoned_;
  std::vector<std::uint8_t> assumed_;
  std::vector<std::uint32_t> first_gpu_, first_instance_;
  std::vector<std::int64_t> used_;
  std::vector<std::int32_t> free_milli_;
  std::vector<std::int64_t> free_memory_mib_;
  std::vector<PodId> instance_holder_;
  std::vector<PodId> first_pod_;
  std::vector<PodState> pods_;
  std::vector<GpuShare> shares_;
  std::vector<Change> log_;
  std::vector<NodeId> touched_;
};

}  // namespace gpusched
