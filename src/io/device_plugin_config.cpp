#include "gpusched/io/device_plugin_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/document_kind.hpp"
#include "io/config_map.hpp"
#include "io/inventory_parts.hpp"

namespace gpusched::io {

namespace {

constexpr std::array<std::string_view, 3> kStrategies = {"none", "single", "mixed"};
constexpr std::array<std::string_view, 2> kPolicies = {"distributed", "packed"};
constexpr std::array<std::string_view, 4> kSections = {"flags", "resources", "sharing", "imex"};
constexpr std::string_view kSharedSuffix = ".shared";
constexpr std::int64_t kMostReplicas = 1000;
/// Of an MPS server on a GPU of compute capability 7.5 and later (the plugin's cmd/mps-control-daemon).
constexpr std::int64_t kMostMpsClients = 48;

/// Names of resources may leave the domain out.
std::string full_name(std::string_view name) {
  return name.starts_with("nvidia.com/") ? std::string(name) : fmt::format("nvidia.com/{}", name);
}

void read_flags(Decoder& decoder, const Value& value, DevicePluginConfig& config) {
  ObjectReader flags(decoder, value, "flags");
  flags.ignore_other_keys();
  if (const auto strategy = flags.optional_one_of("migStrategy", kStrategies)) {
    config.mig_strategy = static_cast<mig::Strategy>(*strategy);
  }
  flags.object("plugin", [&](const Value& item) {
    ObjectReader plugin(decoder, item, "plugin flags");
    plugin.ignore_other_keys();
    config.kubelet.packed = plugin.optional_one_of("sharedDevicesAllocationPolicy", kPolicies) == 1U;
  });
}

/// One way of sharing. `rename` and `devices` may be there, and the plugin overrides them.
struct SharedBy {
  std::vector<SharedResource> resources;
  std::optional<bool> one_only;
};

SharedResource read_resource(Decoder& decoder, const Value& value, bool rename) {
  ObjectReader reader(decoder, value, "shared resource");
  SharedResource resource;
  resource.name = full_name(reader.required_string("name"));
  resource.advertised = resource.name + (rename ? std::string(kSharedSuffix) : std::string());
  resource.replicas = reader.required_int64("replicas", 2, kMostReplicas);
  for (const std::string_view key : {"rename", "devices"}) {
    const Value* const ignored = reader.find(key);
    if (ignored == nullptr || (ignored->is_string() && ignored->text() == "all")) continue;
    decoder.at_key(key, [&] {
      decoder.warn(
          *ignored, "ignored-setting",
          fmt::format("{} has no effect: the device plugin shares all devices of a resource, under its name or "
                      "with {}",
                      key, kSharedSuffix));
    });
  }
  return resource;
}

SharedBy read_sharing(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "sharing");
  SharedBy sharing;
  const bool rename = reader.optional_bool("renameByDefault").value_or(false);
  sharing.one_only = reader.optional_bool("failRequestsGreaterThanOne");
  const bool listed = reader.array("resources", [&](const Value& item, std::size_t) {
    sharing.resources.push_back(read_resource(decoder, item, rename));
  });
  if ((!listed || value.find("resources")->items().empty()) && value.is_object()) {
    decoder.error(value, "missing-key", "no resources specified", "list at least one under resources");
  }
  return sharing;
}

void read_sharings(Decoder& decoder, const Value& value, DevicePluginConfig& config) {
  ObjectReader reader(decoder, value, "sharing");
  std::optional<SharedBy> slicing;
  std::optional<SharedBy> mps;
  reader.object("timeSlicing", [&](const Value& item) { slicing = read_sharing(decoder, item); });
  reader.object("mps", [&](const Value& item) { mps = read_sharing(decoder, item); });
  if (slicing && mps) {
    reader.error("timeSlicing", "value-not-allowed", "timeSlicing and mps exclude each other", "leave one of them out");
  }
  if (mps) {
    config.kubelet.mps = true;
    config.kubelet.one_replica_only = mps->one_only.value_or(true);
    config.shared = std::move(mps->resources);
    for (const SharedResource& resource : config.shared) {
      if (resource.replicas <= kMostMpsClients) continue;
      reader.error("mps", "out-of-range",
                   fmt::format("maximum allowed replicas exceeded: {} > {} clients of MPS on one GPU",
                               resource.replicas, kMostMpsClients));
    }
  } else if (slicing) {
    config.kubelet.one_replica_only = slicing->one_only.value_or(false);
    config.shared = std::move(slicing->resources);
  }
}

/// What the file is when it is none of the plugin's; "" when it looks like one.
std::string other_kind(const Value& root) {
  if (!root.is_object()) return describe(root);
  const bool section = std::ranges::any_of(kSections, [&](std::string_view key) { return root.find(key) != nullptr; });
  if (root.find("kind") != nullptr ||
      (!section && root.members().size() > (root.find("version") != nullptr ? 1U : 0U))) {
    return describe_document(root);
  }
  return {};
}

void read_config(Decoder& decoder, const Value& root, DevicePluginConfig& config) {
  if (const std::string found = other_kind(root); !found.empty()) {
    decoder.error(
        root, "not-a-device-plugin-config",
        fmt::format("expected a configuration of NVIDIA's device plugin ({}), found {}", join(kSections, ", "), found),
        root.find("mig-configs") != nullptr ? "--mig-parted-config reads MIG configurations" : "");
    return;
  }
  ObjectReader reader(decoder, root, "device plugin configuration");
  reader.ignore_other_keys();
  const Value* const version = reader.find("version");
  if (version != nullptr && version->text() != "v1" && !version->text().empty()) {
    reader.error("version", "value-not-allowed",
                 fmt::format("unknown version: {}; the device plugin reads v1", shorten(version->text())));
  }
  for (const Member& member : root.members()) {
    if (member.key() == "version" || std::ranges::find(kSections, member.key()) != kSections.end()) continue;
    decoder.at_key(member.key(), [&] {
      const std::string nearest = suggest(member.key(), kSections);
      decoder.warn(member.value, "ignored-setting",
                   fmt::format("the device plugin does not know {}", quote(member.key())),
                   nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
    });
  }
  reader.object("flags", [&](const Value& item) { read_flags(decoder, item, config); });
  reader.object("sharing", [&](const Value& item) { read_sharings(decoder, item, config); });
}

}  // namespace

std::int64_t DevicePluginConfig::replicas_of(std::string_view resource) const {
  for (const SharedResource& row : shared) {
    if (resource == row.name || resource == row.advertised) return row.replicas;
  }
  return 1;
}

Result<std::vector<DevicePluginConfig>> read_device_plugin_configs(const Document& document, Diagnostics& warnings) {
  std::vector<DevicePluginConfig> configs;
  Diagnostics errors;
  const auto read = [&](const Document& one, std::string name) {
    Decoder decoder(one);
    configs.push_back({.name = std::move(name), .mig_strategy = {}, .kubelet = {}, .shared = {}});
    read_config(decoder, one.root, configs.back());
    const bool failed = decoder.failed();
    std::ranges::move(decoder.take_diagnostics(), std::back_inserter(failed ? errors : warnings));
  };
  if (is_config_map(document)) {
    const Result<std::vector<ConfigMapEntry>> entries = config_map_entries(document);
    if (!entries) return std::unexpected(entries.error());
    for (const ConfigMapEntry& entry : *entries) read(entry.document, entry.name);
  } else {
    read(document, {});
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return configs;
}

const DevicePluginConfig* config_of_node(std::span<const DevicePluginConfig> configs, std::string_view label) {
  const auto named = [&](std::string_view name) -> const DevicePluginConfig* {
    const auto found = std::ranges::find(configs, name, &DevicePluginConfig::name);
    return found == configs.end() ? nullptr : &*found;
  };
  if (!label.empty()) return named(label);
  if (const DevicePluginConfig* const found = named("default")) return found;
  return configs.size() == 1 ? &configs.front() : nullptr;
}

void apply_device_plugin(GpuInventory& inventory, const NodeFacts& node, const DevicePluginConfig& config) {
  Inventory facts(node);
  for (GpuGroup& group : inventory.groups) {
    const std::int64_t replicas = config.replicas_of(group.resource);
    if (replicas < 2 || group.replicas > 1 || group.count_basis == CountBasis::kKnown) continue;
    set_replicas(group, replicas, facts);
    if (config.kubelet.mps && group.replicas > 1) group.sharing = Sharing::kMps;
    inventory.inferred.push_back({"replicas", "the device plugin's configuration"});
  }
  std::ranges::move(facts.result.warnings, std::back_inserter(inventory.warnings));
}

}  // namespace gpusched::io
