#include "gpusched/model/gpu_content.hpp"

#include <algorithm>

namespace gpusched {

std::vector<std::uint16_t> instances_of(const NodeClass& node_class, std::size_t gpu) {
  std::vector<std::uint16_t> instances;
  for (std::uint16_t i = 0; i < node_class.instances.size(); ++i) {
    if (node_class.instances[i].gpu == gpu) {
      instances.push_back(i);
    }
  }
  return instances;
}

std::vector<PodId> holders_of(const ClusterUsage& usage, NodeId node, std::size_t gpu) {
  std::vector<PodId> pods;
  for (PodId pod = usage.first_pod(node); pod.valid(); pod = usage.next_pod(pod)) {
    if (std::ranges::any_of(usage.shares(pod), [gpu](const GpuShare& share) { return share.gpu == gpu; })) {
      pods.push_back(pod);
    }
  }
  std::ranges::sort(pods);
  return pods;
}

}  // namespace gpusched
