#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpusched/chain/card.hpp"
#include "gpusched/chain/derive.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/mig/board.hpp"

namespace gpusched::chain {

namespace {

/// The simulator's GPUs are NVIDIA's unless their model is said to be another's.
const Manufacturer& manufacturer_of(std::string_view model) {
  const std::string name = normalize_name(model, "", 0, false);
  for (const Manufacturer& manufacturer : manufacturers()) {
    if (name.starts_with(manufacturer.name)) return manufacturer;
  }
  return *find_manufacturer("nvidia");
}

class ModelNode {
 public:
  ModelNode(const ClusterUsage& usage, NodeId node, const Settings& settings)
      : usage_(usage), shape_(usage.shape()), node_(node), settings_(settings) {}

  objects::Node node() const {
    const NodeClass& kind = usage_.node_class(node_);
    objects::Node object;
    object.meta.name = shape_.name(node_);
    objects::Labels& labels = object.meta.labels.edit();
    labels = {{std::string(kOs), "linux"}, {std::string(kArch), "amd64"}};
    for (const auto& [key, value] : shape_.label_sets[kind.labels.index()]) {
      const std::string text(shape_.text(key));
      std::erase_if(labels, [&](const auto& entry) { return entry.first == text; });
      labels.emplace_back(text, shape_.text(value));
    }
    if (objects::find(labels, kHostname) == nullptr) {
      labels.emplace_back(kHostname, object.meta.name);
    }
    const auto amount = [&](ResourceId resource) {
      return resource.index() < kind.allocatable.size() ? kind.allocatable[resource.index()] : 0;
    };
    // What a fixture does not limit has no figure; a node without CPU brings no flavor of CPUs.
    constexpr std::int64_t kNoLimit = std::int64_t{1} << 60U;
    constexpr std::int64_t kUsualPods = 110;
    const auto known = [&](ResourceId resource) { return amount(resource) > 0 && amount(resource) < kNoLimit; };
    objects::ResourceList& capacity = object.status.capacity;
    if (known(kCpu)) capacity.emplace_back("cpu", Quantity::from_milli(amount(kCpu)));
    if (known(kMemory))
      capacity.emplace_back("memory", Quantity::from_int64(amount(kMemory), QuantityFormat::kBinarySi));
    capacity.emplace_back("pods", Quantity::from_int64(known(kPods) ? amount(kPods) : kUsualPods));
    object.status.allocatable = object.status.capacity;
    object.status.conditions = {{"Ready", "True", ""}};
    return object;
  }

  objects::Devices devices() const {
    objects::Devices devices;
    devices.meta.name = shape_.name(node_);
    const NodeClass& kind = usage_.node_class(node_);
    for (std::size_t i = 0; i < kind.gpus.size(); ++i) add_card(kind.gpus[i], i, group_of(devices, kind.gpus[i]));
    devices.ledger = free_ledger(devices);
    for (objects::LedgerGroup& ledger : devices.ledger) {
      for (objects::LedgerRow& row : ledger.rows) take(devices, row);
    }
    return devices;
  }

 private:
  objects::AcceleratorGroup& group_of(objects::Devices& devices, const Gpu& gpu) const {
    const gpusched::Board& board = shape_.board(gpu);
    const std::string model(board.model.valid() ? shape_.text(board.model) : std::string_view("unknown"));
    const Manufacturer& manufacturer = manufacturer_of(model);
    const std::string id = group_id(manufacturer.name, model, board.memory_mib, settings_.group_id_with_memory);
    const auto found = std::ranges::find(devices.groups, id, &objects::AcceleratorGroup::id);
    if (found != devices.groups.end()) return *found;
    objects::AcceleratorGroup& group = devices.groups.emplace_back();
    group.id = id;
    group.manufacturer = manufacturer.name;
    group.name = model;
    group.memory_mib = board.memory_mib;
    return group;
  }

  void add_card(const Gpu& gpu, std::size_t index, objects::AcceleratorGroup& group) const {
    objects::Accelerator& card = group.accelerators.emplace_back();
    card.id = fmt::format("{}-{}", shape_.name(node_), index);
    card.index = static_cast<std::int64_t>(index);
    if (gpu.numa_node >= 0) card.place.numa = std::to_string(gpu.numa_node);
    const std::uint16_t board = shape_.board(gpu).mig_board;
    if (gpu.mig && board != kNoMigBoard) {
      card.profiles = board_profiles(mig::boards()[board]);
      for (const objects::PartitionProfile& profile : card.profiles) {
        card.physical_count = std::max(card.physical_count, profile.count);
      }
      return;
    }
    const Manufacturer& manufacturer = *find_manufacturer(group.manufacturer);
    card.logical_count = manufacturer.slices_per_card;
    card.cores_overcommit = manufacturer.cores_overcommit;
  }

  /// What the cluster's pods hold of the accelerator.
  void take(const objects::Devices& devices, objects::LedgerRow& row) const {
    const NodeClass& kind = usage_.node_class(node_);
    const auto index = static_cast<std::size_t>(row.index);
    if (!kind.gpus[index].mig) {
      if (usage_.free_milli(node_)[index] >= kWholeGpuMilli) return;
      row.mode = static_cast<std::int64_t>(Mode::kExclusive);
      row.allocated = kUnitsPerCard;
      row.remaining = 0;
      return;
    }
    std::vector<objects::PartitionPlacement> live;
    for (std::size_t i = 0; i < kind.instances.size(); ++i) {
      const MigInstance& instance = kind.instances[i];
      if (instance.gpu != index || !usage_.instance_holders(node_)[i].valid()) continue;
      live.push_back({instance.start, instance.memory_slices});
      const std::string name(shape_.text(instance.profile));
      const auto known = std::ranges::find(row.allocated_profiles, name, &objects::ProfileCount::name);
      if (known == row.allocated_profiles.end()) {
        row.allocated_profiles.push_back({name, 1});
      } else {
        ++known->count;
      }
      row.mode = static_cast<std::int64_t>(Mode::kPartitioned);
    }
    if (live.empty()) return;
    row.remaining_profiles.clear();
    for (const objects::AcceleratorGroup& group : devices.groups) {
      const auto card = std::ranges::find(group.accelerators, row.id, &objects::Accelerator::id);
      if (card == group.accelerators.end()) continue;
      for (const objects::PartitionProfile& profile : card->profiles) {
        const std::int64_t left = remaining_placements(profile, live);
        if (left > 0) row.remaining_profiles.push_back({profile.name, left});
      }
    }
  }

  const ClusterUsage& usage_;
  const ClusterShape& shape_;
  NodeId node_;
  const Settings& settings_;
};

}  // namespace

Diagnostics add_model(ChainInput& input, const ClusterUsage& usage) {
  for (std::size_t i = 0; i < usage.shape().nodes.size(); ++i) {
    const ModelNode node(usage, NodeId(i), input.settings);
    input.nodes.push_back(node.node());
    objects::Devices devices = node.devices();
    if (!devices.groups.empty()) input.devices.push_back(std::move(devices));
  }
  Diagnostic note;
  note.severity = Severity::kWarning;
  note.code = "devices-derived";
  note.message = fmt::format(
      "Nodes and Devices of {} nodes are taken from the simulator's model, linux/amd64 where no "
      "label says otherwise",
      usage.shape().nodes.size());
  return {std::move(note)};
}

}  // namespace gpusched::chain
