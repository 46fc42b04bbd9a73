#include <algorithm>

#include "gpusched/placement/filter.hpp"
#include "placement/kubelet.hpp"

// Which GPUs of the chosen node a pod gets.
namespace gpusched::placement {

std::vector<GpuShare> NodeFilter::choose(const ClusterUsage& usage, NodeId node) const {
  std::vector<GpuShare> shares;
  if (pod_->gpus > 0) {
    shares = options_.view == View::kExtended ? choose_as_kubelet(usage, node) : choose_islands(usage, node);
  }
  const std::vector<GpuShare> instances = choose_instances(usage, node);
  shares.insert(shares.end(), instances.begin(), instances.end());
  return shares;
}

std::vector<GpuShare> NodeFilter::choose_as_kubelet(const ClusterUsage& usage, NodeId node) const {
  static const KubeletRules kUnknown;
  std::vector<GpuShare> shares;
  for (const std::uint16_t gpu :
       kubelet_choice(usage, node, pod_->gpus, options_.kubelet == nullptr ? kUnknown : *options_.kubelet)) {
    shares.push_back({gpu, GpuShare::kNoInstance, kWholeGpuMilli, memory_mib_});
  }
  return shares;
}

// Best fit: the island with the fewest candidates that holds the pod, the first one on a tie. A pod that fits no island
// spans as few as possible: the largest islands whole, then the best fit for the rest.
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
  auto missing = static_cast<std::size_t>(pod_->gpus);
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
  return shares;
}

std::vector<GpuShare> NodeFilter::choose_instances(const ClusterUsage& usage, NodeId node) const {
  std::vector<GpuShare> shares;
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const PodId> holders = usage.instance_holders(node);
  for (const MigRequest& request : pod_->mig) {
    int missing = request.count;
    for (std::uint16_t i = 0; i < holders.size() && missing > 0; ++i) {
      const MigInstance& instance = node_class.instances[i];
      const bool model_fits = !pod_->model.valid() || options_.view == View::kExtended ||
                              shape_->board(node_class.gpus[instance.gpu]).model == pod_->model;
      if (!holders[i].valid() && instance.resource == request.resource && model_fits) {
        shares.push_back({instance.gpu, i, 0, 0});
        --missing;
      }
    }
  }
  return shares;
}

}  // namespace gpusched::placement
