#pragma once

#include <map>
#include <utility>

#include "gpusched/io/gpu_inventory.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::io {

/// Turns the nodes and pods of a dump into the model: hardware by gpu_inventory, demand as the scheduler counts it.
class DumpModel {
 public:
  DumpModel(ModelReader& model, const ClusterDump& dump) : model_(model), dump_(dump) {}

  void read_nodes();
  void read_bound_pods();
  void read_pending_pods();

 private:
  void read_node(const NodeRecord& record);
  void read_labels(const objects::Node& node, NodeClass& node_class);
  void read_allocatable(const objects::Node& node, NodeClass& node_class);
  void read_taints(const objects::Node& node, NodeClass& node_class);
  /// Adds a group's GPUs; returns how many advertised units nobody can use.
  [[nodiscard]] std::int64_t add_gpus(const GpuGroup& group, NodeClass& node_class);
  void add_instances(const GpuGroup& group, std::size_t first, NodeClass& node_class);
  void note(Severity severity, std::string_view node, std::string code, std::string message);

  /// The class of a pod with this spec and status; worked out once for each pair.
  PodClassId pod_class(const PodRecord& record);
  void read_devices(const objects::ResourceAmounts& amounts, PodClass& pod);
  void read_placement_rules(const objects::PodSpec& spec, PodClass& pod);
  [[nodiscard]] SelectorRequirement requirement(const objects::NodeSelectorRequirement& from, bool field);
  [[nodiscard]] PodFacts facts(const PodRecord& record);
  [[nodiscard]] StringId text_or_none(std::string_view text) {
    return text.empty() ? StringId{} : model_.builder_.text(text);
  }

  ModelReader& model_;
  const ClusterDump& dump_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, PodClassId> pod_classes_;
};

}  // namespace gpusched::io
