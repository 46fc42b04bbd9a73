#include "gpusched/chain/node_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/topology.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

constexpr std::int64_t kBytesPerMib = std::int64_t{1} << 20U;
constexpr std::int64_t kMaxCount = std::int64_t{1} << 36U;  // of cores or accelerators; credits of it fit int64 by far

std::string_view value_of(const objects::Labels& labels, std::string_view key) {
  const std::string* const value = objects::find(labels, key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

std::string keyed(std::string_view prefix, std::string_view key, std::string_view suffix = {}) {
  return std::string(prefix).append(key).append(suffix);
}

std::int64_t count_label(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0 && count <= kMaxCount ? count : 0;
}

void warn(Diagnostics& notes, const std::string& node, std::string code, std::string message) {
  Diagnostic& note = notes.emplace_back();
  note.severity = Severity::kWarning;
  note.code = std::move(code);
  note.message = std::move(message);
  note.object = "node " + node;
}

/// What follows from Devices alone; without them it stays as it is.
bool is_device_label(std::string_view key) {
  return key.starts_with(kAcceleratorPrefix) || key.starts_with(kSlicedFitPrefix) ||
         key.starts_with(kSharedFitPrefix) || key.starts_with("feature.gpustack.ai/rdma.");
}

class FactsReader {
 public:
  FactsReader(const objects::Node& node, const objects::Devices* devices, const Settings& settings, Diagnostics& notes)
      : node_(node), devices_(devices), settings_(settings), notes_(notes) {}

  NodeFacts read(std::span<const objects::TopologySource> sources) {
    facts_.name = node_.meta.name;
    facts_.os = value_of(node_.meta.labels, kOs);
    facts_.arch = value_of(node_.meta.labels, kArch);
    facts_.has_devices = devices_ != nullptr;
    if (devices_ != nullptr) facts_.groups = card_groups(*devices_);
    read_general();
    read_models();
    read_managed();
    write_features();
    read_topology(sources);
    read_capacity();
    write_labels();
    return std::move(facts_);
  }

 private:
  void read_general();
  void read_models();
  void add_group(std::int32_t index);
  void add_labelled();
  void read_managed();
  void write_features();
  void read_topology(std::span<const objects::TopologySource> sources);
  void read_capacity();
  void write_labels();

  const objects::Node& node_;
  const objects::Devices* devices_;
  const Settings& settings_;
  Diagnostics& notes_;
  NodeFacts facts_;
};

/// A dump without the labels of node feature discovery still carries the key that the worker made of them.
std::string_view labelled_general_key(const objects::Labels& labels) {
  constexpr std::string_view kCount = ".count";
  std::string_view found;
  for (const auto& [key, value] : labels) {
    if (!key.starts_with(kGeneralPrefix) || !key.ends_with(kCount)) continue;
    if (!found.empty()) return {};
    found = std::string_view(key).substr(kGeneralPrefix.size());
    found.remove_suffix(kCount.size());
  }
  return found;
}

void FactsReader::read_general() {
  constexpr std::string_view kDetail = "feature.gpustack.ai/cpu-";
  facts_.general_manufacturer = general_manufacturer(node_.meta.labels);
  facts_.general_key = general_key(node_.meta.labels, node_.meta.annotations);
  if (facts_.general_key == kGenericGroup) {
    if (const std::string_view labelled = labelled_general_key(node_.meta.labels); !labelled.empty()) {
      facts_.general_key = labelled;
      facts_.general_manufacturer = labelled.substr(0, labelled.find('-'));
    }
  }
  for (const auto& [key, value] : node_.meta.annotations) {
    if (key.starts_with(kDetail)) facts_.cpu_detail.emplace(key.substr(kDetail.size()), value);
  }
  const Quantity* const cpu = objects::find(node_.status.capacity, "cpu");
  const Quantity* const fallback = objects::find(node_.status.allocatable, "cpu");
  const Quantity* const cores = cpu != nullptr ? cpu : fallback;
  if (cores == nullptr) return;
  if (cores->sign() < 0 || *cores > Quantity::from_int64(kMaxCount)) {
    warn(notes_, facts_.name, "invalid-capacity",
         fmt::format("cpu capacity {} is left out; 0 to {} cores are possible", cores->to_string(), kMaxCount));
    return;
  }
  facts_.cores = cores->value();
}

void FactsReader::add_group(std::int32_t index) {
  const CardGroup& cards = facts_.groups[static_cast<std::size_t>(index)];
  const objects::AcceleratorGroup& group = *cards.group;
  const Manufacturer* const manufacturer = find_manufacturer(group.manufacturer);
  if (manufacturer == nullptr) {
    warn(notes_, facts_.name, "unknown-manufacturer",
         fmt::format("Devices group {} is of the manufacturer {}, which the operator does not know; it is left out",
                     quote(group.id), quote(group.manufacturer)));
    return;
  }
  if (!is_qualified_name(keyed(kAcceleratorPrefix, cards.key))) {
    warn(notes_, facts_.name, "invalid-accelerator-key",
         fmt::format("the accelerator key {} cannot be part of a label (at most 63 letters, digits, '-', '_', '.')",
                     quote(cards.key)));
    return;
  }
  const auto label = [&](std::string_view suffix) {
    return std::string(value_of(node_.meta.labels, keyed(kAcceleratorPrefix, cards.key, suffix)));
  };
  Model& model = facts_.models.emplace_back();
  model.key = cards.key;
  model.manufacturer = manufacturer;
  model.cards = index;
  model.count = static_cast<std::int64_t>(group.accelerators.size());
  model.memory = group.memory_mib > 0 ? memory_label(group.memory_mib * kBytesPerMib) : label(".memory");
  model.product = group.name.empty() ? label(".product") : product_label(group.name);
  model.family = group.family.empty() ? label(".family") : group.family;
  model.cores = group.cores > 0 ? std::to_string(group.cores) : label(".cores");
  model.comcap = group.compute_capability.empty() ? label(".comcap") : group.compute_capability;
  const std::string count = label(".count");
  if (!count.empty() && count_label(count) != model.count) {
    warn(notes_, facts_.name, "stale-label",
         fmt::format("the label {} says {}, the Devices list {} accelerators; the Devices count",
                     keyed(kAcceleratorPrefix, cards.key, ".count"), quote(count), model.count));
  }
}

/// Models of a node without Devices: labels "<prefix><manufacturer>-<id>" = true with a count.
void FactsReader::add_labelled() {
  for (const auto& [label, value] : node_.meta.labels) {
    if (!label.starts_with(kAcceleratorPrefix) || value != "true") continue;
    const std::string_view key = std::string_view(label).substr(kAcceleratorPrefix.size());
    const Manufacturer* const manufacturer = manufacturer_of_key(key);
    if (manufacturer == nullptr) continue;
    const auto part = [&](std::string_view suffix) {
      return std::string(value_of(node_.meta.labels, label + std::string(suffix)));
    };
    Model& model = facts_.models.emplace_back();
    model.key = key;
    model.manufacturer = manufacturer;
    const std::string count = part(".count");
    model.count = count_label(count);
    if (model.count == 0) {
      warn(notes_, facts_.name, "invalid-count",
           fmt::format("the label {}.count is {}; 1 to {} accelerators are possible", label, quote(count), kMaxCount));
    }
    model.memory = part(".memory");
    model.product = part(".product");
    model.family = part(".family");
    model.cores = part(".cores");
    model.comcap = part(".comcap");
  }
}

void FactsReader::read_models() {
  if (facts_.has_devices) {
    for (std::size_t i = 0; i < facts_.groups.size(); ++i) add_group(static_cast<std::int32_t>(i));
  } else {
    add_labelled();
  }
  std::ranges::sort(facts_.models, {}, &Model::key);
}

void FactsReader::read_managed() {
  const std::string* const label = objects::find(node_.meta.labels, kManaged);
  const std::string value = label != nullptr ? *label : settings_.node_management_manual ? "" : "true";
  facts_.managed = value == "true";
  if (!value.empty()) facts_.worker_feature[std::string(kManaged)] = value;
}

void FactsReader::write_features() {
  LabelMap& worker = facts_.worker_feature;
  worker[keyed(kGeneralPrefix, facts_.general_manufacturer)] = "true";
  worker[keyed(kGeneralPrefix, facts_.general_key)] = "true";
  if (facts_.cores > 0) worker[keyed(kGeneralPrefix, facts_.general_key, ".count")] = std::to_string(facts_.cores);
  if (!facts_.accelerated() && !settings_.mixed_on_node) worker[std::string(kCpuOnly)] = "true";

  LabelMap& device = facts_.device_feature;
  device[std::string(kAcceleratable)] = facts_.accelerated() ? "true" : "false";
  for (const Model& model : facts_.models) {
    device[keyed(kAcceleratorPrefix, model.manufacturer->name)] = "true";
    device[keyed(kAcceleratorPrefix, model.key)] = "true";
    const std::array<std::pair<std::string_view, std::string>, 6> parts = {
        {{".count", model.count > 0 ? std::to_string(model.count) : ""},
         {".memory", model.memory},
         {".cores", model.cores},
         {".product", model.product},
         {".family", model.family},
         {".comcap", model.comcap}}};
    for (const auto& [suffix, value] : parts) {
      const std::string key = keyed(kAcceleratorPrefix, model.key, suffix);
      if (!value.empty() && is_qualified_name(key) && is_label_value(value)) device[key] = value;
    }
  }
  if (devices_ == nullptr) return;
  for (const auto& group : facts_.groups) {
    const Manufacturer* const manufacturer = find_manufacturer(group.group->manufacturer);
    if (manufacturer == nullptr) continue;
    const std::string prefix = keyed(kAcceleratorPrefix, manufacturer->name);
    const objects::AcceleratorGroup& spec = *group.group;
    if (!spec.driver_version.empty()) device[prefix + ".driver-version"] = product_label(spec.driver_version);
    if (!spec.runtime_version.empty()) device[prefix + ".runtime-version"] = product_label(spec.runtime_version);
  }
  device.merge(rdma_labels(devices_->interfaces, nearest(*devices_)));
}

void FactsReader::read_topology(std::span<const objects::TopologySource> sources) {
  facts_.levels = node_levels(source_levels(sources, node_.meta.labels), node_.meta.labels);
  facts_.profile = topology_profile(facts_.levels);
  const std::string_view labelled = value_of(node_.meta.labels, kProfile);
  // Without any source in the dump the operator's own label tells more than the absence of sources.
  if (sources.empty() && !labelled.empty() && labelled != facts_.profile) {
    facts_.profile = labelled;
    facts_.levels.clear();
  }
}

/// The bare keys are the device plugin's. A node that has none of a manufacturer's yet gets what its Devices allow.
void FactsReader::read_capacity() {
  objects::ResourceList capacity = node_.status.capacity;
  for (const Manufacturer& manufacturer : manufacturers()) {
    std::vector<ModelCards> models;
    for (const Model& model : facts_.models) {
      if (model.manufacturer == &manufacturer && model.cards >= 0) {
        models.push_back({&facts_.groups[static_cast<std::size_t>(model.cards)], memory_label_mib(model.memory)});
      }
    }
    if (models.empty()) continue;
    const bool advertised = std::ranges::any_of(capacity, [&](const auto& entry) {
      const auto resource = classify(entry.first);
      return resource && resource->manufacturer == &manufacturer && resource->part.empty();
    });
    const Amounts allowed = bare_keys(manufacturer, models);
    if (!advertised) {
      facts_.bare_assumed = true;
      for (const auto& [key, amount] : allowed) capacity.emplace_back(key, Quantity::from_int64(amount));
    }
    for (const auto& [key, amount] : allowed) {
      const Quantity* const shown = objects::find(capacity, key);
      if (shown != nullptr) facts_.bare[key] = shown->value();
    }
    if (facts_.managed) facts_.keys.merge(counting_keys(manufacturer, models, pools_of(capacity, manufacturer)));
  }
}

void FactsReader::write_labels() {
  if (facts_.managed) {
    facts_.node_labels[std::string(kProfile)] = facts_.profile;
    for (const Model& model : facts_.models) {
      if (model.cards >= 0) facts_.node_labels.merge(fit_labels(facts_.groups[static_cast<std::size_t>(model.cards)]));
    }
  }
  for (const auto& [key, value] : node_.meta.labels) {
    const bool kept = !is_chain_label(key) || (!facts_.has_devices && is_device_label(key));
    if (kept) facts_.labels[key] = value;
  }
  for (const LabelMap* const part : {&facts_.worker_feature, &facts_.device_feature, &facts_.node_labels}) {
    for (const auto& [key, value] : *part) facts_.labels[key] = value;
  }
}

}  // namespace

NodeFacts node_facts(const objects::Node& node, const objects::Devices* devices,
                     std::span<const objects::TopologySource> sources, const Settings& settings, Diagnostics& notes) {
  return FactsReader(node, devices, settings, notes).read(sources);
}

bool is_chain_label(std::string_view key) {
  return key == kManaged || key == kProfile || key == kCpuOnly || key == kAcceleratable ||
         key.starts_with(kGeneralPrefix) || is_device_label(key);
}

}  // namespace gpusched::chain
