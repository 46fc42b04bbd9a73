#include "placement/node_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpusched::placement {

ReasonKind hardware_mismatch(const ClusterShape& shape, const NodeClass& node_class, const PodClass& pod) {
  if (!pod.wants_gpu() || node_class.gpus.empty()) {
    return ReasonKind::kFits;
  }
  if (pod.gpus > 0) {
    const auto has = [&](bool shared) {
      return std::ranges::any_of(node_class.gpus,
                                 [&](const Gpu& gpu) { return !gpu.mig && (gpu.replicas > 1) == shared; });
    };
    if (pod.shared && !pod.any_sharing && !has(true)) {
      return ReasonKind::kNotTimeSliced;
    }
    if (!pod.shared && !pod.any_sharing && has(true) && !has(false)) {
      return ReasonKind::kTimeSliced;
    }
  }
  std::vector<std::int32_t> memory_mib;  // by GPU: what a pod gets of it
  for (const Gpu& gpu : node_class.gpus) {
    memory_mib.push_back(shape.board(gpu).memory_mib);
  }
  for (const MigInstance& instance : node_class.instances) {
    if (pod.gpus > 0 && instance.resource == pod.gpu_resource) {
      memory_mib[instance.gpu] = instance.memory_mib;  // the single strategy: one profile on all GPUs
    }
  }
  bool model_found = false;
  bool memory_found = false;
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    const bool model_fits = !pod.model.valid() || shape.board(node_class.gpus[i]).model == pod.model;
    model_found |= model_fits;
    memory_found |= model_fits && (memory_mib[i] == 0 || pod.gpu_memory_mib() <= memory_mib[i]);
  }
  if (!model_found) {
    return ReasonKind::kModel;
  }
  return memory_found || pod.gpus == 0 ? ReasonKind::kFits : ReasonKind::kGpuMemory;
}

bool serves(const ClusterShape& shape, const NodeClass& node_class, const MigInstance& instance, const PodClass& pod) {
  if (pod.model.valid() && shape.board(node_class.gpus[instance.gpu]).model != pod.model) {
    return false;
  }
  if (pod.gpus == 0 || instance.resource != pod.gpu_resource) {
    return true;
  }
  const bool whole = pod.gpu_milli == kWholeGpuMilli && (pod.any_sharing || !pod.shared);
  return whole && (instance.memory_mib == 0 || pod.gpu_memory_mib() <= instance.memory_mib);
}

std::string gib_text(std::int64_t bytes) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  if (bytes % kGiB == 0) {
    return fmt::format("{}", bytes / kGiB);
  }
  // As "%g", but never with fewer digits than the whole part has.
  const auto whole_digits = static_cast<int>(fmt::formatted_size("{}", bytes / kGiB));
  return fmt::format("{:.{}g}", static_cast<double>(bytes) / static_cast<double>(kGiB), std::max(6, whole_digits + 2));
}

}  // namespace gpusched::placement
