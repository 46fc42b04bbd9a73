#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "kubescheduler/plugins.hpp"
#include "kubescheduler/volume_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

struct TopologyLabel {
  std::string_view key, current_key;
};
constexpr std::array<TopologyLabel, 4> kTopologyLabels = {{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

/// A volume's place: the node must have one of the values.
struct VolumeTopology {
  TopologyLabel label;
  std::set<std::string> values;
};

/// "a__b" means a or b; none when a part is empty, and the label is then ignored.
std::optional<std::set<std::string>> zones_of(std::string_view label) {
  constexpr std::string_view kDelimiter = "__";
  std::set<std::string> zones;
  while (true) {
    const std::size_t end = label.find(kDelimiter);
    std::string_view zone = label.substr(0, end);
    while (!zone.empty() && zone.front() == ' ') {
      zone.remove_prefix(1);
    }
    while (!zone.empty() && zone.back() == ' ') {
      zone.remove_suffix(1);
    }
    if (zone.empty()) {
      return std::nullopt;
    }
    zones.emplace(zone);
    if (end == std::string_view::npos) {
      return zones;
    }
    label.remove_prefix(end + kDelimiter.size());
  }
}

class VolumeZone final : public FilterPlugin {
 public:
  VolumeZone(Cycle& cycle, std::vector<VolumeTopology> topologies)
      : topologies_(std::move(topologies)),
        conflict_(cycle.reasons.unresolvable("node(s) had no available volume zone")) {}

  Status filter(const NodeView& view) override {
    const objects::Labels& labels = view.object().meta.labels;
    const bool has_zone = std::ranges::any_of(
        kTopologyLabels, [&](const TopologyLabel& label) { return objects::find(labels, label.key) != nullptr; });
    if (!has_zone) {
      return {};
    }
    for (const VolumeTopology& topology : topologies_) {
      const std::string* value = objects::find(labels, topology.label.key);
      value = value == nullptr ? objects::find(labels, topology.label.current_key) : value;
      if (value == nullptr || !topology.values.contains(*value)) {
        return conflict_;
      }
    }
    return {};
  }

 private:
  std::vector<VolumeTopology> topologies_;
  Status conflict_;
};

/// What is wrong with a claim that has no volume; "" when it waits for its first consumer.
std::string unbound_error(const Cycle& cycle, const objects::PersistentVolumeClaim& claim) {
  const std::string name = storage_class_of(claim);
  if (name.empty()) {
    return "PersistentVolumeClaim had no pv name and storageClass name";
  }
  const objects::StorageClass* const storage_class = cycle.snapshot.find_storage_class(name);
  if (storage_class == nullptr) {
    return not_found("storageclass.storage.k8s.io", name);
  }
  if (!storage_class->volume_binding_mode) {
    return fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", name);
  }
  return *storage_class->volume_binding_mode == "WaitForFirstConsumer" ? "" : "PersistentVolume had no name";
}

}  // namespace

PreFiltered pre_filter_volume_zone(Cycle& cycle) {
  std::vector<VolumeTopology> topologies;
  const auto refuse = [&](std::string reason) {
    return PreFiltered{cycle.reasons.unresolvable(std::move(reason)), nullptr, false, {}};
  };
  for (const ClaimUse& use : claims_of(cycle.snapshot, cycle.pod)) {
    if (use.ephemeral) {
      continue;
    }
    if (use.name.empty()) {
      return refuse("PersistentVolumeClaim had no name");
    }
    if (use.claim == nullptr) {
      return refuse(not_found("persistentvolumeclaim", use.name));
    }
    if (use.claim->volume_name.empty()) {
      if (std::string error = unbound_error(cycle, *use.claim); !error.empty()) {
        return refuse(std::move(error));
      }
      continue;
    }
    const objects::PersistentVolume* const volume = cycle.snapshot.find_volume(use.claim->volume_name);
    if (volume == nullptr) {
      return refuse(not_found("persistentvolume", use.claim->volume_name));
    }
    for (const TopologyLabel& label : kTopologyLabels) {
      const std::string* const value = objects::find(volume->meta.labels, label.key);
      if (auto zones = value == nullptr ? std::nullopt : zones_of(*value)) {
        topologies.push_back({label, *std::move(zones)});
      }
    }
  }
  if (topologies.empty()) {
    return {};
  }
  return {{}, std::make_unique<VolumeZone>(cycle, std::move(topologies)), false, {}};
}

}  // namespace gpusched::kubescheduler
