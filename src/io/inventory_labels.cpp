#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/inventory_parts.hpp"

// Labels that tell of NVIDIA GPUs. Sources: k8s-device-plugin v0.20 (GPU Feature Discovery), Karpenter, EKS, GKE,
// CoreWeave, GPUStack and Akash documentation.
namespace gpusched::io {

namespace {

void set_model(Hints& hints, std::string_view model, std::string_view label) {
  if (!hints.model.empty() || model.empty()) return;
  hints.model = model;
  hints.model_from = fmt::format("label {}", label);
}

void set_count(Hints& hints, const Inventory& inventory, std::string_view label) {
  const auto count = inventory.number_label(label);
  if (hints.count != 0 || !count || *count == 0) return;
  hints.count = *count;
  hints.count_from = fmt::format("label {}", label);
}

/// 0 means that sharing does not apply: every GPU is in MIG mode.
void set_shares(Hints& hints, const Inventory& inventory, std::string_view label) {
  const auto replicas = inventory.number_label(label);
  if (hints.replicas || !replicas || *replicas == 0) return;
  hints.replicas = replicas;
  hints.replicas_from = fmt::format("label {}", label);
}

void set_memory(Hints& hints, std::string_view text, std::string_view label) {
  const auto memory = parse_mib(text);
  if (hints.memory_mib != 0 || !memory || *memory == 0) return;
  hints.memory_mib = *memory;
  hints.memory_from = fmt::format("label {}", label);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "GRID-A100-4C", "NVIDIA-A100-4C", "GRID_P40-1Q": the last word is the frame buffer in GB and the license's letter.
/// Source: NVIDIA's virtual GPU type tables.
bool names_vgpu(std::string_view product) {
  if (product.starts_with("GRID")) return true;
  const std::size_t dash = product.rfind('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view last = product.substr(dash + 1);
  return last.size() >= 2 && std::string_view("QCAB").contains(last.back()) &&
         std::ranges::all_of(last.substr(0, last.size() - 1), is_digit);
}

/// "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED" -> model, profile, shared.
void split_product(Hints& hints, std::string_view product) {
  constexpr std::string_view kLabel = "nvidia.com/gpu.product";
  constexpr std::string_view kShared = "-SHARED", kMig = "-MIG-", kInvalid = "INVALID";
  if (product.ends_with(kShared)) {
    product.remove_suffix(kShared.size());
    hints.sharing = Sharing::kUnknown;
  }
  if (const std::size_t at = product.find(kMig); at != std::string_view::npos) {
    const std::string_view profile = product.substr(at + kMig.size());
    product = product.substr(0, at);
    if (profile == kInvalid) {
      hints.mig_invalid = true;
    } else {
      hints.mig_profile = profile;
      hints.mig_count_is_instances = true;
    }
  }
  set_model(hints, product, kLabel);
}

std::optional<Sharing> sharing_named(std::string_view text) {
  if (text == "none") return Sharing::kNone;
  if (text == "time-slicing" || text == "time-sharing") return Sharing::kTimeSlicing;
  if (text == "mps") return Sharing::kMps;
  return std::nullopt;
}

void read_feature_discovery(Hints& hints, const Inventory& inventory) {
  split_product(hints, inventory.label("nvidia.com/gpu.product"));
  if (!hints.mig_invalid) {  // count and memory are 0 then
    set_count(hints, inventory, "nvidia.com/gpu.count");
    set_memory(hints, inventory.label("nvidia.com/gpu.memory"), "nvidia.com/gpu.memory");
    hints.memory_measured = hints.memory_mib > 0;
  }
  set_shares(hints, inventory, "nvidia.com/gpu.replicas");
  if (const auto sharing = sharing_named(inventory.label("nvidia.com/gpu.sharing-strategy"))) hints.sharing = sharing;
  hints.vgpu = inventory.label("nvidia.com/vgpu.present") == "true" || names_vgpu(hints.model);
  hints.clique = inventory.label("nvidia.com/gpu.clique");
}

/// The plugin may promise more memory than a GPU has: then the product tells it, if it is known.
void read_registered(Hints& hints, const Inventory& inventory) {
  hints.registered = read_register(inventory);
  if (!hints.registered) return;
  const Register& registered = *hints.registered;
  if (hints.model.empty() && !registered.model.empty()) {
    hints.model = registered.model;
    hints.model_from = registered.from;
  }
  if (hints.count == 0) {
    hints.count = registered.gpus;
    hints.count_from = registered.from;
  }
  const std::int64_t memory = registered.memory_mib;
  const std::vector<const Product*> products = find_products(hints.model, 0);
  const bool real = products.empty() || std::ranges::any_of(products, [&](const Product* product) {
                      return memory >= product->memory_from_mib && memory <= product->memory_to_mib;
                    });
  if (hints.memory_mib == 0 && memory > 0 && real) {
    hints.memory_mib = memory;
    hints.memory_from = registered.from;
  }
}

void read_gke(Hints& hints, const Inventory& inventory) {
  constexpr std::string_view kAccelerator = "cloud.google.com/gke-accelerator";
  const std::string_view accelerator = inventory.label(kAccelerator);
  if (accelerator.empty() || accelerator.starts_with("tpu")) return;
  const Product* const product = find_gke_product(accelerator);
  set_model(hints, product == nullptr ? accelerator : product->name, kAccelerator);
  set_count(hints, inventory, "cloud.google.com/gke-accelerator-count");
  if (hints.mig_profile.empty()) hints.mig_profile = inventory.label("cloud.google.com/gke-gpu-partition-size");
  set_shares(hints, inventory, "cloud.google.com/gke-max-shared-clients-per-gpu");
  if (!hints.sharing) hints.sharing = sharing_named(inventory.label("cloud.google.com/gke-gpu-sharing-strategy"));
}

/// The labels by which a provider of nodes names their GPUs; "" for what it does not tell.
struct ProviderLabels {
  std::string_view model, count, memory;
  std::string_view vendor = {};  ///< a label that says whose GPUs they are
  std::string_view prefix = {};  ///< of the models that are NVIDIA's
};

/// Sources: CoreWeave's node labels; Karpenter's providers for AWS (also as EKS names them), Azure and Google Cloud;
/// Alibaba Cloud's ACK and gpushare plugin; DigitalOcean, Nebius, Crusoe and Koordinator documentation; the label of
/// the cluster autoscaler on EKS.
constexpr ProviderLabels kProviders[] = {
    {"gpu.nvidia.com/model", "gpu.nvidia.com/count", ""},
    {"karpenter.k8s.aws/instance-gpu-name", "karpenter.k8s.aws/instance-gpu-count",
     "karpenter.k8s.aws/instance-gpu-memory", "karpenter.k8s.aws/instance-gpu-manufacturer"},
    {"eks.amazonaws.com/instance-gpu-name", "eks.amazonaws.com/instance-gpu-count",
     "eks.amazonaws.com/instance-gpu-memory", "eks.amazonaws.com/instance-gpu-manufacturer"},
    {"karpenter.azure.com/sku-gpu-name", "karpenter.azure.com/sku-gpu-count", "",
     "karpenter.azure.com/sku-gpu-manufacturer"},
    {"karpenter.k8s.gcp/instance-gpu-name", "karpenter.k8s.gcp/instance-gpu-count",
     "karpenter.k8s.gcp/instance-gpu-memory", "karpenter.k8s.gcp/instance-gpu-manufacturer"},
    {"aliyun.accelerator/nvidia_name", "aliyun.accelerator/nvidia_count", "aliyun.accelerator/nvidia_mem"},
    {"doks.digitalocean.com/gpu-model", "", "", "doks.digitalocean.com/gpu-brand"},
    {"nebius.com/gpu-name", "", ""},
    {"node.koordinator.sh/gpu-model", "", "", "node.koordinator.sh/gpu-vendor"},
    {"crusoe.ai/accelerator", "", "", "", "nvidia"},
    {"k8s.amazonaws.com/accelerator", "", "", "", "nvidia"},
};

void read_providers(Hints& hints, const Inventory& inventory) {
  for (const ProviderLabels& labels : kProviders) {
    const std::string_view vendor = inventory.label(labels.vendor), model = inventory.label(labels.model);
    if ((!vendor.empty() && vendor != "nvidia") || !model.starts_with(labels.prefix)) continue;
    set_model(hints, model, labels.model);
    set_count(hints, inventory, labels.count);
    set_memory(hints, inventory.label(labels.memory), labels.memory);
  }
}

/// Labels whose key carries the model: acceleratable.feature.gpustack.ai/nvidia-a10g.count and
/// akash.network/capabilities.gpu.vendor.nvidia.model.rtxa6000 with the count as value.
void read_labels_by_key(Hints& hints, const Inventory& inventory) {
  constexpr std::string_view kGpustack = "acceleratable.feature.gpustack.ai/nvidia-";
  constexpr std::string_view kAkash = "akash.network/capabilities.gpu.vendor.nvidia.model.";
  for (const auto& [key, value] : inventory.node().labels) {
    if (key.starts_with(kGpustack)) {
      if (key.ends_with(".product")) set_model(hints, value, key);
      if (key.ends_with(".count")) set_count(hints, inventory, key);
      if (key.ends_with(".memory")) set_memory(hints, value, key);
    } else if (key.starts_with(kAkash)) {
      const std::string_view rest = key.substr(kAkash.size());
      constexpr std::string_view kRam = ".ram.";
      if (const std::size_t ram = rest.find(kRam); ram != std::string_view::npos) {
        set_memory(hints, rest.substr(ram + kRam.size()), key);
      } else if (!rest.contains('.')) {
        set_model(hints, rest, key);
        set_count(hints, inventory, key);
      }
    }
  }
}

void read_instance_type(Hints& hints, const Inventory& inventory) {
  constexpr std::array<std::string_view, 3> kTypes = {"node.kubernetes.io/instance-type",
                                                      "beta.kubernetes.io/instance-type", "nvidia.com/gpu.machine"};
  for (const std::string_view key : kTypes) {
    const std::string_view type = inventory.label(key);
    const bool machine = key == kTypes.back();
    hints.shape = type.empty() ? nullptr : find_shape(type);
    if (hints.shape == nullptr && machine && !type.empty()) hints.shape = find_machine(type);
    if (hints.shape == nullptr) continue;
    hints.shape_from = fmt::format("{} {}", machine ? "machine" : "instance type", hints.shape->instance_type);
    return;
  }
}

/// A shape says less than a label: it fills what is open.
void apply_shape(Hints& hints, Inventory& inventory) {
  if (hints.shape == nullptr) return;
  const Product* const product = product_named(hints.shape->product);
  const bool nvidia = product == nullptr ? hints.shape->product.starts_with("NVIDIA") : product->vendor == "nvidia";
  if (!nvidia) {
    hints.shape = nullptr;
    return;
  }
  if (hints.model.empty()) {
    hints.model = hints.shape->product;
    hints.model_from = hints.shape_from;
    hints.products = find_products(hints.model, 0);
  } else if (hints.products.size() > 1 && std::ranges::find(hints.products, product) != hints.products.end()) {
    hints.products = {product};
    hints.model = product->name;
    inventory.infer("product", hints.shape_from);
  }
}

/// Labels that tell of GPUs, but not of which. Sources: GPU Feature Discovery; AKS; GPU Operator, which chooses its
/// nodes by what Node Feature Discovery says of PCI devices of NVIDIA.
bool is_marked(const Inventory& inventory) {
  constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
      {"nvidia.com/gpu.present", "true"},
      {"kubernetes.azure.com/accelerator", "nvidia"},
      {"feature.node.kubernetes.io/pci-10de.present", "true"},
      {"feature.node.kubernetes.io/pci-0300_10de.present", "true"},
      {"feature.node.kubernetes.io/pci-0302_10de.present", "true"},
  };
  return std::ranges::any_of(kMarks, [&](const auto& mark) { return inventory.label(mark.first) == mark.second; });
}

}  // namespace

void resolve_model(Hints& hints, Inventory& inventory) {
  const bool whole = hints.mig_profile.empty() && !hints.vgpu;
  hints.products = find_products(hints.model, whole ? hints.memory_mib : 0);
  // GPU Feature Discovery's spelling stays; a label that only leads to one product is replaced by its name.
  if (const Product* const product = hints.product(); product != nullptr && !hints.model_from.contains("gpu.product")) {
    if (hints.model != product->name) {
      inventory.infer("product", fmt::format("product table for \"{}\"", hints.model));
    }
    hints.model = product->name;
  }
}

Hints nvidia_hints(Inventory& inventory) {
  Hints hints;
  read_feature_discovery(hints, inventory);
  read_registered(hints, inventory);
  read_gke(hints, inventory);
  read_providers(hints, inventory);
  read_labels_by_key(hints, inventory);
  hints.present = is_marked(inventory);
  read_parts(hints, inventory);
  if (!hints.model.empty()) resolve_model(hints, inventory);
  read_instance_type(hints, inventory);
  apply_shape(hints, inventory);
  return hints;
}

}  // namespace gpusched::io
