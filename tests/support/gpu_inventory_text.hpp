#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/io/gpu_inventory.hpp"
#include "gpusched/mig/layout.hpp"

/// Node facts in short form and inventories as text, for table tests of infer_gpus.
namespace gpusched::io::test {

using Labels = std::vector<LabelFact>;
using Amounts = std::vector<ResourceFact>;

inline const char* word(Basis basis) {
  return basis == Basis::kKnown ? "known" : basis == Basis::kAssumed ? "assumed" : "unknown";
}

inline std::string sharing(const GpuGroup& group) {
  const char* const names[] = {"", " time-slicing", " mps", " shared"};
  std::string text = names[static_cast<int>(group.sharing)];
  if (group.replicas > 1) text += fmt::format(" x{}", group.replicas);
  return text + (group.renamed ? " renamed" : "");
}

inline std::string instances(const GpuGroup& group) {
  std::vector<std::string> words;
  for (const MigCount& instance : group.instances) {
    words.push_back(fmt::format("{}={}", instance.profile, instance.count));
  }
  const char* const strategies[] = {"", "single", "mixed", "dynamic"};
  return group.mig == MigStrategy::kNone
             ? ""
             : fmt::format(", mig {} {}", strategies[static_cast<int>(group.mig)], join(words, " "));
}

inline std::string islands(const GpuGroup& group) {
  std::vector<std::string> sizes;
  for (const auto& island : group.islands) sizes.push_back(std::to_string(island.size()));
  return fmt::format(", islands {} {}", word(group.islands_basis), join(sizes, "+"));
}

/// "nvidia.com/gpu 8/8: 8 NVIDIA-L4 of 23034 MiB, islands known 1+1".
inline std::string summary(const GpuGroup& group) {
  const char* const count_marks[] = {"", "?", "+"};
  const char* const states[] = {"", " broken", " not advertised"};
  return fmt::format("{} {}/{}: {}{} {} {} of {}/{} MiB{}{}{}{}{}{}", group.resource.empty() ? "-" : group.resource,
                     group.allocatable, group.capacity, group.count, count_marks[static_cast<int>(group.count_basis)],
                     group.vendor, group.model.empty() ? "?" : group.model, group.board_memory_mib,
                     group.unit_memory_mib, sharing(group), group.vgpu ? " vgpu" : "",
                     group.parts > 1 ? fmt::format(" 1/{}", group.parts) : "", instances(group), islands(group),
                     states[static_cast<int>(group.advertised)]);
}

inline std::vector<std::string> summaries(const GpuInventory& inventory) {
  std::vector<std::string> texts;
  for (const GpuGroup& group : inventory.groups) texts.push_back(summary(group));
  return texts;
}

inline std::vector<std::string> codes(const GpuInventory& inventory) {
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : inventory.warnings) texts.push_back(diagnostic.code);
  return texts;
}

inline bool inferred(const GpuInventory& inventory, const std::string& what, const std::string& from) {
  return std::ranges::find(inventory.inferred, Inference{what, from}) != inventory.inferred.end();
}

inline GpuInventory infer(const Labels& labels, const Amounts& capacity, const Amounts& allocatable,
                          const Labels& annotations = {}) {
  return infer_gpus({"n1", labels, capacity, allocatable, {}, annotations});
}

struct Case {
  const char* name;
  Labels labels;
  Amounts capacity;
  Amounts allocatable;
  std::vector<std::string> groups;
  std::vector<std::string> warnings = {};
  Labels annotations = {};
};

inline void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    INFO(c.name);
    const GpuInventory inventory = infer(c.labels, c.capacity, c.allocatable, c.annotations);
    CHECK(summaries(inventory) == c.groups);
    CHECK(codes(inventory) == c.warnings);
  }
}

inline Labels gfd(const char* product, const char* memory, const char* count, const char* replicas = "1") {
  return {{"nvidia.com/gpu.product", product},
          {"nvidia.com/gpu.memory", memory},
          {"nvidia.com/gpu.count", count},
          {"nvidia.com/gpu.replicas", replicas}};
}

inline Labels with(Labels labels, const Labels& more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

}  // namespace gpusched::io::test
