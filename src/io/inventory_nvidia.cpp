#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/inventory_parts.hpp"

// What NVIDIA's device plugin advertises, read with the labels at hand. Source: k8s-device-plugin v0.20.
namespace gpusched::io {

namespace {

constexpr std::string_view kWhole = "nvidia.com/gpu", kShared = "nvidia.com/gpu.shared";
constexpr std::string_view kSharedSuffix = ".shared", kMigPrefix = "nvidia.com/mig-";

Advertised advertised(Units units) {
  if (units.capacity == 0) return Advertised::kNotAdvertised;
  return units.allocatable > 0 ? Advertised::kUsable : Advertised::kBroken;
}

/// Replicas and strategy of a group whose number of devices (GPUs or single-strategy instances, 0 unknown) is given.
void set_sharing(GpuGroup& group, const Hints& hints, std::int64_t devices, Inventory& inventory) {
  group.replicas = std::max<std::int64_t>(hints.replicas.value_or(1), 1);
  if (group.replicas == 1 && devices > 0 && group.capacity > devices && group.capacity % devices == 0) {
    group.replicas = group.capacity / devices;
    inventory.infer("replicas", fmt::format("{} {} over {} devices", group.capacity, group.resource, devices));
    if (hints.replicas) {
      inventory.warn(
          Severity::kWarning, "gpus-shared-otherwise",
          fmt::format("{} says that GPUs are not shared, but {} counts {} for {}: taken as {} shares of each",
                      hints.replicas_from, group.resource, group.capacity, devices, group.replicas),
          "another device plugin than NVIDIA's may share them, HAMi's for example");
    }
  } else if (group.replicas > 1) {
    inventory.infer("replicas", hints.replicas_from);
  }
  const bool suffix = hints.sharing == Sharing::kUnknown;
  if (group.replicas == 1 && !group.renamed && !suffix) return;
  group.sharing = hints.sharing.value_or(Sharing::kUnknown);
  if (group.sharing == Sharing::kNone) group.sharing = Sharing::kUnknown;
  // A renamed resource beside a plain one that lost its devices was seen with MPS.
  const Units plain = inventory.units(kWhole);
  if (group.sharing == Sharing::kUnknown && group.renamed && plain.capacity > 0 && plain.allocatable == 0) {
    group.sharing = Sharing::kMps;
    inventory.infer("sharing (assumed)",
                    fmt::format("{} has capacity {} and allocatable 0 beside {}", kWhole, plain.capacity, kShared));
  }
}

struct CountOfGpus {
  std::int64_t value = 0;
  CountBasis basis = CountBasis::kKnown;
};

/// Whole GPUs behind `capacity` units, before replicas are known.
CountOfGpus count_whole(const GpuGroup& group, const Hints& hints, Inventory& inventory) {
  const std::int64_t capacity = group.capacity;
  const std::int64_t units = capacity / std::max<std::int64_t>(hints.replicas.value_or(1), 1);
  if (hints.count > 0) {
    const bool replicas = units > hints.count && hints.replicas.value_or(1) <= 1 && units % hints.count == 0;
    if (units <= hints.count || replicas) {
      inventory.infer("count", hints.count_from);
      return {hints.count};
    }
    inventory.warn(Severity::kWarning, "gpu-count-differs",
                   fmt::format("{} says {} GPUs, {} advertises {}; the latter is taken", hints.count_from, hints.count,
                               group.resource, units));
    return {units};
  }
  if (group.renamed && inventory.units(kWhole).capacity > 0) {
    inventory.infer("count", fmt::format("capacity of {}", kWhole));
    return {inventory.units(kWhole).capacity};
  }
  const bool multiple = hints.shape != nullptr && capacity % hints.shape->count == 0;
  if (multiple) {  // 0 when nothing is advertised
    inventory.infer("count", hints.shape_from);
    return {hints.shape->count};
  }
  if (hints.replicas.value_or(1) > 1 && units > 0) return {units};
  if (units == 0) return {0, CountBasis::kAtLeast};
  inventory.infer("count", fmt::format("capacity of {}", group.resource));
  const bool certain = hints.replicas == 1 || (hints.shape != nullptr && capacity < hints.shape->count);
  return {units, certain ? CountBasis::kKnown : CountBasis::kUnits};
}

GpuGroup whole_group(std::string_view resource, const Hints& hints, Inventory& inventory) {
  GpuGroup group;
  const Units units = inventory.units(resource);
  group.vendor = "nvidia";
  group.resource = resource;
  group.capacity = units.capacity;
  group.allocatable = units.allocatable;
  group.advertised = advertised(units);
  group.renamed = resource.ends_with(kSharedSuffix);
  if (hints.shape != nullptr) group.parts = hints.shape->parts;
  const CountOfGpus count = count_whole(group, hints, inventory);
  group.count = count.value;
  group.count_basis = count.basis;
  set_sharing(group, hints, count.basis == CountBasis::kKnown ? count.value : 0, inventory);
  describe(group, hints, inventory);
  return group;
}

/// The instances of the mixed strategy, from resources; from labels when no resource has any.
std::vector<MigCount> mixed_instances(const Hints& hints, Inventory& inventory, bool& renamed) {
  std::vector<MigCount> instances;
  for (const std::string_view name : inventory.resources()) {
    if (classify_resource(name).role != ResourceRole::kMig) continue;
    std::string_view profile = name.substr(kMigPrefix.size());
    const bool shared = profile.ends_with(kSharedSuffix);
    if (shared) profile.remove_suffix(kSharedSuffix.size());
    renamed = renamed || shared;
    const Units units = inventory.units(name);
    const auto counted = inventory.number_label(fmt::format("{}{}.count", kMigPrefix, profile));
    const auto replicas = inventory.number_label(fmt::format("{}{}.replicas", kMigPrefix, profile));
    std::int64_t count = units.capacity / std::max<std::int64_t>(replicas.value_or(1), 1);
    if (counted && *counted > 0 && *counted < count) count = *counted;
    instances.push_back({std::string(profile), std::string(name), count, units.capacity, units.allocatable});
  }
  if (!instances.empty()) {
    inventory.infer("MIG instances", "resources nvidia.com/mig-*");
    return instances;
  }
  if (!hints.mig_profile.empty()) return instances;
  for (const auto& [key, value] : inventory.node().labels) {
    constexpr std::string_view kCount = ".count";
    if (!key.starts_with(kMigPrefix) || !key.ends_with(kCount)) continue;
    const auto count = parse_number(value);
    std::string_view profile = key.substr(kMigPrefix.size());
    profile.remove_suffix(kCount.size());
    if (count.value_or(0) > 0)
      instances.push_back({std::string(profile), fmt::format("{}{}", kMigPrefix, profile), *count});
  }
  if (!instances.empty()) inventory.infer("MIG instances", "labels nvidia.com/mig-*.count");
  return instances;
}

/// Labels of older releases round the memory in a profile's name otherwise than the resource does.
void note_other_names(const GpuGroup& group, Inventory& inventory) {
  if (group.mig_board == nullptr) return;
  for (const auto& [key, value] : inventory.node().labels) {
    if (!key.starts_with(kMigPrefix) || !key.ends_with(".count")) continue;
    const std::string_view name = key.substr(kMigPrefix.size(), key.size() - kMigPrefix.size() - 6);
    const auto profile = mig::find_profile(*group.mig_board, name);
    const auto known = std::ranges::find_if(group.instances, [&](const MigCount& instance) {
      return profile && instance.profile == group.mig_board->profiles[*profile].name;
    });
    if (known != group.instances.end() && known->resource != fmt::format("{}{}", kMigPrefix, name)) {
      inventory.infer(fmt::format("label {} is profile {}", key, known->profile), known->resource);
    }
  }
}

/// Profiles in NVIDIA's spelling, geometry, layouts and everything else of GPUs in MIG mode.
void finish_mig(GpuGroup& group, const Hints& hints, Inventory& inventory) {
  describe(group, hints, inventory);
  if (group.mig_board == nullptr && !group.vgpu) {
    group.mig_board = board_of_profiles(group.instances);
    if (group.mig_board != nullptr) {
      inventory.infer(fmt::format("MIG board {}", group.mig_board->id), "profile names");
      if (group.board_memory_mib == 0) group.board_memory_mib = group.mig_board->memory_total_mib;
      if (group.architecture.empty()) group.architecture = group.mig_board->architecture;
    }
  }
  if (group.mig_board != nullptr) {
    for (MigCount& instance : group.instances) {
      const auto profile = mig::find_profile(*group.mig_board, instance.profile);
      if (profile) instance.profile = group.mig_board->profiles[*profile].name;
    }
  }
  note_other_names(group, inventory);
  split_instances(group, inventory);
}

GpuGroup mixed_group(std::vector<MigCount> instances, bool renamed, const Hints& hints, std::int64_t whole,
                     Inventory& inventory) {
  GpuGroup group;
  group.vendor = "nvidia";
  group.mig = MigStrategy::kMixed;
  group.renamed = renamed;
  Units units;
  for (const MigCount& instance : instances) {
    units.capacity += instance.capacity;
    units.allocatable += instance.allocatable;
    if (instance.count > 0) group.replicas = std::max(group.replicas, instance.capacity / instance.count);
  }
  group.advertised = advertised(units);
  if (group.replicas > 1) group.sharing = hints.sharing.value_or(Sharing::kUnknown);
  group.instances = std::move(instances);
  const std::int64_t all = hints.count > 0 ? hints.count : (hints.shape != nullptr ? hints.shape->count : 0);
  group.count = std::max<std::int64_t>(all - whole, 0);
  if (group.count > 0) inventory.infer("count", hints.count > 0 ? hints.count_from : hints.shape_from);
  finish_mig(group, hints, inventory);
  return group;
}

/// Every GPU has MIG on and all instances are of one profile: nvidia.com/gpu counts instances.
GpuGroup single_group(const Hints& hints, Inventory& inventory) {
  GpuGroup group;
  group.vendor = "nvidia";
  group.mig = MigStrategy::kSingle;
  group.renamed = inventory.units(kShared).capacity > 0;
  group.resource = group.renamed ? kShared : kWhole;
  const Units units = inventory.units(group.resource);
  group.capacity = units.capacity;
  group.allocatable = units.allocatable;
  group.advertised = hints.mig_invalid && units.allocatable == 0 ? Advertised::kBroken : advertised(units);
  std::int64_t devices = hints.mig_count_is_instances ? hints.count : 0;
  set_sharing(group, hints, devices, inventory);
  if (devices == 0) devices = group.capacity / group.replicas;
  if (!hints.mig_profile.empty()) {
    group.instances.push_back({hints.mig_profile, group.resource, devices, units.capacity, units.allocatable});
    inventory.infer("MIG instances", hints.mig_count_is_instances ? "label nvidia.com/gpu.product"
                                                                  : "label cloud.google.com/gke-gpu-partition-size");
  }
  if (!hints.mig_count_is_instances) group.count = hints.count;
  if (group.count == 0 && hints.shape != nullptr) group.count = hints.shape->count;
  finish_mig(group, hints, inventory);
  return group;
}

void warn_about_mig(const Hints& hints, Inventory& inventory) {
  if (hints.mig_invalid) {
    inventory.warn(Severity::kWarning, "mig-strategy-violated",
                   "label nvidia.com/gpu.product ends in -MIG-INVALID: with mig.strategy single every GPU must have "
                   "instances of one profile",
                   "use mig.strategy mixed or one profile on every GPU");
  }
  const std::string_view state = inventory.label("nvidia.com/mig.config.state");
  if (!state.empty() && state != "success") {
    inventory.warn(Severity::kWarning, "mig-change-unfinished",
                   fmt::format("label nvidia.com/mig.config.state is \"{}\": the change to \"{}\" did not finish",
                               state, inventory.label("nvidia.com/mig.config")),
                   "MIG manager tries again when the value of nvidia.com/mig.config changes");
  }
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A resource named after a product: GRID_P40-1Q (a vGPU of 1 GB), GA102_GEFORCE_RTX_3090 (passed through).
GpuGroup named_group(std::string_view resource, Inventory& inventory) {
  GpuGroup group;
  const Units units = inventory.units(resource);
  group.vendor = "nvidia";
  group.resource = resource;
  group.count = group.capacity = units.capacity;
  group.allocatable = units.allocatable;
  group.advertised = advertised(units);
  std::string name(resource.substr(resource.find('/') + 1));
  std::ranges::replace(name, '_', '-');
  const std::size_t dash = name.rfind('-');
  const std::string_view last =
      dash == std::string::npos ? std::string_view() : std::string_view(name).substr(dash + 1);
  Hints hints;
  if (last.size() >= 2 && !is_digit(last.back()) && parse_number(last.substr(0, last.size() - 1))) {
    hints.vgpu = true;
    hints.memory_mib = *parse_number(last.substr(0, last.size() - 1)) * 1024;
    hints.memory_from = fmt::format("resource {}", resource);
  } else if (dash != std::string::npos && name.size() > 4 && is_digit(name[2]) && is_digit(name[3])) {
    name.erase(0, name.find('-') + 1);  // the chip: GA102
  }
  hints.model = name;
  hints.model_from = fmt::format("resource {}", resource);
  if (!hints.vgpu) resolve_model(hints, inventory);
  describe(group, hints, inventory);
  lay_topology(group, hints, inventory);
  return group;
}

/// The resource that counts whole GPUs or their replicas; "" when none does.
std::string_view whole_resource(const Inventory& inventory) {
  if (inventory.units(kShared).capacity > 0) return kShared;
  if (inventory.units(kWhole).capacity > 0) return kWhole;
  for (const std::string_view name : inventory.resources()) {
    const ResourceKind kind = classify_resource(name);
    if (kind.vendor == "nvidia" && kind.role == ResourceRole::kDevice) return name;
  }
  return {};
}

}  // namespace

std::vector<GpuGroup> nvidia_groups(Inventory& inventory) {
  Hints hints = nvidia_hints(inventory);
  warn_about_mig(hints, inventory);
  std::vector<GpuGroup> groups;
  const std::string_view resource = whole_resource(inventory);
  // The plugin that registered them knows better than the labels of NVIDIA's.
  if (hints.registered && hints.registered->units_of_each > 0 &&
      hints.registered->units == inventory.units(resource).capacity) {
    hints.replicas = hints.registered->units_of_each;
    hints.replicas_from = hints.registered->from;
  }
  bool renamed = false;
  std::vector<MigCount> instances = mixed_instances(hints, inventory, renamed);
  if (!hints.mig_profile.empty() || hints.mig_invalid) {
    groups.push_back(single_group(hints, inventory));
  } else {
    Hints rest = hints;
    if (!resource.empty()) {
      // With MIG GPUs beside them, the label's count is that of all GPUs.
      if (!instances.empty()) rest.count = 0;
      if (!instances.empty()) rest.shape = nullptr;
      groups.push_back(whole_group(resource, instances.empty() ? hints : rest, inventory));
    }
    if (!instances.empty()) {
      const std::int64_t whole = groups.empty() ? 0 : groups.front().count;
      groups.push_back(mixed_group(std::move(instances), renamed, hints, whole, inventory));
    }
  }
  for (GpuGroup& group : groups) lay_topology(group, hints, inventory);
  for (const std::string_view name : inventory.resources()) {
    const ResourceKind kind = classify_resource(name);
    if (kind.vendor == "nvidia" && kind.role == ResourceRole::kVgpu) groups.push_back(named_group(name, inventory));
  }
  if (groups.empty() && hints.hardware()) {
    groups.push_back(whole_group(kWhole, hints, inventory));
    groups.back().resource.clear();
    lay_topology(groups.back(), hints, inventory);
  }
  return groups;
}

}  // namespace gpusched::io
