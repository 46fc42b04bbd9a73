#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpusched/io/document.hpp"
#include "io/inventory_parts.hpp"

// What plugins that share GPUs say of them: the annotation in which they register a node's GPUs with their scheduler,
// and resources that count parts of GPUs. Sources: HAMi pkg/device (devices.go: two encodings) and
// docs/develop/protocol.md; Volcano pkg/scheduler/api/devices/nvidia/vgpu.
namespace gpusched::io {

namespace {

constexpr std::string_view kHami = "hami.io/node-nvidia-register", kVolcano = "volcano.sh/node-vgpu-register";

/// Where a line of commas holds what: HAMi's has cores and the NUMA node between.
struct Columns {
  std::size_t units, memory, model, fewest;
};
constexpr Columns kHamiColumns{1, 2, 4, 7}, kVolcanoColumns{1, 2, 3, 5};

struct RegisteredGpu {
  std::int64_t units = 0, memory_mib = 0;
  std::string_view model;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// "UUID,10,81559,100,NVIDIA-NVIDIA H100 80GB HBM3,0,true:" for each GPU; nothing when one of them is not like this.
std::vector<RegisteredGpu> read_lines(std::string_view text, const Columns& columns) {
  std::vector<RegisteredGpu> gpus;
  for (const std::string_view line : split(text, ':')) {
    const std::vector<std::string_view> words = split(line, ',');
    if (line.empty()) continue;
    if (words.size() < columns.fewest) return {};
    const auto units = parse_number(words[columns.units]), memory = parse_number(words[columns.memory]);
    if (!units || !memory) return {};
    gpus.push_back({*units, *memory, words[columns.model]});
  }
  return gpus;
}

/// A list of {"id", "count", "devmem", "type", …}, members that are 0 left out.
std::vector<RegisteredGpu> read_list(const Value& list) {
  const auto number = [](const Value& gpu, std::string_view key) {
    const Value* const value = gpu.find(key);
    return value != nullptr && value->is_number() ? parse_number(value->text()) : std::optional<std::int64_t>(0);
  };
  std::vector<RegisteredGpu> gpus;
  for (const Value& gpu : list.items()) {
    const auto units = number(gpu, "count"), memory = number(gpu, "devmem");
    const Value* const model = gpu.find("type");
    if (!gpu.is_object() || !units || !memory) return {};
    gpus.push_back({*units, *memory, model == nullptr ? std::string_view() : model->text()});
  }
  return gpus;
}

/// "NVIDIA-" and the driver's name of the product, as GPU Feature Discovery spells that: "NVIDIA-Tesla V100-SXM2-16GB"
/// is "Tesla-V100-SXM2-16GB".
std::string as_feature_discovery(std::string_view type) {
  constexpr std::string_view kVendor = "NVIDIA-";
  if (type.starts_with(kVendor)) type.remove_prefix(kVendor.size());
  std::string model(type);
  std::ranges::replace(model, ' ', '-');
  return model;
}

Register summed_up(std::span<const RegisteredGpu> gpus, std::string_view annotation) {
  Register result;
  result.from = fmt::format("annotation {}", annotation);
  result.gpus = static_cast<std::int64_t>(gpus.size());
  for (const RegisteredGpu& gpu : gpus) result.units += gpu.units;
  const auto as_first = [&](auto member) {
    return std::ranges::all_of(gpus, [&](const RegisteredGpu& gpu) { return gpu.*member == gpus.front().*member; });
  };
  if (as_first(&RegisteredGpu::units)) result.units_of_each = gpus.front().units;
  if (as_first(&RegisteredGpu::memory_mib)) result.memory_mib = gpus.front().memory_mib;
  if (as_first(&RegisteredGpu::model)) result.model = as_feature_discovery(gpus.front().model);
  return result;
}

}  // namespace

void read_parts(Hints& hints, Inventory& inventory) {
  // Koordinator counts every vendor's devices alike.
  const std::string_view vendor = inventory.label("node.koordinator.sh/gpu-vendor");
  if (!vendor.empty() && vendor != "nvidia") return;
  for (const PartsOfGpus& parts : parts_of_gpus()) {
    const std::int64_t units = inventory.units(parts.resource).capacity;
    if (units == 0) continue;
    inventory.result.parts = parts.resource;
    const bool counted = !parts.gpus.empty();
    const std::int64_t gpus = counted ? inventory.units(parts.gpus).capacity : units / parts.of_each;
    if (hints.count == 0 && gpus > 0) {
      hints.count = gpus;
      hints.count_from = fmt::format("resource {}", counted ? parts.gpus : parts.resource);
    }
    return;
  }
}

std::optional<Register> read_register(const Inventory& inventory) {
  for (const auto& [annotation, columns] : {std::pair(kHami, kHamiColumns), std::pair(kVolcano, kVolcanoColumns)}) {
    const std::string_view text = inventory.annotation(annotation);
    std::vector<RegisteredGpu> gpus;
    Result<std::vector<Document>> documents;  // outlives the views in gpus
    if (text.starts_with('[')) {
      documents = parse_documents({"annotation", std::string(text)});
      if (documents && documents->size() == 1) gpus = read_list(documents->front().root);
    } else {
      gpus = read_lines(text, columns);
    }
    if (!gpus.empty() && std::cmp_less_equal(gpus.size(), kMostGpus)) return summed_up(gpus, annotation);
  }
  return std::nullopt;
}

}  // namespace gpusched::io
