#include <fmt/format.h>

#include <algorithm>

#include "gpusched/model/node_labels.hpp"
#include "gpusched/model/node_pools.hpp"
#include "gpusched/objects/pod_requests.hpp"
#include "io/dump_model.hpp"
#include "io/inventory_parts.hpp"
#include "io/kubelet_facts.hpp"

// Nodes of a dump as node classes.
namespace gpusched::io {

namespace {

std::uint32_t to_unsigned(std::int64_t amount) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(amount, 0));
}

/// Numbers the islands of the GPUs from `first` on, above those before: the lists in their order, then every GPU of no
/// list as an island of one.
void number_islands(std::vector<Gpu>& gpus, std::size_t first, std::span<const std::vector<std::uint32_t>> lists) {
  std::uint16_t next = 0;
  for (std::size_t i = 0; i < first; ++i) {
    next = std::max<std::uint16_t>(next, static_cast<std::uint16_t>(gpus[i].island + 1));
  }
  std::vector<bool> listed(gpus.size());
  for (const std::vector<std::uint32_t>& members : lists) {
    bool used = false;
    for (const std::uint32_t member : members) {
      if (first + member < gpus.size()) {
        gpus[first + member].island = next;
        listed[first + member] = used = true;
      }
    }
    next = static_cast<std::uint16_t>(next + (used ? 1 : 0));
  }
  for (std::size_t i = first; i < gpus.size(); ++i) {
    if (!listed[i]) {
      gpus[i].island = next++;
    }
  }
}

TaintEffect effect_of(std::string_view text) {
  return text == "PreferNoSchedule" ? TaintEffect::kPreferNoSchedule
         : text == "NoExecute"      ? TaintEffect::kNoExecute
                                    : TaintEffect::kNoSchedule;
}

}  // namespace

void DumpModel::read_nodes() {
  for (const std::string_view key : pool_label_keys()) {
    static_cast<void>(model_.builder_.text(key));
  }
  for (const std::string& key : model_.options_.labels) {
    static_cast<void>(model_.builder_.text(key));
  }
  Diagnostics diagnostics;
  devices_.read(dump_, diagnostics);
  for (Diagnostic& diagnostic : diagnostics) {
    (diagnostic.severity == Severity::kError ? model_.diagnostics_ : model_.notes_).push_back(std::move(diagnostic));
  }
  numa_facts_ = numa_facts(dump_);
  compute_domain_cliques_ = compute_domain_cliques(dump_);
  for (const NodeRecord& record : dump_.nodes) {
    read_node(record);
  }
  const auto warn = [&](std::string code, std::string message, std::string hint) {
    Diagnostic& warning = model_.notes_.emplace_back();
    warning.severity = Severity::kWarning;
    warning.code = std::move(code);
    warning.message = std::move(message);
    warning.hint = std::move(hint);
  };
  if (!only_counted_.empty()) {
    warn("units-only",
         fmt::format("of the GPUs of {} nodes nothing is known but their number, for example of {}: a unit may be a "
                     "share of a GPU, too, and counts as a GPU",
                     only_counted_.size(), only_counted_.front()),
         "run GPU Feature Discovery, or describe the GPUs with --hardware");
  }
  if (!in_parts_.empty()) {
    warn("gpus-in-parts",
         fmt::format("a scheduler of its own gives out parts of the GPUs of {} nodes, for example of {} by {}: which "
                     "GPUs pods hold in this way is not seen",
                     in_parts_.size(), in_parts_.front().first, in_parts_.front().second),
         {});
  }
}

void DumpModel::note(Severity severity, std::string_view node, std::string code, std::string message) {
  Diagnostic& diagnostic = model_.notes_.emplace_back();
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.object = node_title(node);
}

void DumpModel::read_node(const NodeRecord& record) {
  const objects::Node& node = record.node;
  NodeClass node_class;
  node_class.unschedulable = node.spec.unschedulable;
  read_labels(node, node_class);
  read_taints(node, node_class);
  read_allocatable(node, node_class);

  const auto resources = [](const objects::ResourceList& list) {
    std::vector<ResourceFact> facts;
    for (const auto& [name, quantity] : list) {
      facts.emplace_back(name, quantity.value());
    }
    return facts;
  };
  std::vector<LabelFact> labels;
  for (const auto& [key, value] : node.meta.labels) {
    labels.emplace_back(key, value);
  }
  std::vector<LabelFact> annotations;
  for (const auto& [key, value] : node.meta.annotations) {
    annotations.emplace_back(key, value);
  }
  const std::vector<ResourceFact> capacity = resources(node.status.capacity);
  const std::vector<ResourceFact> allocatable = resources(node.status.allocatable);
  const NodeFacts facts{.name = node.meta.name,
                        .labels = labels,
                        .capacity = capacity,
                        .allocatable = allocatable,
                        .devices = devices_.of(node.meta.name),
                        .annotations = annotations};
  GpuInventory inventory = infer_gpus(facts, {.gpu_drivers = model_.options_.gpu_drivers});
  const DevicePluginConfig* const plugin = plugin_config(node);
  if (plugin != nullptr) {
    apply_device_plugin(inventory, facts, *plugin);
  }
  apply_hardware(inventory, facts, model_.options_.hardware);
  if (!inventory.parts.empty()) {
    in_parts_.emplace_back(node.meta.name, inventory.parts);
  }
  std::int64_t unusable = 0;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // first GPU and how many, of each group
  for (const GpuGroup& group : inventory.groups) {
    const std::size_t first = node_class.gpus.size();
    unusable += add_gpus(node.meta.name, group, node_class);
    if (group.count_basis == CountBasis::kUnits && group.model.empty() && group.usable() &&
        (only_counted_.empty() || only_counted_.back() != node.meta.name)) {
      only_counted_.push_back(node.meta.name);
    }
    places.emplace_back(first, node_class.gpus.size() - first);
  }
  for (const Diagnostic& warning : inventory.warnings) {
    model_.notes_.push_back(warning);
  }
  for (const Inference& inference : inventory.inferred) {
    note(Severity::kNote, node.meta.name, "inferred", fmt::format("{} from {}", inference.what, inference.from));
  }
  const auto numa = numa_facts_.find(node.meta.name);
  if (numa != numa_facts_.end() && apply_numa_counts(node_class, numa->second)) {
    note(Severity::kNote, node.meta.name, "inferred", "NUMA nodes from NodeResourceTopology, the GPUs in order");
  }
  model_.add_topology(node.meta.name, node_class);
  const NodeId id = model_.builder_.node(node.meta.name, model_.builder_.node_class_as_given(std::move(node_class)));
  note_kubelet(id, inventory, plugin, numa == numa_facts_.end() ? nullptr : &numa->second);
  note_domain(id, node.meta.name, labels);
  model_.note_network(id, inventory.network_mbps, inventory.gpu_nic_mbps, labels);
  if (unusable > 0) {
    model_.unusable_.push_back({id, unusable});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    remember_devices(inventory.groups[i], id, places[i].first, places[i].second);
  }
}

const DevicePluginConfig* DumpModel::plugin_config(const objects::Node& node) const {
  const std::string* const label = objects::find(node.meta.labels, "nvidia.com/device-plugin.config");
  return config_of_node(model_.options_.device_plugin, label == nullptr ? std::string_view() : *label);
}

void DumpModel::note_kubelet(NodeId id, const GpuInventory& inventory, const DevicePluginConfig* plugin,
                             const NumaFacts* numa) {
  KubeletFacts facts = kubelet_facts(plugin, std::ranges::any_of(inventory.groups, [](const GpuGroup& group) {
                                       return group.sharing == Sharing::kMps;
                                     }));
  facts.topology_policy = numa == nullptr ? std::nullopt : numa->policy;
  model_.note_kubelet(id, facts);
}

// What labels say, else ComputeDomain objects.
void DumpModel::note_domain(NodeId id, std::string_view node, std::span<const LabelFact> labels) {
  const std::string_view domain = nvlink_domain(labels);
  const auto found = compute_domain_cliques_.find(node);
  model_.note_domain(id, domain.empty() && found != compute_domain_cliques_.end() ? found->second : domain);
}

void DumpModel::read_labels(const objects::Node& node, NodeClass& node_class) {
  LabelSet labels;
  for (const auto& [key, value] : node.meta.labels) {
    // A label that nothing asks for would only make every node a class of its own.
    if (const StringId known = model_.builder_.shape().strings.find(key); known.valid()) {
      labels.emplace_back(known, model_.builder_.text(value));
    }
  }
  node_class.labels = model_.builder_.labels(std::move(labels));
}

void DumpModel::read_taints(const objects::Node& node, NodeClass& node_class) {
  std::vector<Taint> taints;
  for (const objects::Taint& taint : node.spec.taints) {
    taints.push_back({text_or_none(taint.key), text_or_none(taint.value), effect_of(taint.effect)});
  }
  node_class.taints = model_.builder_.taints(std::move(taints));
}

// What a node does not list is not there: a missing `pods` is 0 for kube-scheduler too.
void DumpModel::read_allocatable(const objects::Node& node, NodeClass& node_class) {
  const objects::ResourceAmounts amounts = objects::resource_amounts(node.status.allocatable);
  std::vector<std::int64_t>& allocatable = node_class.allocatable;
  allocatable = {amounts.milli_cpu, amounts.memory, amounts.ephemeral_storage, amounts.pods};
  for (const auto& [name, amount] : amounts.scalars) {
    const ResourceId id = model_.builder_.resource(name);
    allocatable.resize(std::max(allocatable.size(), id.index() + 1), 0);
    allocatable[id.index()] = amount;
  }
  if (node.status.allocatable.empty()) {
    note(Severity::kWarning, node.meta.name, "no-allocatable",
         "the node lists no allocatable resources: nothing fits on it");
  }
}

std::int64_t DumpModel::add_gpus(std::string_view node, const GpuGroup& group, NodeClass& node_class) {
  const std::size_t first = node_class.gpus.size();
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(
      std::max<std::int64_t>(group.count, 0), static_cast<std::int64_t>(kMaxGpusPerNode - first)));
  Board board;
  board.model = text_or_none(group.model);
  board.memory_mib = static_cast<std::int32_t>(std::min<std::int64_t>(group.board_memory_mib, INT32_MAX));
  board.nvlink_mbps = static_cast<std::int32_t>(std::min<std::int64_t>(group.nvlink_mbps, INT32_MAX));
  board.pcie_mbps = static_cast<std::int32_t>(std::min<std::int64_t>(group.pcie_mbps, INT32_MAX));
  const bool mig = group.mig != MigStrategy::kNone && !(group.instances.empty() && group.layouts.empty());
  if (group.mig_board != nullptr && (!mig || !group.layouts.empty())) {
    board.mig_board = static_cast<std::uint16_t>(group.mig_board - mig::boards().data());
  }
  Gpu prototype{.board = model_.builder_.board(board)};
  prototype.replicas = static_cast<std::uint16_t>(std::clamp<std::int64_t>(group.replicas, 1, 1000));
  node_class.gpus.resize(first + count, prototype);
  for (std::size_t i = 0; i < std::min(count, group.numa_nodes.size()); ++i) {
    node_class.gpus[first + i].numa_node = static_cast<std::int16_t>(group.numa_nodes[i]);
  }
  node_class.islands_known &= group.islands_basis != Basis::kUnknown || count < 2;
  number_islands(node_class.gpus, first, group.islands);
  if (mig) {
    add_instances(node, group, first, node_class);
    return 0;
  }
  if (!group.driver.empty() && group.capacity == 0) {
    return 0;  // slices only: nothing is counted as allocatable
  }
  const std::int64_t units = static_cast<std::int64_t>(count) * prototype.replicas;
  return units - std::clamp<std::int64_t>(group.usable() ? group.allocatable : 0, 0, units);
}

void DumpModel::add_instances(std::string_view node, const GpuGroup& group, std::size_t first, NodeClass& node_class) {
  const auto add = [&](std::size_t gpu, std::string_view profile, std::uint8_t start, std::uint8_t index) {
    if (gpu >= node_class.gpus.size()) {
      return;
    }
    node_class.gpus[gpu].mig = true;
    const auto counted = std::ranges::find(group.instances, profile, &MigCount::profile);
    MigInstance instance;
    instance.profile = model_.builder_.text(profile);
    instance.resource = model_.builder_.resource(counted == group.instances.end() || counted->resource.empty()
                                                     ? fmt::format("nvidia.com/mig-{}", profile)
                                                     : counted->resource);
    instance.gpu = static_cast<std::uint16_t>(gpu);
    instance.start = start;
    instance.mig_profile = index;
    if (group.mig_board != nullptr && index < group.mig_board->profiles.size()) {
      const mig::Profile& facts = group.mig_board->profiles[index];
      instance.memory_slices = facts.memory_slices;
      instance.compute_slices = facts.compute_slices;
      instance.memory_mib = static_cast<std::int32_t>(facts.memory_mib);
    }
    node_class.instances.push_back(instance);
  };
  if (!group.layouts.empty()) {
    for (std::size_t i = 0; i < group.layouts.size(); ++i) {
      for (const mig::Instance& instance : group.layouts[i]) {
        add(first + i, group.mig_board->profiles[instance.profile].name, instance.start, instance.profile);
      }
    }
    return;
  }
  // Which GPU holds which instance is unknown; the first one stands for all, and its geometry is unknown too.
  std::size_t room = mig::kMaxInstancesPerGpu * (node_class.gpus.size() - first);
  std::int64_t left_out = 0;
  std::size_t number = 0;
  for (const MigCount& counted : group.instances) {
    const std::size_t kept = std::min<std::size_t>(to_unsigned(counted.count), room);
    for (std::size_t i = 0; i < kept; ++i) {
      add(first, counted.profile, static_cast<std::uint8_t>(std::min<std::size_t>(number++, UINT8_MAX)), 0xff);
    }
    room -= kept;
    left_out += std::max<std::int64_t>(counted.count - static_cast<std::int64_t>(kept), 0);
  }
  if (left_out > 0) {
    note(Severity::kWarning, node, "too-many-instances",
         fmt::format("{} of its MIG instances are left out: a GPU holds at most {}, and the node has {} GPUs", left_out,
                     mig::kMaxInstancesPerGpu, node_class.gpus.size() - first));
  }
}

}  // namespace gpusched::io
