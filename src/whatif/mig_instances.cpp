#include "whatif/mig_instances.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/mig/profile.hpp"
#include "gpusched/model/gpu_content.hpp"

namespace gpusched::whatif {

std::string comma_layout(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i + 1 < result.size(); ++i) {
    if (result[i] == '+' && result[i + 1] >= '0' && result[i + 1] <= '9') {
      result[i] = ',';
    }
  }
  return result;
}

MigInstance instance_of(const mig::Board& board, mig::Instance placed, std::uint16_t gpu, ShapeBuilder& builder) {
  const mig::Profile& profile = board.profiles[placed.profile];
  MigInstance instance;
  instance.profile = builder.text(profile.name);
  instance.resource = builder.resource(mig::resource_name(profile));
  instance.gpu = gpu;
  instance.start = placed.start;
  instance.memory_slices = profile.memory_slices;
  instance.compute_slices = profile.compute_slices;
  instance.mig_profile = placed.profile;
  instance.memory_mib = static_cast<std::int32_t>(profile.memory_mib);
  return instance;
}

std::string mig_text(const ClusterShape& shape, const NodeClass& node_class) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;  // layout and its GPUs
  for (std::size_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    std::string layout;
    for (const std::uint16_t i : instances_of(node_class, gpu)) {
      const MigInstance& instance = node_class.instances[i];
      layout += fmt::format("{}{}@{}", layout.empty() ? "" : ", ", shape.text(instance.profile), instance.start);
    }
    if (layout.empty()) {
      layout = node_class.gpus[gpu].mig ? "MIG without instances" : "no MIG";
    }
    const auto found = std::ranges::find(groups, layout, &decltype(groups)::value_type::first);
    (found == groups.end() ? groups.emplace_back(layout, std::vector<std::size_t>()) : *found).second.push_back(gpu);
  }
  std::string text;
  for (const auto& [layout, gpus] : groups) {
    text += text.empty() ? "" : "; ";
    text += fmt::format("GPU{} {}: {}", gpus.size() == 1 ? "" : "s", fmt::join(gpus, ", "), layout);
  }
  return text;
}

}  // namespace gpusched::whatif
