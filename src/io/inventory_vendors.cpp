#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/inventory_parts.hpp"

// Accelerators of other vendors: what their device plugins advertise and what their labellers write. Sources:
// ROCm/k8s-device-plugin (node labeller), intel/intel-device-plugins-for-kubernetes, GKE's TPU labels, Karpenter's
// accelerator labels, ascend-for-volcano.
namespace gpusched::io {

namespace {

/// A label under the final or the beta name of AMD's labeller; the beta one may carry the value in its key.
struct AmdLabel {
  std::string value;
  std::string key;
};

AmdLabel amd_label(const Inventory& inventory, std::string_view property) {
  for (const std::string_view prefix : {"amd.com/gpu.", "beta.amd.com/gpu."}) {
    const std::string key = fmt::format("{}{}", prefix, property);
    if (const std::string_view value = inventory.label(key); !value.empty()) return {std::string(value), key};
    for (const auto& [name, count] : inventory.node().labels) {
      if (name.size() > key.size() + 1 && name.starts_with(key) && name[key.size()] == '.') {
        return {std::string(name.substr(key.size() + 1)), std::string(name)};
      }
    }
  }
  return {};
}

void describe_amd(Hints& hints, GpuGroup& group, const Inventory& inventory) {
  const AmdLabel product = amd_label(inventory, "product-name");
  hints.model = product.value;
  hints.model_from = fmt::format("label {}", product.key);
  // The labeller writes GiB as "192G".
  AmdLabel memory = amd_label(inventory, "vram");
  if (memory.value.ends_with('G')) memory.value += 'i';
  if (const auto mib = parse_mib(memory.value)) {
    hints.memory_mib = *mib;
    hints.memory_from = fmt::format("label {}", memory.key);
  }
  group.partition = inventory.label("amd.com/compute-memory-partition");
  const AmdLabel device = amd_label(inventory, "device-id");
  if (hints.model.empty() && device.key.empty()) return;
  if (!device.key.ends_with(".device-id")) {  // beta: the count is the value
    if (const auto count = inventory.number_label(device.key)) hints.count = *count;
    hints.count_from = fmt::format("label {}", device.key);
  }
  if (hints.count == 0) hints.count = 1;
}

void describe_intel(Hints& hints, const Inventory& inventory) {
  hints.model = inventory.label("gpu.intel.com/product");
  hints.model_from = "label gpu.intel.com/product";
  for (const auto& [key, value] : inventory.node().labels) {
    if (!key.starts_with("gpu.intel.com/device-id.") || !key.ends_with(".count")) continue;
    if (const auto count = parse_number(value)) hints.count += *count;
    hints.count_from = fmt::format("label {}", key);
  }
}

void describe_google(Hints& hints, const Inventory& inventory) {
  constexpr std::string_view kModel = "cloud.google.com/gke-tpu-accelerator";
  hints.model = inventory.label(kModel);
  hints.model_from = fmt::format("label {}", kModel);
  constexpr std::string_view kCount = "cloud.google.com/gke-accelerator-count";
  if (const auto count = inventory.number_label(kCount); count && !hints.model.empty()) {
    hints.count = *count;
    hints.count_from = fmt::format("label {}", kCount);
  }
}

void describe_karpenter(Hints& hints, const Inventory& inventory, std::string_view kind, std::string_view vendor) {
  for (const std::string_view prefix : {"karpenter.k8s.aws", "eks.amazonaws.com"}) {
    const auto key = [&](std::string_view rest) { return fmt::format("{}/instance-{}-{}", prefix, kind, rest); };
    if (inventory.label(key("manufacturer")) != vendor) continue;
    hints.model = inventory.label(key("name"));
    hints.model_from = fmt::format("label {}", key("name"));
    hints.count = inventory.number_label(key("count")).value_or(0);
    hints.count_from = fmt::format("label {}", key("count"));
  }
}

/// "huawei.com/Ascend910B4" names the chip; "-2c" and the like are parts of it (vNPU).
void describe_huawei(Hints& hints, const GpuGroup& group, const Inventory& inventory) {
  const std::string_view name = std::string_view(group.resource).substr(group.resource.find('/') + 1);
  if (name.starts_with("Ascend")) {
    hints.model = name;
    hints.model_from = fmt::format("resource {}", group.resource);
  } else if (const std::string_view chip = inventory.label("node.kubernetes.io/npu.chip.name"); !chip.empty()) {
    hints.model = chip;
    hints.model_from = "label node.kubernetes.io/npu.chip.name";
  }
}

/// acceleratable.feature.gpustack.ai/<vendor>-<model>.product and .count.
void describe_gpustack(Hints& hints, std::string_view vendor, const Inventory& inventory) {
  const std::string prefix = fmt::format("acceleratable.feature.gpustack.ai/{}-", vendor);
  for (const auto& [key, value] : inventory.node().labels) {
    if (!key.starts_with(prefix)) continue;
    if (key.ends_with(".product") && hints.model.empty()) {
      hints.model = value;
      hints.model_from = fmt::format("label {}", key);
    }
    if (key.ends_with(".memory") && hints.memory_mib == 0) {
      hints.memory_mib = parse_mib(value).value_or(0);
      hints.memory_from = fmt::format("label {}", key);
    }
    if (key.ends_with(".count") && hints.count == 0) {
      hints.count = parse_number(value).value_or(0);
      hints.count_from = fmt::format("label {}", key);
    }
  }
}

Hints vendor_hints(GpuGroup& group, Inventory& inventory) {
  Hints hints;
  if (group.vendor == "amd") describe_amd(hints, group, inventory);
  if (group.vendor == "intel") describe_intel(hints, inventory);
  if (group.vendor == "google") describe_google(hints, inventory);
  if (group.vendor == "aws") describe_karpenter(hints, inventory, "accelerator", "aws");
  if (group.vendor == "habana") describe_karpenter(hints, inventory, "gpu", "habana");
  if (group.vendor == "huawei") describe_huawei(hints, group, inventory);
  describe_gpustack(hints, group.vendor, inventory);
  if (hints.model.empty() && group.vendor == "amd") {
    const Shape* const shape = find_shape(inventory.label("node.kubernetes.io/instance-type"));
    const Product* const product = shape == nullptr ? nullptr : product_named(shape->product);
    if (product != nullptr && product->vendor == "amd") {
      hints.model = product->name;
      hints.model_from = fmt::format("instance type {}", shape->instance_type);
      hints.count = shape->count;
    }
  }
  hints.products = find_products(hints.model, hints.memory_mib);
  return hints;
}

/// Units that are several per device by the labels' count: shared devices of Intel's plugin and others.
void count_devices(GpuGroup& group, const Hints& hints, Inventory& inventory) {
  const bool parts = !group.partition.empty() && !group.partition.starts_with("spx");
  group.count = group.capacity;
  // AMD's labels describe one GPU of the node, not all: their count is no bound.
  if (group.vendor == "amd") {
    inventory.infer("count", fmt::format("capacity of {}", group.resource));
    group.count_basis = parts ? CountBasis::kUnits : CountBasis::kKnown;
    return;
  }
  if (hints.count > 0 && group.capacity >= hints.count && group.capacity % hints.count == 0) {
    group.count = hints.count;
    group.replicas = group.capacity / hints.count;
    if (group.replicas > 1) group.sharing = Sharing::kUnknown;
    inventory.infer("count", hints.count_from);
    return;
  }
  // These vendors' plugins advertise whole devices only.
  const bool whole = group.vendor == "google" || group.vendor == "habana" || group.vendor == "aws";
  group.count_basis = whole ? CountBasis::kKnown : CountBasis::kUnits;
  inventory.infer("count", fmt::format("capacity of {}", group.resource));
}

GpuGroup advertised_group(std::string_view resource, std::string_view vendor, Inventory& inventory) {
  GpuGroup group;
  const Units units = inventory.units(resource);
  group.vendor = vendor;
  group.resource = resource;
  group.capacity = units.capacity;
  group.allocatable = units.allocatable;
  group.advertised = units.capacity == 0     ? Advertised::kNotAdvertised
                     : units.allocatable > 0 ? Advertised::kUsable
                                             : Advertised::kBroken;
  const Hints hints = vendor_hints(group, inventory);
  if (const std::size_t slash = resource.find('/'); classify_resource(resource).role == ResourceRole::kVgpu) {
    group.partition = resource.substr(slash + 1);  // amd.com/cpx_nps4
  }
  count_devices(group, hints, inventory);
  describe(group, hints, inventory);
  if (!group.partition.empty() && !group.partition.starts_with("spx")) group.unit_memory_mib = 0;
  lay_topology(group, hints, inventory);
  return group;
}

/// The vendors whose labels alone tell of hardware.
void add_unadvertised(std::vector<GpuGroup>& groups, Inventory& inventory) {
  constexpr std::string_view kVendors[] = {"amd",   "intel",     "google",   "aws",      "habana", "hygon",
                                           "metax", "cambricon", "mthreads", "iluvatar", "thead",  "ascend"};
  for (const std::string_view vendor : kVendors) {
    if (std::ranges::find(groups, vendor, &GpuGroup::vendor) != groups.end()) continue;
    GpuGroup group;
    group.vendor = vendor;
    const Hints hints = vendor_hints(group, inventory);
    if (!hints.hardware()) continue;
    group.advertised = Advertised::kNotAdvertised;
    group.count = hints.count;
    if (hints.count > 0) inventory.infer("count", hints.count_from);
    describe(group, hints, inventory);
    lay_topology(group, hints, inventory);
    groups.push_back(std::move(group));
  }
}

}  // namespace

std::vector<GpuGroup> other_groups(Inventory& inventory) {
  std::vector<GpuGroup> groups;
  bool neuron = false;
  for (const std::string_view name : inventory.resources()) {
    const ResourceKind kind = classify_resource(name);
    if (kind.vendor.empty() || kind.vendor == "nvidia" || kind.role == ResourceRole::kCounter) continue;
    if (kind.vendor == "aws" && std::exchange(neuron, true)) continue;  // two names of the same devices
    groups.push_back(advertised_group(name, kind.vendor, inventory));
  }
  add_unadvertised(groups, inventory);
  return groups;
}

}  // namespace gpusched::io
