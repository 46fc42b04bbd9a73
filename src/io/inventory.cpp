#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "gpusched/base/quantity.hpp"
#include "io/inventory_parts.hpp"

namespace gpusched::io {

namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
/// Above anything real and low enough to be added up.
constexpr std::int64_t kMostUnits = 1'000'000'000'000;

template <class Facts>
const std::int64_t* find_amount(const Facts& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &ResourceFact::first);
  return found == facts.end() ? nullptr : &found->second;
}

/// Fills what slices leave open from what labels and the device plugin say of the same GPUs.
void complete(GpuGroup& group, const GpuGroup& other) {
  if (group.model.empty()) group.model = other.model;
  if (group.architecture.empty()) group.architecture = other.architecture;
  if (group.board_memory_mib == 0) group.board_memory_mib = other.board_memory_mib;
  if (group.mig_board == nullptr && !group.vgpu) group.mig_board = other.mig_board;
  if (group.nvlink_mbps == 0) group.nvlink_mbps = other.nvlink_mbps;
  if (group.pcie_mbps == 0) group.pcie_mbps = other.pcie_mbps;
  if (group.clique.empty()) group.clique = other.clique;
  if (group.count != other.count) return;
  if (group.islands_basis < other.islands_basis) {
    group.islands = other.islands;
    group.islands_basis = other.islands_basis;
  }
  if (group.numa_nodes.empty()) group.numa_nodes = other.numa_nodes;
}

/// The device plugin advertises GPUs that slices publish too: they count once.
void book_once(GpuGroup& group, const GpuGroup& plugin, Inventory& inventory) {
  group.resource = plugin.resource;
  group.capacity = plugin.capacity;
  group.allocatable = plugin.allocatable;
  group.replicas = plugin.replicas;
  group.sharing = plugin.sharing;
  group.renamed = plugin.renamed;
  if (plugin.allocatable > 0) {
    inventory.warn(Severity::kWarning, "double-booking",
                   fmt::format("the same {} GPUs are advertised as {} ({}) and in ResourceSlices of {}: the scheduler "
                               "can give one GPU to two pods",
                               group.count, plugin.resource, plugin.allocatable, group.driver),
                   "run one of device plugin and DRA driver on a node");
  }
  if (plugin.count_basis == CountBasis::kKnown && plugin.count > group.count) {
    inventory.warn(Severity::kWarning, "gpu-count-differs",
                   fmt::format("ResourceSlices of {} hold {} GPUs, the device plugin advertises {}; {} are taken",
                               group.driver, group.count, plugin.count, plugin.count));
    group.count = plugin.count;
    group.islands.clear();
    group.islands_basis = Basis::kUnknown;
    group.numa_nodes.clear();
  }
}

/// The example driver publishes any vendor's GPUs: those that only labels tell of are the same when as many.
bool is_same_hardware(const GpuGroup& slices, const GpuGroup& plugin) {
  const bool only_labels = plugin.capacity == 0 && plugin.instances.empty();
  return slices.vendor == plugin.vendor ||
         (slices.vendor == "example.com" && only_labels && slices.count == plugin.count);
}

/// Device plugin groups join the slice groups of their vendor, or stand alone.
void join(std::vector<GpuGroup> plugin_groups, std::size_t slice_groups, Inventory& inventory) {
  std::vector<bool> booked(slice_groups);
  for (GpuGroup& plugin : plugin_groups) {
    std::vector<GpuGroup>& groups = inventory.result.groups;
    const auto slices_end = groups.begin() + static_cast<std::ptrdiff_t>(slice_groups);
    const auto found = std::find_if(groups.begin(), slices_end,
                                    [&](const GpuGroup& group) { return is_same_hardware(group, plugin); });
    if (found == slices_end) {
      groups.push_back(std::move(plugin));
      continue;
    }
    const auto index = static_cast<std::size_t>(found - groups.begin());
    if (plugin.capacity > 0 && !booked[index]) {
      book_once(*found, plugin, inventory);
      booked[index] = true;
    } else if (!plugin.instances.empty()) {
      inventory.warn(Severity::kWarning, "double-booking",
                     fmt::format("MIG instances are advertised as {} while ResourceSlices of {} publish the same GPUs",
                                 plugin.instances.front().resource, found->driver));
    }
    complete(*found, plugin);
  }
}

/// What the plugin advertises of a group, MIG instances of the mixed strategy included.
Units advertised_units(const GpuGroup& group) {
  Units units{group.capacity, group.allocatable};
  if (!group.resource.empty()) return units;
  for (const MigCount& instance : group.instances) {
    units.capacity += instance.capacity;
    units.allocatable += instance.allocatable;
  }
  return units;
}

std::string name_of(const GpuGroup& group) {
  if (!group.resource.empty()) return group.resource;
  return group.mig == MigStrategy::kMixed ? "nvidia.com/mig-*" : fmt::format("{} GPUs", group.vendor);
}

/// What people have to know of each group beside its numbers.
void remark(const GpuGroup& group, Inventory& inventory) {
  const Units units = advertised_units(group);
  if (group.advertised == Advertised::kBroken) {
    inventory.warn(Severity::kWarning, "gpus-not-allocatable",
                   fmt::format("{}: capacity {}, allocatable 0", name_of(group), units.capacity),
                   "the device plugin is not running, restarting, or found every device unhealthy");
  } else if (group.advertised == Advertised::kNotAdvertised) {
    const std::string gpus = fmt::format("{}{}", group.count > 0 ? fmt::format("{} ", group.count) : "",
                                         group.model.empty() ? fmt::format("{} GPUs", group.vendor) : group.model);
    const bool in_parts = !inventory.result.parts.empty() && group.vendor == "nvidia";
    inventory.warn(Severity::kNote, "gpus-not-advertised",
                   in_parts ? fmt::format("{}: only parts of them are advertised, as {}", gpus, inventory.result.parts)
                            : fmt::format("labels or the instance type tell of {}, but neither allocatable nor a "
                                          "ResourceSlice has them",
                                          gpus));
  } else if (units.allocatable < units.capacity) {
    inventory.warn(Severity::kWarning, "gpus-unhealthy",
                   fmt::format("{}: {} of {} are not allocatable", name_of(group), units.capacity - units.allocatable,
                               units.capacity));
  }
}

}  // namespace

std::string node_title(std::string_view name) {
  return fmt::format("node {}", name.empty() ? "(unnamed)" : name);
}

std::string_view Inventory::label(std::string_view key) const {
  const auto found = std::ranges::find(node_.labels, key, &LabelFact::first);
  return found == node_.labels.end() ? std::string_view() : found->second;
}

bool Inventory::has_label(std::string_view key) const {
  return std::ranges::find(node_.labels, key, &LabelFact::first) != node_.labels.end();
}

std::string_view Inventory::annotation(std::string_view key) const {
  const auto found = std::ranges::find(node_.annotations, key, &LabelFact::first);
  return found == node_.annotations.end() ? std::string_view() : found->second;
}

std::optional<std::int64_t> Inventory::number_label(std::string_view key) const {
  return parse_number(label(key));
}

Units Inventory::units(std::string_view resource) const {
  const std::int64_t* const capacity = find_amount(node_.capacity, resource);
  const std::int64_t* const allocatable = find_amount(node_.allocatable, resource);
  const std::int64_t usable = allocatable == nullptr ? 0 : std::clamp(*allocatable, -kMostUnits, kMostUnits);
  return {std::clamp<std::int64_t>(capacity == nullptr ? usable : *capacity, 0, kMostUnits), usable};
}

std::vector<std::string_view> Inventory::resources() const {
  std::vector<std::string_view> names;
  for (const auto& facts : {node_.capacity, node_.allocatable}) {
    for (const auto& [name, amount] : facts) {
      if (amount > 0) names.push_back(name);
    }
  }
  std::ranges::sort(names);
  const auto rest = std::ranges::unique(names);
  names.erase(rest.begin(), rest.end());
  return names;
}

void Inventory::infer(std::string what, std::string from) {
  result.inferred.push_back({std::move(what), std::move(from)});
}

void Inventory::warn(Severity severity, std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.object = node_title(node_.name);
  diagnostic.hint = std::move(hint);
  result.warnings.push_back(std::move(diagnostic));
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostUnits) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> parse_mib(std::string_view text) {
  if (const auto plain = parse_number(text)) return plain;
  if (text.ends_with("iB")) text.remove_suffix(1);  // as nvidia-smi prints it
  const auto quantity = try_parse_quantity(text);
  if (!quantity || quantity->sign() <= 0 || *quantity > Quantity::from_scaled(1, 15)) return std::nullopt;
  return quantity->value() / kMiB;
}

namespace {

/// What the cloud's catalogue says of the instance type's NICs.
void network_of_shape(Inventory& inventory) {
  for (const std::string_view key : {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"}) {
    const Shape* const shape = find_shape(inventory.label(key));
    if (shape == nullptr || shape->network_mbps == 0 || inventory.result.groups.empty()) continue;
    inventory.result.network_mbps = shape->network_mbps;
    inventory.infer("network", fmt::format("instance type {}", shape->instance_type));
    return;
  }
}

}  // namespace

GpuInventory infer_gpus(const NodeFacts& node, const InventoryOptions& options) {
  Inventory inventory(node);
  read_slices(inventory, options);
  const std::size_t slice_groups = inventory.result.groups.size();
  join(nvidia_groups(inventory), slice_groups, inventory);
  join(other_groups(inventory), slice_groups, inventory);
  for (const GpuGroup& group : inventory.result.groups) remark(group, inventory);
  network_of_shape(inventory);
  return std::move(inventory.result);
}

}  // namespace gpusched::io
