#include "placement/kubelet.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "placement/preferred.hpp"

namespace gpusched::placement {

namespace {

/// The Topology Manager's default limit of a machine's NUMA nodes. Every set of them is looked at, so there must be
/// one.
constexpr int kMostNumaNodes = 8;
constexpr std::size_t kMostBits = 63;

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

std::vector<DeviceRequest> device_requests(const PodClass& pod) {
  std::vector<DeviceRequest> requests;
  if (pod.gpus > 0) requests.push_back({pod.gpu_resource, pod.gpus});
  for (const MigRequest& request : pod.mig) requests.push_back({request.resource, request.count});
  return requests;
}

std::uint64_t NumaDevices::numa_mask() const {
  std::uint64_t mask = 0;
  for (std::size_t gpu = 0; gpu < all.size(); ++gpu) {
    mask |= all[gpu] > 0 && of_gpu[gpu] >= 0 ? std::uint64_t{1} << of_gpu[gpu] : 0;
  }
  return mask;
}

NumaDevices numa_devices(const ClusterUsage& usage, NodeId node, ResourceId resource, std::span<const GpuShare> own) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  const std::span<const PodId> holders = usage.instance_holders(node);
  const auto is_mig = [](std::string_view name) { return name.find("/mig-") != std::string_view::npos; };
  const bool gpus = !is_mig(usage.shape().name(resource));
  NumaDevices devices;
  for (const Gpu& gpu : node_class.gpus) {
    if (gpu.numa_node >= 0) devices.nodes.push_back(gpu.numa_node);
  }
  std::ranges::sort(devices.nodes);
  devices.nodes.erase(std::ranges::unique(devices.nodes).begin(), devices.nodes.end());
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    const auto place = std::ranges::find(devices.nodes, gpu.numa_node);
    devices.of_gpu.push_back(place == devices.nodes.end() ? -1 : static_cast<int>(place - devices.nodes.begin()));
    const bool counts = gpus && !gpu.mig;
    devices.all.push_back(counts ? gpu.replicas : 0);
    std::int32_t milli = free_milli[i];
    for (const GpuShare& share : own) milli += share.gpu == i ? share.milli : 0;
    devices.free.push_back(counts ? milli / kWholeGpuMilli : 0);
  }
  for (std::uint16_t i = 0; i < holders.size(); ++i) {
    const MigInstance& instance = node_class.instances[i];
    if (instance.resource != resource) continue;
    ++devices.all[instance.gpu];
    const bool ours = std::ranges::find(own, i, &GpuShare::instance) != own.end();
    devices.free[instance.gpu] += ours || !holders[i].valid() ? 1 : 0;
  }
  return devices;
}

namespace {

/// A set of NUMA nodes that could serve a resource, or several.
struct Hint {
  std::uint64_t mask = 0;
  bool preferred = false;

  bool operator==(const Hint&) const = default;
};

int width(std::uint64_t mask) {
  return std::popcount(mask);
}

/// What the device manager offers for one resource: every set of NUMA nodes that have such devices, with enough free
/// ones, preferred when an empty machine could do with no fewer (generateDeviceTopologyHints).
std::vector<Hint> hints_of(const NumaDevices& devices, int units) {
  const std::uint64_t with_devices = devices.numa_mask();
  int fewest = width(with_devices);
  std::vector<Hint> hints;
  for (std::uint64_t mask = with_devices; mask != 0; mask = (mask - 1) & with_devices) {
    if (units_in(devices, devices.all, mask) >= units) fewest = std::min(fewest, width(mask));
    if (units_in(devices, devices.free, mask) >= units) hints.push_back({mask, false});
  }
  for (Hint& hint : hints) hint.preferred = width(hint.mask) == fewest;
  return hints;
}

/// One hint of each resource together: the NUMA nodes that all of them have, preferred when all are and are the same
/// (mergePermutation). Every way to combine them, each once.
std::vector<Hint> combine(std::span<const std::vector<Hint>> resources, std::uint64_t all) {
  std::vector<Hint> merged{{all, true}};
  bool first = true;
  for (const std::vector<Hint>& hints : resources) {
    std::vector<Hint> next;
    for (const Hint& so_far : merged) {
      for (const Hint& hint : hints) {
        const bool same = first || so_far.mask == hint.mask;
        const Hint both{so_far.mask & hint.mask, so_far.preferred && hint.preferred && same};
        if (std::ranges::find(next, both) == next.end()) next.push_back(both);
      }
    }
    merged = std::move(next);
    first = false;
  }
  return merged;
}

/// The best of the combined hints (HintMerger.compare): a preferred one before others; of these the narrowest, else
/// one as wide as the resource that needs most NUMA nodes, else the widest below that, else the narrowest above.
Hint best_hint(std::span<const std::vector<Hint>> resources, std::uint64_t all) {
  int needed = 0;
  for (const std::vector<Hint>& hints : resources) {
    int least = hints.empty() ? 0 : width(all);
    for (const Hint& hint : hints) least = std::min(least, width(hint.mask));
    needed = std::max(needed, least);
  }
  const auto key = [needed](const Hint& hint) {
    const int wide = width(hint.mask);
    const int group = hint.preferred ? 0 : wide == needed ? 1 : wide < needed ? 2 : 3;
    return std::tuple(group, group == 2 ? -wide : wide, hint.mask);
  };
  Hint best;
  for (const Hint& hint : combine(resources, all)) {
    if (hint.mask != 0 && (best.mask == 0 || key(hint) < key(best))) best = hint;
  }
  return best.mask == 0 ? Hint{all, false} : best;
}

}  // namespace

std::vector<NumaRequest> numa_requests(const ClusterUsage& usage, NodeId node, const PodClass& pod,
                                       std::span<const GpuShare> own) {
  std::vector<NumaRequest> requests;
  for (const DeviceRequest& request : device_requests(pod)) {
    requests.push_back({numa_devices(usage, node, request.resource, own), request.units});
  }
  return requests;
}

Affinity affinity(std::span<const NumaRequest> requests, TopologyPolicy policy) {
  if (policy == TopologyPolicy::kNone) return {};
  std::uint64_t all = 0;
  std::vector<std::vector<Hint>> resources;
  for (const auto& [devices, units] : requests) {
    if (devices.nodes.size() > kMostBits || devices.numa_mask() == 0 || width(devices.numa_mask()) > kMostNumaNodes) {
      continue;
    }
    all = (std::uint64_t{1} << devices.nodes.size()) - 1;
    resources.push_back(hints_of(devices, units));
  }
  if (resources.empty()) return {};
  const Hint best = best_hint(resources, all);
  if (policy == TopologyPolicy::kBestEffort) return {best.mask, true};
  if (policy == TopologyPolicy::kRestricted) return {best.mask, best.preferred};
  for (std::vector<Hint>& hints : resources) {
    std::erase_if(hints, [](const Hint& hint) { return !hint.preferred || width(hint.mask) != 1; });
  }
  const Hint single = best_hint(resources, all);
  return single.preferred ? Affinity{single.mask, true} : Affinity{best.mask, false};
}

bool is_aligned(const NumaDevices& devices, const Affinity& affinity, std::uint16_t gpu) {
  return affinity.mask == 0 || (devices.of_gpu[gpu] >= 0 && ((affinity.mask >> devices.of_gpu[gpu]) & 1U) != 0);
}

std::vector<std::uint16_t> kubelet_choice(const ClusterUsage& usage, NodeId node, DeviceRequest request,
                                          const Affinity& affinity, const KubeletRules& rules) {
  const NodeClass& node_class = usage.node_class(node);
  NumaDevices devices = numa_devices(usage, node, request.resource);
  for (std::size_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {  // instances are handed out by themselves
    if (node_class.gpus[gpu].mig) devices.free[gpu] = devices.all[gpu] = 0;
  }
  const bool preferred = rules.pick == KubeletPick::kPreferred;
  const bool packed = rules.of(node).packed;
  Choice choice{devices.free, {}, request.units};
  const auto anywhere = [](std::uint16_t) { return true; };
  if (affinity.mask != 0) {
    const auto aligned = [&](std::uint16_t gpu) { return is_aligned(devices, affinity, gpu); };
    if (preferred && request.units < units_in(devices, devices.free, affinity.mask)) {
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
