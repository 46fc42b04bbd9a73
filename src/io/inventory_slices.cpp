#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "gpusched/base/ascii.hpp"
#include "io/inventory_parts.hpp"

// Devices of ResourceSlices -> physical GPUs. Sources: dra-driver-nvidia-gpu 0.5.0-dev and v25.8 names, the AMD, Intel
// and example drivers' attributes; docs/formats/slices.md for what gpusched itself writes.
namespace gpusched::io {

namespace {

constexpr std::array<std::string_view, 6> kDrivers = {"gpu.nvidia.com",  "gpu.amd.com",     "gpu.intel.com",
                                                      "gaudi.intel.com", "gpu.example.com", "tpu.google.com"};

std::string_view vendor_of(std::string_view driver) {
  constexpr std::pair<std::string_view, std::string_view> kVendors[] = {
      {"gpu.nvidia.com", "nvidia"},       {"gpu.amd.com", "amd"},
      {"gpu.intel.com", "intel"},         {"gaudi.intel.com", "habana"},
      {"gpu.example.com", "example.com"}, {"tpu.google.com", "google"}};
  for (const auto& [name, vendor] : kVendors) {
    if (name == driver) return vendor;
  }
  return driver;
}

/// Names without a domain belong to the driver's.
const AttributeFact* find_attribute(const DeviceFacts& device, std::string_view name) {
  for (const auto& [key, value] : device.attributes) {
    if (key == name) return &value;
    if (key.size() == device.driver.size() + 1 + name.size() && key.starts_with(device.driver) && key.ends_with(name)) {
      return &value;
    }
  }
  return nullptr;
}

std::string_view text_of(const DeviceFacts& device, std::string_view name) {
  const AttributeFact* const value = find_attribute(device, name);
  const auto* const text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  return text == nullptr ? std::string_view() : *text;
}

std::optional<std::int64_t> number_of(const DeviceFacts& device, std::string_view name) {
  const AttributeFact* const value = find_attribute(device, name);
  const auto* const number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::int64_t memory_mib(const DeviceFacts& device) {
  constexpr std::int64_t kMiB = 1024 * 1024;
  for (const auto& [name, amount] : device.capacity) {
    const std::string_view key = name.contains('/') ? name.substr(name.find('/') + 1) : name;
    if (key == "memory" || key == "addressableMemory") return std::max<std::int64_t>(amount, 0) / kMiB;
  }
  return 0;
}

enum class Role : std::uint8_t { kOther, kWhole, kMig, kPartition };

Role role_of(const DeviceFacts& device) {
  const std::string_view type = text_of(device, "type");
  if (type == "mig") return Role::kMig;
  if (type == "amdgpu-partition" || type == "vf") return Role::kPartition;
  if (type.empty() || type == "gpu" || type == "vfio" || type == "amdgpu") {
    return find_attribute(device, "partition") != nullptr ? Role::kPartition : Role::kWhole;
  }
  return device.driver == "gaudi.intel.com" || device.driver == "tpu.google.com" ? Role::kWhole : Role::kOther;
}

/// "gpu-3-mig-1g10gb-19-0" -> "gpu-3".
std::string_view stem(std::string_view name) {
  return name.substr(0, std::min(name.find("-mig-"), name.find("-partition-")));
}

struct Gpu {
  const DeviceFacts* whole = nullptr;
  std::vector<const DeviceFacts*> parts;
  bool counters = false;

  [[nodiscard]] const DeviceFacts& any() const { return whole != nullptr ? *whole : *parts.front(); }
};

/// What makes devices one GPU: a counter set, a parent that they name, or the beginning of the name.
std::string gpu_key(const DeviceFacts& device, Role role, const std::map<std::string_view, std::string_view>& by_uuid) {
  const auto in_pool = [&](std::string_view kind, std::string_view value) {
    return fmt::format("{}/{}/{}", device.pool, kind, value);
  };
  if (!device.counter_set.empty()) return in_pool("counters", device.counter_set);
  if (role == Role::kWhole) return in_pool("name", device.name);
  if (const std::string_view parent = text_of(device, "parentUUID"); !parent.empty()) {
    const auto found = by_uuid.find(parent);
    return found != by_uuid.end() ? in_pool("name", found->second) : in_pool("uuid", parent);
  }
  for (const std::string_view key : {"parentPciAddr", "parentDeviceID", "parentUID"}) {
    if (const std::string_view parent = text_of(device, key); !parent.empty()) return in_pool(key, parent);
  }
  return in_pool("name", stem(device.name));
}

/// GPUs of one driver in the order of their first device.
std::vector<Gpu> gather(const Inventory& inventory, std::string_view driver) {
  std::map<std::string_view, std::string_view> by_uuid;
  for (const DeviceFacts& device : inventory.node().devices) {
    const std::string_view uuid = text_of(device, "uuid");
    if (device.driver == driver && role_of(device) == Role::kWhole && !uuid.empty()) by_uuid.emplace(uuid, device.name);
  }
  std::vector<Gpu> gpus;
  std::map<std::string, std::size_t> index;
  for (const DeviceFacts& device : inventory.node().devices) {
    const Role role = device.driver == driver ? role_of(device) : Role::kOther;
    if (role == Role::kOther) continue;
    const auto [place, added] = index.emplace(gpu_key(device, role, by_uuid), gpus.size());
    if (added) gpus.emplace_back();
    Gpu& gpu = gpus[place->second];
    gpu.counters = gpu.counters || !device.counter_set.empty();
    if (role == Role::kWhole && gpu.whole == nullptr) {
      gpu.whole = &device;
    } else {
      gpu.parts.push_back(&device);
    }
  }
  return gpus;
}

std::optional<std::uint32_t> last_number(std::string_view& name) {
  const std::size_t dash = name.rfind('-');
  std::uint32_t value = 0;
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(dash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  name = name.substr(0, dash);
  return value;
}

/// The profile in a device's name: dots dropped (driver) or as dashes (gpusched's own slices), "+" as a dash.
std::string name_part(std::string_view profile, bool dots_as_dashes) {
  std::string result;
  for (const char c : profile) {
    if (c == '+' || (c == '.' && dots_as_dashes)) {
      result.push_back('-');
    } else if (c != '.') {
      result.push_back(c);
    }
  }
  return result;
}

/// Profile and start of a static MIG device. Names: gpu-0-mig-1g24gb-19-0 (id, start), gpu-0-mig-19-0-1 (v25.8: id,
/// start, size), gpu-0-mig-3g-40gb-4 (start).
std::optional<mig::Instance> instance_of(const DeviceFacts& device, const mig::Board& board) {
  constexpr std::string_view kMig = "-mig-";
  const std::size_t at = device.name.find(kMig);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = device.name.substr(at + kMig.size());
  const auto last = last_number(rest);
  if (!last) return std::nullopt;
  std::string_view before = rest;
  const auto middle = last_number(before);
  for (std::size_t i = 0; i < board.profiles.size(); ++i) {
    const mig::Profile& profile = board.profiles[i];
    const auto index = static_cast<mig::ProfileIndex>(i);
    const bool id_matches = middle && static_cast<std::int64_t>(*middle) == profile.gi_profile_id;
    std::uint32_t start = *last;
    if (id_matches && before == name_part(profile.name, false)) {
      return mig::Instance{index, static_cast<std::uint8_t>(start)};
    }
    if (rest == name_part(profile.name, true)) return mig::Instance{index, static_cast<std::uint8_t>(start)};
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(before.data(), before.data() + before.size(), id);
    if (middle && error == std::errc() && end == before.data() + before.size() && id == profile.gi_profile_id) {
      return mig::Instance{index, static_cast<std::uint8_t>(*middle)};
    }
  }
  return std::nullopt;
}

/// The static MIG instances of a GPU, and its layout when every start is known.
void add_instances(GpuGroup& group, const Gpu& gpu) {
  mig::Layout layout;
  for (const DeviceFacts* device : gpu.parts) {
    std::optional<mig::Instance> instance;
    if (group.mig_board != nullptr) instance = instance_of(*device, *group.mig_board);
    std::string profile(text_of(*device, "profile"));
    if (instance) {
      profile = group.mig_board->profiles[instance->profile].name;
      layout.push_back(*instance);
    }
    const auto known = std::ranges::find(group.instances, profile, &MigCount::profile);
    if (known == group.instances.end()) {
      group.instances.push_back({profile, "", 1, 0, 0});
    } else {
      ++known->count;
    }
  }
  std::ranges::sort(layout, {}, &mig::Instance::start);
  if (layout.size() != gpu.parts.size()) group.layout_basis = Basis::kUnknown;
  group.layouts.push_back(std::move(layout));
}

/// A group of one GPU; equal groups are merged afterwards.
GpuGroup group_of(const Gpu& gpu, std::string_view driver, Inventory& inventory) {
  const DeviceFacts& device = gpu.any();
  GpuGroup group;
  group.driver = driver;
  group.vendor = vendor_of(driver);
  group.count = 1;
  for (const std::string_view key : {"productName", "model"}) {
    if (group.model.empty()) group.model = text_of(device, key);
  }
  std::ranges::replace(group.model, ' ', '-');
  group.architecture = text_of(device, "architecture");
  std::ranges::transform(group.architecture, group.architecture.begin(),
                         [](char c) { return c == ' ' ? '-' : ascii_lower(c); });
  group.partition = text_of(device, "partitionProfile");
  group.vgpu = group.model.starts_with("GRID");
  const std::int64_t memory = gpu.whole != nullptr ? memory_mib(*gpu.whole) : 0;
  (group.vgpu ? group.unit_memory_mib : group.board_memory_mib) = memory;
  Hints hints;
  hints.model = group.model;
  hints.products = find_products(group.model, memory);
  if (!group.vgpu) group.mig_board = mig::find_board(group.model, static_cast<std::uint64_t>(memory));
  if (const Product* const product = hints.product()) {
    if (group.architecture.empty()) group.architecture = product->architecture;
    if (group.board_memory_mib == 0) group.board_memory_mib = product->typical_mib;
  }
  if (role_of(device) == Role::kMig && !gpu.counters && gpu.whole == nullptr) {
    group.mig = MigStrategy::kDynamic;
    group.layout_basis = Basis::kKnown;
    add_instances(group, gpu);
  } else if (!group.vgpu) {
    group.unit_memory_mib = gpu.whole != nullptr ? group.board_memory_mib : memory_mib(device);
  }
  if (gpu.whole != nullptr && !gpu.parts.empty() && !gpu.counters) {
    inventory.warn(Severity::kWarning, "overlapping-devices",
                   fmt::format("device {} and its part {} of pool {} share no counter set: both can be allocated",
                               gpu.whole->name, gpu.parts.front()->name, device.pool));
  }
  const auto numa = number_of(device, "resource.kubernetes.io/numaNode");
  const auto older = numa ? numa : number_of(device, "numa");
  group.numa_nodes.push_back(older && *older >= 0 && *older < kMostGpus ? static_cast<std::int32_t>(*older) : -1);
  return group;
}

/// Equal in everything but the count, the NUMA node and where MIG instances stand.
bool same_kind(const GpuGroup& a, const GpuGroup& b) {
  return a.model == b.model && a.board_memory_mib == b.board_memory_mib && a.unit_memory_mib == b.unit_memory_mib &&
         a.partition == b.partition && a.mig == b.mig;
}

void merge(GpuGroup& group, GpuGroup other) {
  ++group.count;
  group.numa_nodes.push_back(other.numa_nodes.front());
  if (group.mig == MigStrategy::kNone) return;
  group.layout_basis = std::min(group.layout_basis, other.layout_basis);
  group.layouts.insert(group.layouts.end(), other.layouts.begin(), other.layouts.end());
  for (MigCount& instance : other.instances) {
    const auto known = std::ranges::find(group.instances, instance.profile, &MigCount::profile);
    if (known == group.instances.end()) {
      group.instances.push_back(std::move(instance));
    } else {
      known->count += instance.count;
    }
  }
}

/// Which devices of the pools stand for each GPU of the group.
void name_devices(GpuGroup& group, const std::vector<const Gpu*>& gpus) {
  for (const Gpu* const gpu : gpus) {
    std::vector<std::string>& names = group.devices.emplace_back();
    if (gpu->whole != nullptr) names.push_back(fmt::format("{}/{}", gpu->whole->pool, gpu->whole->name));
    for (const DeviceFacts* const part : gpu->parts) names.push_back(fmt::format("{}/{}", part->pool, part->name));
  }
}

/// nvlinkIsland of gpusched's own slices, else what labels and the product tell.
void lay_slice_islands(GpuGroup& group, const std::vector<const Gpu*>& gpus, Inventory& inventory) {
  std::map<std::int64_t, std::vector<std::uint32_t>> islands;
  for (std::uint32_t i = 0; i < gpus.size(); ++i) {
    if (const auto island = number_of(gpus[i]->any(), "nvlinkIsland")) islands[*island].push_back(i);
  }
  Hints hints;
  hints.model = group.model;
  hints.products = find_products(group.model, group.board_memory_mib);
  hints.clique = group.vendor == "nvidia" ? inventory.label("nvidia.com/gpu.clique") : std::string_view();
  const std::vector<std::int32_t> numa = std::move(group.numa_nodes);
  group.numa_nodes.clear();
  lay_topology(group, hints, inventory);
  const bool any = std::ranges::any_of(numa, [](std::int32_t node) { return node >= 0; });
  if (any) group.numa_nodes = numa;
  std::size_t placed = 0;
  for (const auto& [number, members] : islands) placed += members.size();
  if (placed == 0 || placed != gpus.size()) return;
  group.islands.clear();
  for (auto& [number, members] : islands) group.islands.push_back(std::move(members));
  group.islands_basis = Basis::kKnown;
  inventory.infer("islands", "attribute nvlinkIsland");
}

void read_driver(Inventory& inventory, std::string_view driver) {
  const std::vector<Gpu> gpus = gather(inventory, driver);
  if (gpus.empty()) return;
  inventory.infer(fmt::format("GPUs of {}", vendor_of(driver)), fmt::format("ResourceSlices of {}", driver));
  std::vector<GpuGroup> groups;
  std::vector<std::vector<const Gpu*>> members;
  for (const Gpu& gpu : gpus) {
    GpuGroup group = group_of(gpu, driver, inventory);
    std::size_t i = 0;
    while (i < groups.size() && !same_kind(groups[i], group)) ++i;
    if (i == groups.size()) {
      groups.push_back(std::move(group));
      members.emplace_back();
    } else {
      merge(groups[i], std::move(group));
    }
    members[i].push_back(&gpu);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].model.empty()) inventory.infer("model", fmt::format("device attributes of {}", driver));
    if (groups[i].board_memory_mib > 0) inventory.infer("memory", fmt::format("device capacity of {}", driver));
    lay_slice_islands(groups[i], members[i], inventory);
    name_devices(groups[i], members[i]);
    if (groups[i].layout_basis == Basis::kUnknown) groups[i].layouts.clear();
    inventory.result.groups.push_back(std::move(groups[i]));
  }
}

}  // namespace

std::span<const std::string_view> known_gpu_drivers() {
  return kDrivers;
}

void read_slices(Inventory& inventory, const InventoryOptions& options) {
  if (inventory.node().devices.empty()) return;
  for (const std::string_view driver : kDrivers) read_driver(inventory, driver);
  for (const std::string& driver : options.gpu_drivers) {
    if (std::ranges::find(kDrivers, driver) == kDrivers.end()) read_driver(inventory, driver);
  }
}

}  // namespace gpusched::io
