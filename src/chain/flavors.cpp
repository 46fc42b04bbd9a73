#include "gpusched/chain/flavors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

/// {"name":"…"} with the keys sorted, as the annotation carries it.
std::string json_text(const LabelMap& map) {
  std::string text = "{";
  for (const auto& [key, value] : map) {
    text += text.size() == 1 ? "\"" : ",\"";
    text += key + "\":\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      if (static_cast<unsigned char>(c) < ' ') {
        text += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      } else {
        text += c;
      }
    }
    text += '"';
  }
  return text + "}";
}

class FlavorBuilder {
 public:
  explicit FlavorBuilder(const Settings& settings) : settings_(settings) {}

  void add(const NodeFacts& node, std::uint32_t index) {
    if (!node.managed || node.profile.empty() || node.os.empty() || node.arch.empty()) return;
    if (node.cores > 0 && (settings_.mixed_on_node || !node.accelerated())) {
      put({node.general_key, "", node.os, node.arch, node.cores, node.profile}, node, nullptr, index);
    }
    for (const Model& model : node.models) {
      if (model.count > 0) {
        put({node.general_key, model.key, node.os, node.arch, model.count, node.profile}, node, &model, index);
      }
    }
  }

  std::vector<Flavor> finish() {
    std::map<std::string, int> uses;  // of a name without the profile
    for (const auto& [key, flavor] : flavors_) ++uses[flavor_name(key, false)];
    std::vector<Flavor> flavors;
    for (auto& [key, flavor] : flavors_) {
      const bool shared = uses[flavor_name(key, false)] > 1;
      flavor.name = flavor_name(key, shared || settings_.flavor_names == FlavorNames::kSource);
      flavors.push_back(std::move(flavor));
    }
    std::ranges::sort(flavors, {}, &Flavor::name);
    return flavors;
  }

 private:
  void put(FlavorKey key, const NodeFacts& node, const Model* model, std::uint32_t index) {
    const auto [entry, added] = flavors_.try_emplace(std::move(key));
    Flavor& flavor = entry->second;
    if (added) {
      flavor.key = entry->first;
      flavor.cpu_detail = node.cpu_detail;
      if (model != nullptr) flavor.model = *model;
    }
    ++flavor.nodes;
    flavor.capacity += flavor.key.count;
    flavor.members.push_back(index);
  }

  const Settings& settings_;
  std::map<FlavorKey, Flavor> flavors_;
};

std::string label_key(std::string_view prefix, std::string_view key, std::string_view suffix = {}) {
  return std::string(prefix).append(key).append(suffix);
}

}  // namespace

std::string flavor_name(const FlavorKey& key, bool with_profile) {
  std::string name = "gpustack--" + key.general_key;
  if (key.acceleratable()) name += "--" + key.accelerator_key;
  name += fmt::format("-{}-{}-{}{}", key.os, key.arch, key.count, key.acceleratable() ? "d" : "c");
  if (with_profile) name += "-" + key.profile;
  return name;
}

std::vector<Flavor> make_flavors(std::span<const NodeFacts> nodes, const Settings& settings) {
  FlavorBuilder builder(settings);
  for (std::size_t i = 0; i < nodes.size(); ++i) builder.add(nodes[i], static_cast<std::uint32_t>(i));
  return builder.finish();
}

LabelMap flavor_labels(const Flavor& flavor) {
  const FlavorKey& key = flavor.key;
  const bool accelerated = key.acceleratable();
  LabelMap labels;
  labels[std::string(kAcceleratable)] = accelerated ? "true" : "false";
  labels[std::string(kOs)] = key.os;
  labels[std::string(kArch)] = key.arch;
  labels[std::string(kProfile)] = key.profile;
  labels[std::string(kObjectType)] = "nodes";
  labels[label_key(kGeneralPrefix, key.general_key)] = "true";
  const std::string_view prefix = accelerated ? kAcceleratorPrefix : kGeneralPrefix;
  const std::string& counted = accelerated ? key.accelerator_key : key.general_key;
  labels[label_key(prefix, counted)] = "true";
  labels[label_key(prefix, counted, ".count")] = std::to_string(key.count);
  labels[label_key(prefix, counted, ".capacity")] = std::to_string(flavor.capacity);
  return labels;
}

LabelMap flavor_node_labels(const FlavorKey& key, const Settings& settings) {
  LabelMap labels;
  labels[std::string(kManaged)] = "true";
  labels[std::string(kOs)] = key.os;
  labels[std::string(kArch)] = key.arch;
  labels[std::string(kProfile)] = key.profile;
  labels[label_key(kGeneralPrefix, key.general_key)] = "true";
  if (key.acceleratable()) {
    labels[label_key(kAcceleratorPrefix, key.accelerator_key)] = "true";
    labels[label_key(kAcceleratorPrefix, key.accelerator_key, ".count")] = std::to_string(key.count);
  } else {
    labels[label_key(kGeneralPrefix, key.general_key, ".count")] = std::to_string(key.count);
    if (!settings.mixed_on_node) labels[std::string(kCpuOnly)] = "true";
  }
  return labels;
}

LabelMap flavor_notes(const Flavor& flavor, const Settings& settings) {
  const auto key = [](std::string_view name) { return std::string("note.gpustack.ai/").append(name); };
  const bool accelerated = flavor.key.acceleratable();
  LabelMap notes;
  notes[key("acceleratable")] = accelerated ? "true" : "false";
  notes[key("generalGroup")] = flavor.key.general_key;
  notes[key("topologyProfile")] = flavor.key.profile;
  if (accelerated) {
    const Model& model = flavor.model;
    notes[key("acceleratorGroup")] = flavor.key.accelerator_key;
    notes[key("manufacturer")] = model.manufacturer->name;
    notes[key("product")] = model.product;
    notes[key("family")] = model.family;
    notes[key("memory")] = model.memory;
    notes[key("cores")] = model.cores;
    std::erase_if(notes, [](const auto& note) { return note.second.empty(); });
  }
  const bool with_cpu = !accelerated || settings.aware_cpu_manufacturer;
  if (with_cpu && !flavor.cpu_detail.empty()) notes[key("cpuDetail")] = json_text(flavor.cpu_detail);
  return notes;
}

bool selects(const LabelMap& wanted, const LabelMap& labels) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    const auto found = labels.find(entry.first);
    return found != labels.end() && found->second == entry.second;
  });
}

}  // namespace gpusched::chain
