#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/model/cluster_shape.hpp"

namespace gpusched {

/// Collects nodes and pod classes and interns them by content. Start from an existing shape to add to it: the ids that
/// it gave out stay valid, so a ClusterUsage over the old shape can be carried over.
class ShapeBuilder {
 public:
  ShapeBuilder();
  explicit ShapeBuilder(const ClusterShape& shape);

  StringId text(std::string_view value) { return shape_.strings.intern(value); }
  ResourceId resource(std::string_view name);
  BoardId board(const Board& board);
  LabelSetId labels(LabelSet labels);
  TaintSetId taints(std::vector<Taint> taints);

  /// Interns a class. `allocatable` may be shorter than the number of resources; the rest is 0, or kNotModelled for
  /// cpu, memory, ephemeral-storage and pods. Counters of GPUs and MIG instances are computed here, from `gpus` and
  /// `instances`, under `gpu_resource`: what the device plugin advertises with the mixed strategy.
  NodeClassId node_class(NodeClass node_class, ResourceId gpu_resource = kNvidiaGpu);
  /// Interns a class whose allocatable already counts its GPUs and MIG instances.
  NodeClassId node_class_as_given(NodeClass node_class);
  NodeId node(std::string_view name, NodeClassId node_class);
  /// Interns a pod class; GPU and MIG counts are added to its requests here.
  PodClassId pod_class(PodClass pod_class);

  [[nodiscard]] const ClusterShape& shape() const { return shape_; }
  /// The finished shape; the builder is empty afterwards.
  [[nodiscard]] ShapePtr build() &&;

 private:
  void index_content();

  ClusterShape shape_;
  // Content to id. Keys are the raw numbers of a value, so a look-up is one comparison of integers after another.
  std::map<std::vector<std::int64_t>, std::uint32_t> board_index_, label_index_, taint_index_, node_index_, pod_index_;
};

}  // namespace gpusched
