#include "gpusched/chain/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include "gpusched/chain/card.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::chain {

namespace {

constexpr std::int64_t kMaxCards = 1024;

std::string_view label(const objects::Node& node, std::string_view key) {
  const std::string* const value = objects::find(node.meta.labels, key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

/// What a node says of one model.
struct Found {
  std::string manufacturer, id, product;
  std::int64_t count = 0, memory_mib = 0;
  std::string from;
};

/// The operator's own labels.
std::vector<Found> labelled(const objects::Node& node) {
  std::vector<Found> models;
  for (const auto& [key, value] : node.meta.labels) {
    if (!key.starts_with(kAcceleratorPrefix) || value != "true") continue;
    const std::string name = key.substr(kAcceleratorPrefix.size());
    const Manufacturer* const manufacturer = manufacturer_of_key(name);
    if (manufacturer == nullptr) continue;
    Found& model = models.emplace_back();
    model.manufacturer = manufacturer->name;
    model.id = name.substr(manufacturer->name.size() + 1);
    model.product = label(node, key + ".product");
    model.count = number(label(node, key + ".count"));
    model.memory_mib = memory_label_mib(label(node, key + ".memory"));
    model.from = "the labels of GPUStack";
  }
  return models;
}

std::vector<Found> discovered(const objects::Node& node, const Settings& settings) {
  const std::string_view product = label(node, "nvidia.com/gpu.product");
  if (product.empty()) return {};
  Found model;
  model.manufacturer = "nvidia";
  std::string name(product.substr(0, product.find("-MIG-")));
  if (name.ends_with("-SHARED")) name.resize(name.size() - std::string_view("-SHARED").size());
  std::ranges::replace(name, '-', ' ');
  model.product = name;
  model.memory_mib = number(label(node, "nvidia.com/gpu.memory"));
  model.id = group_id("nvidia", name, model.memory_mib, settings.group_id_with_memory);
  model.count = number(label(node, "nvidia.com/gpu.count"));
  const Quantity* const plain = objects::find(node.status.capacity, "nvidia.com/gpu");
  if (model.count == 0 && plain != nullptr && plain->sign() > 0) model.count = plain->value();
  model.from = "GPU Feature Discovery";
  return {model};
}

/// Accelerators of NVIDIA's in MIG mode advertise instances and no whole GPU.
bool in_mig_mode(const objects::Node& node) {
  return std::ranges::any_of(node.status.capacity, [](const auto& entry) {
    return entry.first.starts_with("nvidia.com/mig-") && entry.second.sign() > 0;
  });
}

objects::AcceleratorGroup group_of(const objects::Node& node, const Found& model) {
  objects::AcceleratorGroup group;
  group.id = model.id;
  group.manufacturer = model.manufacturer;
  group.name = model.product;
  group.memory_mib = model.memory_mib;
  const Manufacturer& manufacturer = *find_manufacturer(model.manufacturer);
  const mig::Board* const board =
      model.manufacturer == "nvidia" && in_mig_mode(node)
          ? mig::find_board(model.product, static_cast<std::uint64_t>(std::max<std::int64_t>(model.memory_mib, 0)))
          : nullptr;
  for (std::int64_t i = 0; i < std::min(model.count, kMaxCards); ++i) {
    objects::Accelerator& card = group.accelerators.emplace_back();
    card.id = fmt::format("{}-{}-{}", node.meta.name, model.id, i);
    card.index = i;
    if (board != nullptr) {
      card.profiles = board_profiles(*board);
      for (const objects::PartitionProfile& profile : card.profiles) {
        card.physical_count = std::max(card.physical_count, profile.count);
      }
    } else {
      card.logical_count = manufacturer.slices_per_card;
      card.cores_overcommit = manufacturer.cores_overcommit;
    }
  }
  return group;
}

}  // namespace

Diagnostics derive_devices(ChainInput& input) {
  Diagnostics notes;
  std::set<std::string_view> known;
  for (const objects::Devices& devices : input.devices) known.insert(devices.meta.name);
  std::vector<objects::Devices> derived;
  for (objects::Node& node : input.nodes) {
    if (known.contains(node.meta.name)) continue;
    std::vector<Found> models = labelled(node);
    if (models.empty()) models = discovered(node, input.settings);
    std::erase_if(models, [](const Found& model) { return model.count <= 0 || model.id.empty(); });
    if (models.empty()) continue;
    objects::Devices& devices = derived.emplace_back();
    devices.meta.name = node.meta.name;
    for (const Found& model : models) devices.groups.push_back(group_of(node, model));
    devices.ledger = free_ledger(devices);
    // What a plain device plugin advertises is no pool of the operator's.
    const bool pools = objects::find(node.status.capacity, "nvidia.com/gpu.sliced") != nullptr;
    if (!pools)
      std::erase_if(node.status.capacity, [](const auto& entry) { return classify(entry.first).has_value(); });
    Diagnostic& note = notes.emplace_back();
    note.severity = Severity::kWarning;
    note.code = "devices-derived";
    note.object = "node " + node.meta.name;
    note.message = fmt::format("no Devices: {} x {} taken from {}, all free", models.front().count,
                               accelerator_key(models.front().manufacturer, models.front().id), models.front().from);
  }
  std::ranges::move(derived, std::back_inserter(input.devices));
  return notes;
}

}  // namespace gpusched::chain
