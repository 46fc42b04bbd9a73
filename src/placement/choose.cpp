#include <algorithm>
#include <iterator>

#include "gpusched/placement/filter.hpp"
#include "placement/kubelet.hpp"
#include "placement/node_rules.hpp"

// Which GPUs of the chosen node a pod gets.
namespace gpusched::placement {

namespace {

/// The first free instances of a resource for which `good` holds.
void take_instances(const ClusterUsage& usage, NodeId node, ResourceId resource, std::int64_t count, auto&& good,
                    std::vector<GpuShare>& shares) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const PodId> holders = usage.instance_holders(node);
  for (std::uint16_t i = 0; i < holders.size() && count > 0; ++i) {
    const MigInstance& instance = node_class.instances[i];
    if (!holders[i].valid() && instance.resource == resource && good(instance) &&
        std::ranges::find(shares, i, &GpuShare::instance) == shares.end()) {
      shares.push_back({instance.gpu, i, 0, 0});
      --count;
    }
  }
}

/// The same as the kubelet does it: what is counted, on the NUMA nodes of the affinity first.
void take_aligned_instances(const ClusterUsage& usage, NodeId node, DeviceRequest request, const Affinity& affinity,
                            std::vector<GpuShare>& shares) {
  const std::size_t first = shares.size();
  if (affinity.mask != 0) {
    const NumaDevices devices = numa_devices(usage, node, request.resource);
    take_instances(
        usage, node, request.resource, request.units,
        [&](const MigInstance& instance) { return is_aligned(devices, affinity, instance.gpu); }, shares);
  }
  const auto taken = static_cast<std::int64_t>(shares.size() - first);
  take_instances(usage, node, request.resource, request.units - taken, [](const MigInstance&) { return true; }, shares);
}

}  // namespace

std::vector<GpuShare> NodeFilter::choose(const ClusterUsage& usage, NodeId node) const {
  if (options_.view == View::kExtended) {
    return choose_as_kubelet(usage, node);
  }
  std::vector<GpuShare> shares;
  if (pod_->gpus > 0) {
    shares = choose_islands(usage, node);
  }
  const std::vector<GpuShare> instances = choose_instances(usage, node);
  shares.insert(shares.end(), instances.begin(), instances.end());
  return shares;
}

std::vector<GpuShare> NodeFilter::choose_instances(const ClusterUsage& usage, NodeId node) const {
  std::vector<GpuShare> shares;
  for (const MigRequest& request : pod_->mig) {
    take_instances(
        usage, node, request.resource, request.count,
        [&](const MigInstance& instance) { return serves(usage.shape(), usage.node_class(node), instance, *pod_); },
        shares);
  }
  return shares;
}

std::vector<GpuShare> NodeFilter::choose_as_kubelet(const ClusterUsage& usage, NodeId node) const {
  static const KubeletRules kUnknown;
  const KubeletRules& rules = options_.kubelet == nullptr ? kUnknown : *options_.kubelet;
  const TopologyPolicy policy = rules.policy_of(node);
  const Affinity numa =
      policy == TopologyPolicy::kNone ? Affinity{} : affinity(numa_requests(usage, node, *pod_), policy);
  std::vector<GpuShare> shares;
  for (DeviceRequest request : device_requests(*pod_)) {
    if (pod_->gpus > 0 && request.resource == pod_->gpu_resource) {
      for (const std::uint16_t gpu : kubelet_choice(usage, node, request, numa, rules)) {
        shares.push_back({gpu, GpuShare::kNoInstance, kWholeGpuMilli, memory_mib_});
        --request.units;
      }
    }
    take_aligned_instances(usage, node, request, numa, shares);
  }
  return shares;
}

// Best fit: the island with the fewest candidates that holds the pod, the first one on a tie. A pod that fits no island
// spans as few as possible: the largest islands whole, then the best fit for the rest. What GPUs do not cover, MIG
// instances that are advertised as GPUs do.
std::vector<GpuShare> NodeFilter::choose_islands(const ClusterUsage& usage, NodeId node) const {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  const std::span<const std::int64_t> free_memory = usage.free_memory_mib(node);
  std::vector<std::vector<std::uint16_t>> islands(node_class.islands);
  for (const std::uint16_t gpu : classes_[usage.node_class_id(node).index()].gpus) {
    if (is_candidate(free_milli[gpu], free_memory[gpu])) {
      islands[node_class.gpus[gpu].island].push_back(gpu);
    }
  }
  std::vector<GpuShare> shares;
  std::size_t candidates = 0;
  for (const std::vector<std::uint16_t>& island : islands) {
    candidates += island.size();
  }
  auto missing = std::min(candidates, static_cast<std::size_t>(pod_->gpus));
  const auto take = [&](std::vector<std::uint16_t>& island) {
    for (std::size_t i = 0; i < island.size() && missing > 0; ++i, --missing) {
      shares.push_back(
          {island[i], GpuShare::kNoInstance, pod_->shared ? kWholeGpuMilli : pod_->gpu_milli, memory_mib_});
    }
    island.clear();
  };
  while (missing > 0) {
    std::vector<std::uint16_t>* best = nullptr;
    for (std::vector<std::uint16_t>& island : islands) {
      if (island.size() >= missing && (best == nullptr || island.size() < best->size())) {
        best = &island;
      }
    }
    take(best != nullptr ? *best : *std::ranges::max_element(islands, {}, &std::vector<std::uint16_t>::size));
  }
  std::ranges::sort(shares, {}, &GpuShare::gpu);
  take_instances(
      usage, node, pod_->gpu_resource, pod_->gpus - std::ssize(shares),
      [&](const MigInstance& instance) { return serves(usage.shape(), node_class, instance, *pod_); }, shares);
  return shares;
}

}  // namespace gpusched::placement
