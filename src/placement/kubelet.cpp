#include "placement/kubelet.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "placement/preferred.hpp"

namespace gpusched::placement {

namespace {

/// The Topology Manager's default limit of a machine's NUMA nodes. Every set of them is looked at, so there must be
/// one.
constexpr std::size_t kMostNumaNodes = 8;

// The plugin's points for a pair of GPUs. A dump does not show bridges and switches of PCIe, so one NUMA node is "same
// CPU"; bonded NVLinks between two boards count with a bridge of 12, links into a switch never do.
constexpr int kCrossCpu = 10;
constexpr int kSameCpu = 20;
constexpr int kBridge = 12 * 100;

PairScore pair_score(const NodeClass& node_class) {
  std::vector<int> island_sizes(node_class.islands);
  for (const Gpu& gpu : node_class.gpus) ++island_sizes[gpu.island];
  return [&node_class, island_sizes = std::move(island_sizes)](std::uint16_t a, std::uint16_t b) {
    const Gpu& first = node_class.gpus[a];
    const Gpu& second = node_class.gpus[b];
    const bool same_cpu = first.numa_node >= 0 && first.numa_node == second.numa_node;
    const bool bridged = node_class.islands_known && node_class.islands > 1 && first.island == second.island &&
                         island_sizes[first.island] == 2;
    return (same_cpu ? kSameCpu : kCrossCpu) + (bridged ? kBridge : 0);
  };
}

int units_in(const NumaDevices& devices, std::span<const int> units, std::uint64_t mask) {
  int sum = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    sum += devices.of_gpu[i] >= 0 && ((mask >> devices.of_gpu[i]) & 1U) != 0 ? units[i] : 0;
  }
  return sum;
}

/// What is left to hand out: the units of each GPU, and those that are chosen already.
struct Choice {
  std::vector<int> free;
  std::vector<std::uint16_t> chosen;
  int missing;

  void take(std::uint16_t gpu) {
    --free[gpu];
    --missing;
    chosen.push_back(gpu);
  }
  void take_lowest(auto&& from) {
    for (std::uint16_t gpu = 0; gpu < free.size() && missing > 0; ++gpu) {
      while (from(gpu) && free[gpu] > 0 && missing > 0) take(gpu);
    }
  }
};

/// Replicas: one after another from the GPU with the fewest (packed: the most) handed out, of equals the one of which
/// this container has fewest, then the lowest. The plugin leaves the last tie to the order of its sort.
void take_replicas(Choice& choice, const NumaDevices& devices, bool packed, auto&& from) {
  std::vector<int> picked(choice.free.size());
  while (choice.missing > 0) {
    int best = -1;
    std::tuple<int, int> best_key;
    for (std::uint16_t gpu = 0; gpu < choice.free.size(); ++gpu) {
      if (!from(gpu) || choice.free[gpu] == 0) continue;
      const int handed_out = devices.all[gpu] - choice.free[gpu];
      const std::tuple key{packed ? -handed_out : handed_out, picked[gpu]};
      if (best < 0 || key < best_key) {
        best = gpu;
        best_key = key;
      }
    }
    if (best < 0) return;
    ++picked[static_cast<std::size_t>(best)];
    choice.take(static_cast<std::uint16_t>(best));
  }
}

void take_preferred(Choice& choice, const NumaDevices& devices, const NodeClass& node_class, bool packed, auto&& from) {
  if (node_class.time_sliced) {
    take_replicas(choice, devices, packed, from);
    return;
  }
  std::vector<std::uint16_t> available = choice.chosen;
  for (std::uint16_t gpu = 0; gpu < choice.free.size(); ++gpu) {
    if (from(gpu) && choice.free[gpu] > 0) available.push_back(gpu);
  }
  std::ranges::sort(available);
  const std::size_t size = choice.chosen.size() + static_cast<std::size_t>(choice.missing);
  for (const std::uint16_t gpu : aligned_choice(available, choice.chosen, size, pair_score(node_class))) {
    if (choice.missing > 0 && choice.free[gpu] > 0) choice.take(gpu);
  }
}

}  // namespace

KubeletFacts KubeletRules::of(NodeId node) const {
  return node.index() < nodes.size() ? nodes[node.index()] : KubeletFacts{};
}

TopologyPolicy KubeletRules::policy_of(NodeId node) const {
  return policy ? *policy : of(node).topology_policy.value_or(TopologyPolicy::kNone);
}

NumaDevices numa_devices(const ClusterUsage& usage, NodeId node, std::span<const GpuShare> own) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  NumaDevices devices;
  for (const Gpu& gpu : node_class.gpus) {
    if (!gpu.mig && gpu.numa_node >= 0) devices.nodes.push_back(gpu.numa_node);
  }
  std::ranges::sort(devices.nodes);
  devices.nodes.erase(std::ranges::unique(devices.nodes).begin(), devices.nodes.end());
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    const auto place = std::ranges::find(devices.nodes, gpu.numa_node);
    devices.of_gpu.push_back(gpu.mig || place == devices.nodes.end() ? -1
                                                                     : static_cast<int>(place - devices.nodes.begin()));
    devices.all.push_back(gpu.mig ? 0 : gpu.replicas);
    std::int32_t milli = free_milli[i];
    for (const GpuShare& share : own) milli += share.gpu == i ? share.milli : 0;
    devices.free.push_back(gpu.mig ? 0 : milli / kWholeGpuMilli);
  }
  return devices;
}

// One provider of hints: the best one is the preferred one with the fewest NUMA nodes, then the lowest; without a
// preferred one the narrowest.
Affinity affinity(const NumaDevices& devices, int request, TopologyPolicy policy) {
  const std::size_t count = devices.nodes.size();
  if (policy == TopologyPolicy::kNone || count == 0 || count > kMostNumaNodes) return {};
  int fewest = static_cast<int>(count);
  std::uint64_t best = 0;
  const auto narrower = [](std::uint64_t a, std::uint64_t b) {
    return std::tuple(std::popcount(a), a) < std::tuple(std::popcount(b), b);
  };
  for (std::uint64_t mask = 1; mask < (std::uint64_t{1} << count); ++mask) {
    if (units_in(devices, devices.all, mask) >= request) fewest = std::min(fewest, std::popcount(mask));
    if (units_in(devices, devices.free, mask) >= request && (best == 0 || narrower(mask, best))) best = mask;
  }
  const bool preferred = best != 0 && std::popcount(best) == fewest;
  if (policy == TopologyPolicy::kBestEffort) return {best, true};
  if (policy == TopologyPolicy::kRestricted) return {best, preferred};
  return {best, preferred && std::popcount(best) == 1};
}

std::vector<std::uint16_t> kubelet_choice(const ClusterUsage& usage, NodeId node, int request,
                                          const KubeletRules& rules) {
  const NodeClass& node_class = usage.node_class(node);
  const NumaDevices devices = numa_devices(usage, node);
  const Affinity wanted = affinity(devices, request, rules.policy_of(node));
  const bool preferred = rules.pick == KubeletPick::kPreferred;
  const bool packed = rules.of(node).packed;
  Choice choice{devices.free, {}, request};
  const auto anywhere = [](std::uint16_t) { return true; };
  if (wanted.mask != 0) {
    const auto aligned = [&](std::uint16_t gpu) {
      return devices.of_gpu[gpu] >= 0 && ((wanted.mask >> devices.of_gpu[gpu]) & 1U) != 0;
    };
    if (preferred && request < units_in(devices, devices.free, wanted.mask)) {
      take_preferred(choice, devices, node_class, packed, aligned);
    }
    choice.take_lowest(aligned);
  }
  if (preferred && choice.missing > 0) take_preferred(choice, devices, node_class, packed, anywhere);
  choice.take_lowest(anywhere);
  std::ranges::sort(choice.chosen);
  return std::move(choice.chosen);
}

}  // namespace gpusched::placement
