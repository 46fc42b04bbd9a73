#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "dra/nvidia_product.hpp"
#include "dra/slice_content.hpp"
#include "gpusched/mig/board.hpp"

// Names and layout of NVIDIA's DRA driver, from kubernetes-sigs/dra-driver-nvidia-gpu (v25.12 to 0.5.0-dev at
// 95932046): cmd/gpu-kubelet-plugin/{deviceinfo,mig,partitions,driver,nvlib}.go. What a model cannot know (UUIDs,
// driver versions, PCI addresses) is left out.
namespace gpusched::dra {
namespace {

constexpr std::int64_t kUnknown = -1;
/// Kubernetes 1.35 refuses a slice with both counters and devices.
constexpr int kFirstSplitMinor = 35;

/// The capacities of a GPU instance besides its memory slices. A counter is named like its capacity, in dashes.
struct Dimension {
  std::string_view capacity;
  std::string_view counter;
};
constexpr std::array<Dimension, 7> kDimensions = {{{"memory", "memory"},
                                                   {"multiprocessors", "multiprocessors"},
                                                   {"copyEngines", "copy-engines"},
                                                   {"decoders", "decoders"},
                                                   {"encoders", "encoders"},
                                                   {"jpegEngines", "jpeg-engines"},
                                                   {"ofaEngines", "ofa-engines"}}};
/// By dimension, memory in MiB; kUnknown where no source gives the number.
using Amounts = std::array<std::int64_t, kDimensions.size()>;

Amounts amounts_of(const mig::Profile& profile) {
  const mig::Engines& engines = profile.engines;
  return {profile.memory_mib == 0 ? kUnknown : static_cast<std::int64_t>(profile.memory_mib),
          profile.multiprocessors == 0 ? kUnknown : profile.multiprocessors,
          engines.copy,
          engines.decoder,
          engines.encoder,
          engines.jpeg,
          engines.ofa};
}

Quantity quantity_of(std::size_t dimension, std::int64_t amount) {
  return dimension == 0 ? mebibytes(amount) : Quantity::from_int64(amount, QuantityFormat::kBinarySi);
}

void add_capacities(objects::Device& device, const Amounts& amounts) {
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] == kUnknown) continue;
    device.capacity.emplace_back(kDimensions[i].capacity, objects::DeviceCapacity{quantity_of(i, amounts[i]), {}});
  }
}

objects::Named<Quantity> counters_of(const Amounts& amounts, std::size_t first_slice, std::size_t slices) {
  objects::Named<Quantity> counters;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] != kUnknown) counters.emplace_back(kDimensions[i].counter, quantity_of(i, amounts[i]));
  }
  for (std::size_t slice = first_slice; slice < first_slice + slices; ++slice) {
    counters.emplace_back(fmt::format("memory-slice-{}", slice), Quantity::from_int64(1, QuantityFormat::kBinarySi));
  }
  return counters;
}

/// "gpu-0-mig-1g24gb-19-0"; an instance of a board without a known profile id has no third number.
std::string mig_name(std::size_t gpu, std::string_view profile, std::int16_t id, std::size_t start) {
  std::string compact(profile);
  std::erase(compact, '.');
  const std::string id_part = id >= 0 ? fmt::format("-{}", id) : std::string();
  return fmt::format("gpu-{}-mig-{}{}-{}", gpu, to_label_characters(compact), id_part, start);
}

class NvidiaGpu {
 public:
  NvidiaGpu(const ClusterShape& shape, const NodeClass& node_class, std::size_t index)
      : shape_(shape),
        node_class_(node_class),
        gpu_(node_class.gpus[index]),
        board_(shape.board(gpu_)),
        geometry_(board_.mig_board < mig::boards().size() ? &mig::boards()[board_.mig_board] : nullptr),
        product_(nvidia_product(shape.text(board_.model), geometry_)),
        index_(index) {}

  /// Whether the driver would create and remove instances itself. It cannot switch MIG mode on an Ampere GPU, which
  /// needs a reset for it, so there the mode stays as it is.
  [[nodiscard]] bool dynamic() const {
    return geometry_ != nullptr && geometry_->starts_known && (gpu_.mig || switches_mode());
  }

  /// The whole GPU, or in MIG mode the instances of its layout.
  [[nodiscard]] std::vector<objects::Device> static_devices() const {
    if (!gpu_.mig) return {whole_gpu()};
    std::vector<objects::Device> devices;
    for (const MigInstance& instance : node_class_.instances) {
      if (instance.gpu == index_) devices.push_back(static_instance(instance));
    }
    return devices;
  }

  [[nodiscard]] objects::CounterSet counter_set() const {
    return {counter_set_name(), counters_of(whole_amounts(), 0, geometry_->memory_slices)};
  }

  /// The whole GPU and every profile at every legal start, by name: the driver's order, and so the scheduler's.
  [[nodiscard]] std::vector<objects::Device> dynamic_devices() const {
    std::vector<objects::Device> devices;
    if (switches_mode()) devices.push_back(consuming_gpu());
    for (const mig::Profile& profile : geometry_->profiles) {
      for (std::size_t start = 0; start < geometry_->memory_slices; ++start) {
        if ((profile.starts >> start & 1U) != 0) devices.push_back(partition(profile, start));
      }
    }
    std::ranges::sort(devices, {}, &objects::Device::name);
    return devices;
  }

 private:
  [[nodiscard]] bool switches_mode() const { return geometry_->architecture != "ampere"; }
  [[nodiscard]] std::string counter_set_name() const { return fmt::format("gpu-{}-counter-set", index_); }

  /// The largest amount of any profile, as the driver takes it; unknown where it is unknown of one profile, because
  /// that one could be the largest.
  [[nodiscard]] Amounts whole_amounts() const {
    Amounts largest{};
    for (const mig::Profile& profile : geometry_->profiles) {
      if (profile.starts == 0) continue;
      const Amounts amounts = amounts_of(profile);
      for (std::size_t i = 0; i < amounts.size(); ++i) {
        const bool unknown = amounts[i] == kUnknown || largest[i] == kUnknown;
        largest[i] = unknown ? kUnknown : std::max(largest[i], amounts[i]);
      }
    }
    return largest;
  }

  void add_product(objects::Device& device) const {
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) device.attributes.emplace_back(name, std::string(value));
    };
    add("productName", product_.name);
    add("architecture", product_.architecture);
    if (!product_.compute_capability.empty()) {
      device.attributes.emplace_back("cudaComputeCapability",
                                     objects::Version{std::string(product_.compute_capability)});
    }
    if (gpu_.numa_node >= 0) {
      device.attributes.emplace_back("resource.kubernetes.io/numaNode", static_cast<std::int64_t>(gpu_.numa_node));
    }
  }

  [[nodiscard]] objects::Device gpu_without_capacity() const {
    objects::Device device;
    device.name = fmt::format("gpu-{}", index_);
    device.attributes.emplace_back("type", std::string("gpu"));
    add_product(device);
    return device;
  }

  void add_total_memory(objects::Device& device) const {
    if (board_.memory_mib <= 0) return;
    device.capacity.emplace_back("memory", objects::DeviceCapacity{mebibytes(board_.memory_mib), {}});
  }

  [[nodiscard]] objects::Device whole_gpu() const {
    objects::Device device = gpu_without_capacity();
    add_total_memory(device);
    return device;
  }

  /// The whole GPU beside its partitions: it takes all that they could take.
  [[nodiscard]] objects::Device consuming_gpu() const {
    objects::Device device = gpu_without_capacity();
    const Amounts amounts = whole_amounts();
    if (amounts[0] == kUnknown) add_total_memory(device);
    add_capacities(device, amounts);
    device.consumes_counters.push_back({counter_set_name(), counters_of(amounts, 0, geometry_->memory_slices), {}});
    return device;
  }

  [[nodiscard]] objects::Device instance(std::string name, std::string_view profile) const {
    objects::Device device;
    device.name = std::move(name);
    device.attributes.emplace_back("type", std::string("mig"));
    device.attributes.emplace_back("profile", std::string(profile));
    add_product(device);
    return device;
  }

  [[nodiscard]] objects::Device partition(const mig::Profile& profile, std::size_t start) const {
    objects::Device device = instance(mig_name(index_, profile.name, profile.gi_profile_id, start), profile.name);
    Amounts amounts = amounts_of(profile);
    add_capacities(device, amounts);
    const Amounts whole = whole_amounts();
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      if (whole[i] == kUnknown) amounts[i] = kUnknown;  // the counter set has no such counter
    }
    device.consumes_counters.push_back({counter_set_name(), counters_of(amounts, start, profile.memory_slices), {}});
    return device;
  }

  [[nodiscard]] objects::Device static_instance(const MigInstance& mig) const {
    const mig::Profile* profile = geometry_ != nullptr && mig.mig_profile < geometry_->profiles.size()
                                      ? &geometry_->profiles[mig.mig_profile]
                                      : nullptr;
    const std::string_view name = profile != nullptr ? profile->name : shape_.text(mig.profile);
    objects::Device device = instance(
        mig_name(index_, name, profile != nullptr ? profile->gi_profile_id : std::int16_t{-1}, mig.start), name);
    Amounts amounts;
    amounts.fill(kUnknown);
    if (profile != nullptr) amounts = amounts_of(*profile);
    if (amounts[0] == kUnknown && mig.memory_mib > 0) amounts[0] = mig.memory_mib;
    add_capacities(device, amounts);
    for (int slice = mig.start; slice < mig.start + mig.memory_slices; ++slice) {
      device.capacity.emplace_back(fmt::format("memorySlice{}", slice),
                                   objects::DeviceCapacity{Quantity::from_int64(1, QuantityFormat::kBinarySi), {}});
    }
    return device;
  }

  const ClusterShape& shape_;
  const NodeClass& node_class_;
  const Gpu& gpu_;
  const Board& board_;
  const mig::Board* geometry_;
  NvidiaProduct product_;
  std::size_t index_;
};

/// One slice for each GPU; its counters with it, or all counters in a slice of their own in front.
PoolContent dynamic_pool(const std::vector<NvidiaGpu>& gpus, int kubernetes_minor) {
  PoolContent pool;
  SliceContent counters;
  for (const NvidiaGpu& gpu : gpus) {
    SliceContent slice;
    slice.devices = gpu.dynamic() ? gpu.dynamic_devices() : gpu.static_devices();
    if (gpu.dynamic())
      (kubernetes_minor < kFirstSplitMinor ? slice : counters).counter_sets.push_back(gpu.counter_set());
    pool.push_back(std::move(slice));
  }
  pool.insert(pool.begin(), std::move(counters));
  return pool;
}

}  // namespace

PoolContent nvidia_pool(const ClusterShape& shape, const NodeClass& node_class, const SliceOptions& options) {
  std::vector<NvidiaGpu> gpus;
  gpus.reserve(node_class.gpus.size());
  for (std::size_t index = 0; index < node_class.gpus.size(); ++index) gpus.emplace_back(shape, node_class, index);
  if (options.dynamic_mig) return dynamic_pool(gpus, options.kubernetes_minor);
  SliceContent content;
  for (const NvidiaGpu& gpu : gpus) {
    for (objects::Device& device : gpu.static_devices()) content.devices.push_back(std::move(device));
  }
  return {std::move(content)};
}

}  // namespace gpusched::dra
