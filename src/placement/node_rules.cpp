#include "placement/node_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched::placement {

namespace {

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) {
    return false;
  }
  if (toleration.key.valid() && toleration.key != taint.key) {
    return false;
  }
  return toleration.op == TolerationOperator::kExists || toleration.value == taint.value;
}

}  // namespace

bool tolerates(std::span<const Taint> taints, std::span<const Toleration> tolerations) {
  return std::ranges::all_of(taints, [&](const Taint& taint) {
    return taint.effect == TaintEffect::kPreferNoSchedule ||
           std::ranges::any_of(tolerations, [&](const Toleration& t) { return tolerates(t, taint); });
  });
}

bool tolerates_cordon(const ClusterShape& shape, const PodClass& pod) {
  const StringId key = shape.strings.find("node.kubernetes.io/unschedulable");
  const Taint cordon{key, StringId{}, TaintEffect::kNoSchedule};
  return std::ranges::any_of(pod.tolerations, [&](const Toleration& toleration) {
    return (!toleration.key.valid() || key.valid()) && tolerates(toleration, cordon);
  });
}

bool matches(const LabelSet& labels, const LabelSet& selector) {
  return std::ranges::all_of(selector, [&](const auto& wanted) { return std::ranges::binary_search(labels, wanted); });
}

ReasonKind hardware_mismatch(const ClusterShape& shape, const NodeClass& node_class, const PodClass& pod) {
  if (!pod.wants_gpu() || node_class.gpus.empty()) {
    return ReasonKind::kFits;
  }
  if (pod.gpus > 0) {
    const auto has = [&](bool shared) {
      return std::ranges::any_of(node_class.gpus,
                                 [&](const Gpu& gpu) { return !gpu.mig && (gpu.replicas > 1) == shared; });
    };
    if (pod.shared && !has(true)) {
      return ReasonKind::kNotTimeSliced;
    }
    if (!pod.shared && has(true) && !has(false)) {
      return ReasonKind::kTimeSliced;
    }
  }
  bool model_found = false;
  bool memory_found = false;
  for (const Gpu& gpu : node_class.gpus) {
    const Board& board = shape.board(gpu);
    const bool model_fits = !pod.model.valid() || board.model == pod.model;
    model_found |= model_fits;
    memory_found |= model_fits && (board.memory_mib == 0 || pod.gpu_memory_mib() <= board.memory_mib);
  }
  if (!model_found) {
    return ReasonKind::kModel;
  }
  return memory_found || pod.gpus == 0 ? ReasonKind::kFits : ReasonKind::kGpuMemory;
}

std::string gib_text(std::int64_t bytes) {
  return fmt::format("{:g}", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

}  // namespace gpusched::placement
