#include "gpusched/mig/strategy.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "gpusched/mig/profile.hpp"

namespace gpusched::mig {
namespace {

constexpr std::string_view kGpuResource = "nvidia.com/gpu";

/// By NVML's attributes of a MIG device; the name is not one of them. Figures that no source gives prove nothing.
bool same_type(const Profile& a, const Profile& b) {
  if (a.memory_mib == 0 || b.memory_mib == 0) return a.name == b.name;
  return a.compute_slices == b.compute_slices && a.memory_slices == b.memory_slices && a.memory_mib == b.memory_mib &&
         a.multiprocessors == b.multiprocessors && a.engines == b.engines;
}

/// Why the plugin refuses the node under the strategy `single`, its conditions in its order; "" when it does not.
std::string refusal(std::span<const PluginGpu> gpus) {
  bool any_mig = false;
  bool any_whole = false;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    (gpus[i].mig_enabled ? any_mig : any_whole) = true;
    if (gpus[i].mig_enabled && gpus[i].instances.empty()) {
      return fmt::format(
          "at least one device with migEnabled=true was not configured correctly: device {} has no MIG devices "
          "configured",
          i);
    }
  }
  const Profile* first = nullptr;
  for (const PluginGpu& gpu : gpus) {
    for (const ProfileIndex index : gpu.instances) {
      const Profile& profile = gpu.board->profiles[index];
      if (first != nullptr && !same_type(*first, profile)) return "more than one MIG device type present on node";
      first = first == nullptr ? &profile : first;
    }
  }
  return any_mig && any_whole ? "all devices on the node must be configured with the same migEnabled value" : "";
}

}  // namespace

Result<PluginResources> advertised(std::span<const PluginGpu> gpus, Strategy strategy) {
  if (strategy == Strategy::kSingle) {
    if (std::string why = refusal(gpus); !why.empty()) {
      return fail("mig-strategy-single", std::move(why),
                  "the plugin stops and the node advertises no GPUs; make all GPUs alike or use the strategy mixed");
    }
  }
  std::map<std::string, std::int64_t> counts;
  for (const PluginGpu& gpu : gpus) {
    if (!gpu.mig_enabled || strategy == Strategy::kNone) {
      ++counts[std::string(kGpuResource)];
      continue;
    }
    for (const ProfileIndex index : gpu.instances) {
      ++counts[strategy == Strategy::kSingle ? std::string(kGpuResource) : resource_name(gpu.board->profiles[index])];
    }
  }
  return PluginResources(counts.begin(), counts.end());
}

}  // namespace gpusched::mig
