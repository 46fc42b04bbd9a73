#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/io/gpu_inventory.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/objects/pod_owner.hpp"
#include "gpusched/objects/pod_requests.hpp"
#include "io/dump_devices.hpp"
#include "io/node_resource_topology.hpp"

namespace gpusched::io {

/// Turns the nodes and pods of a dump into the model: hardware by gpu_inventory, demand as the scheduler counts it.
class DumpModel {
 public:
  DumpModel(ModelReader& model, const ClusterDump& dump) : model_(model), dump_(dump) {}

  void read_nodes();
  void read_bound_pods();
  void read_pending_pods();
  /// PodDisruptionBudgets and which bound pods they cover; after bound pods.
  void read_budgets();
  /// Gives the devices of allocated claims to their pods; after nodes and bound pods.
  void read_claims();

 private:
  struct DeviceGpu {
    NodeId node;
    std::uint16_t gpu = 0;
    bool instance = false;  // a MIG instance of it
  };
  void read_node(const NodeRecord& record);
  [[nodiscard]] const DevicePluginConfig* plugin_config(const objects::Node& node) const;
  void note_kubelet(NodeId id, const GpuInventory& inventory, const DevicePluginConfig* plugin, const NumaFacts* numa);
  void note_domain(NodeId id, std::string_view node, std::span<const LabelFact> labels);
  void read_labels(const objects::Node& node, NodeClass& node_class);
  void read_allocatable(const objects::Node& node, NodeClass& node_class);
  void read_taints(const objects::Node& node, NodeClass& node_class);
  /// Adds a group's GPUs; returns how many advertised units nobody can use.
  [[nodiscard]] std::int64_t add_gpus(std::string_view node, const GpuGroup& group, NodeClass& node_class);
  void add_instances(std::string_view node, const GpuGroup& group, std::size_t first, NodeClass& node_class);
  [[nodiscard]] std::vector<std::size_t> users_of(const objects::ResourceClaim& claim,
                                                  const std::map<StringId, std::size_t>& bound) const;
  /// Whether it is of the namespace and has the labels that were asked about.
  [[nodiscard]] bool asked(const PodRecord& record) const;
  void remember_devices(const GpuGroup& group, NodeId node, std::size_t first, std::size_t count);
  void note(Severity severity, std::string_view node, std::string code, std::string message);

  /// The class of a pod with this spec and status; worked out once for each pair.
  PodClassId pod_class(const PodRecord& record);
  void read_devices(const objects::ResourceAmounts& amounts, PodClass& pod);
  void read_placement_rules(const objects::PodSpec& spec, PodClass& pod);
  [[nodiscard]] SelectorRequirement requirement(const objects::NodeSelectorRequirement& from, bool field);
  [[nodiscard]] objects::PodOwner owner(const PodRecord& record) const;
  [[nodiscard]] PodFacts facts(const PodRecord& record);
  [[nodiscard]] StringId text_or_none(std::string_view text) {
    return text.empty() ? StringId{} : model_.builder_.text(text);
  }

  ModelReader& model_;
  const ClusterDump& dump_;
  DumpDevices devices_;
  std::map<std::string, NumaFacts, std::less<>> numa_facts_;
  std::map<std::string, std::string, std::less<>> compute_domain_cliques_;
  std::map<std::string, DeviceGpu> device_gpus_;  // "driver/pool/device"
  std::map<std::pair<std::uint32_t, std::uint32_t>, PodClassId> pod_classes_;
  std::set<std::uint32_t> claims_noted_;                            // pod specs
  std::vector<std::pair<std::string, std::string_view>> in_parts_;  // nodes, and what counts parts of their GPUs
  std::vector<std::string> only_counted_;  // nodes of whose GPUs nothing but a number of units is known
};

}  // namespace gpusched::io
