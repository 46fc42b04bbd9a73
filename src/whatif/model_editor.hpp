#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/placement/placer.hpp"
#include "gpusched/whatif/model_edit.hpp"
#include "whatif/shape_edit.hpp"

namespace gpusched::whatif {

/// Applies edits to a model, one after another. A change of nodes makes a new shape and carries the usage over.
class ModelEditor {
 public:
  ModelEditor(Cluster& cluster, const placement::Options& options) : cluster_(cluster), options_(options) {}

  Result<EditEffect> operator()(const AddNodes& edit);
  Result<EditEffect> operator()(const AddShape& edit);
  Result<EditEffect> operator()(const RemoveNode& edit);
  Result<EditEffect> operator()(const CordonNode& edit);
  Result<EditEffect> operator()(const DrainNode& edit);
  Result<EditEffect> operator()(const LabelNode& edit);
  Result<EditEffect> operator()(const TaintNode& edit);
  Result<EditEffect> operator()(const ShareGpus& edit);
  Result<EditEffect> operator()(const RepartitionGpus& edit);
  Result<EditEffect> operator()(const ScaleOwner& edit);
  Result<EditEffect> operator()(const DeletePod& edit);
  template <class Other>
  Result<EditEffect> operator()(const Other& edit) {
    return fail("edit-not-of-models", "only a scheduler's cluster can do this: " + describe(ClusterEdit(edit)));
  }

  /// Pods that were evicted and found no place, in the order in which they left.
  [[nodiscard]] const std::vector<PodId>& homeless() const { return homeless_; }

 private:
  [[nodiscard]] const ClusterShape& shape() const { return cluster_.usage.shape(); }
  [[nodiscard]] std::string name(NodeId node) const { return std::string(shape().name(node)); }
  [[nodiscard]] std::string name(PodId pod) const { return std::string(shape().text(cluster_.usage.pod_name(pod))); }
  [[nodiscard]] objects::Labels labels(LabelSetId id) const;
  [[nodiscard]] const PodFacts& facts(PodId pod) const { return facts_of(cluster_.pod_facts, pod); }
  [[nodiscard]] Result<NodeId> find_node(std::string_view text) const;
  /// The nodes that a name or a selector means, in input order.
  [[nodiscard]] Result<std::vector<NodeId>> targets(std::string_view text) const;
  /// By PodId: whether it runs or waits, and is a pod at all.
  [[nodiscard]] std::vector<bool> present_pods() const;
  /// The pods of a node, in input order.
  [[nodiscard]] std::vector<PodId> pods_of(NodeId node) const;

  /// Where a MIG instance of a node is after a change; a new index.
  using InstanceMap = std::function<std::uint16_t(NodeId, std::uint16_t)>;
  /// Goes over to another shape. All pods must have left nodes that go.
  void rebuild(ShapeEdit edit, const InstanceMap& instance = {});
  /// Gives one node another class.
  void rebuild(ShapeEdit edit, NodeId node, NodeClass node_class);

  [[nodiscard]] EditEffect add_nodes(ShapeEdit changed, NodeClassId node_class, const std::string& stem,
                                     std::int32_t count);
  /// Whether it uses devices of ResourceClaims, of its own or shared with other pods.
  [[nodiscard]] bool uses_claims(PodId pod) const;
  /// Devices that several pods used are free once none of these has a node.
  void free_shared_claims();
  void connect(std::span<const std::string> nodes, NodeNetwork network);
  /// Takes a pod off its node and places it again; what comes of it is its fate.
  [[nodiscard]] PodFate move(PodId pod, placement::Placer& placer);
  /// What comes of a pod that has to leave and holds claimed devices, which this model cannot place.
  [[nodiscard]] PodFate left_out(PodId pod) const;
  /// The same for a pod that has left its node already.
  [[nodiscard]] PodFate settle(PodId pod, placement::Placer& placer);
  /// Evicts through the eviction API: budgets are respected.
  [[nodiscard]] PodFate evict(PodId pod, placement::Placer& placer);
  /// What nobody holds on cordoned nodes: "; 8 free GPUs out of reach".
  [[nodiscard]] std::string idle_text(std::span<const NodeId> nodes) const;
  /// The pods on a GPU, for a message.
  [[nodiscard]] std::string holders(NodeId node, std::size_t gpu) const;
  /// Adds what a layout makes of one GPU to the class `after`, and where busy instances of before are now to `places`.
  [[nodiscard]] Result<bool> repartition(NodeId node, std::uint16_t gpu, const std::string& layout,
                                         ShapeBuilder& builder, NodeClass& after,
                                         std::vector<std::uint16_t>& places) const;
  /// The edit of a job that runs on the virtual clock; none when there is no such job.
  [[nodiscard]] std::optional<Result<EditEffect>> scale_job(const ScaleOwner& edit);
  void forget(std::span<const PodId> pods);
  void add_pods(PodId like, const std::vector<std::string>& pod_names, EditEffect& effect);

  Cluster& cluster_;
  const placement::Options& options_;
  std::vector<PodId> homeless_;
};

}  // namespace gpusched::whatif
