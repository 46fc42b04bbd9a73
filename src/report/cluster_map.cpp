#include "report/cluster_map.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gpusched/mig/board.hpp"
#include "gpusched/model/gpu_content.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

/// A pod's part of one GPU of a node.
struct Hold {
  std::string_view pod;
  std::uint16_t gpu;
  std::int32_t milli;
};

/// What the pods of a node hold, by GPU, then by name. Instances are not among them: they know their holders.
std::vector<Hold> holds_on(const ClusterUsage& usage, NodeId node) {
  std::vector<Hold> holds;
  for (PodId pod = usage.first_pod(node); pod.valid(); pod = usage.next_pod(pod)) {
    for (const GpuShare& share : usage.shares(pod)) {
      if (share.instance == GpuShare::kNoInstance) {
        holds.push_back({usage.shape().text(usage.pod_name(pod)), share.gpu, share.milli});
      }
    }
  }
  std::ranges::sort(holds, {}, [](const Hold& hold) { return std::tie(hold.gpu, hold.pod, hold.milli); });
  return holds;
}

/// Whole GPUs and replicas stay whole.
Json amount(std::int32_t milli) {
  return milli % kWholeGpuMilli == 0 ? Json(milli / kWholeGpuMilli) : Json(static_cast<double>(milli) / kWholeGpuMilli);
}

/// The instances of a GPU, by their first slice.
Json instance_list(const ClusterUsage& usage, NodeId node, std::size_t gpu) {
  const NodeClass& node_class = usage.node_class(node);
  std::vector<std::uint16_t> order = instances_of(node_class, gpu);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(node_class.instances[i].start, i); });
  Json list = Json::array();
  for (const std::size_t i : order) {
    const MigInstance& instance = node_class.instances[i];
    Json& entry = list.emplace_back(Json{{"profile", usage.shape().text(instance.profile)},
                                         {"start", instance.start},
                                         {"slices", instance.memory_slices}});
    if (const PodId holder = usage.instance_holders(node)[i]; holder.valid()) {
      entry["pod"] = usage.shape().text(usage.pod_name(holder));
    }
  }
  return list;
}

Json gpu_object(const ClusterUsage& usage, NodeId node, std::size_t index, std::span<const Hold> holds) {
  const Gpu& gpu = usage.node_class(node).gpus[index];
  const Board& board = usage.shape().board(gpu);
  Json object{{"model", usage.shape().text(board.model)}, {"island", gpu.island}};
  if (gpu.mig) {
    object["slices"] = board.mig_board == kNoMigBoard ? 0 : mig::boards()[board.mig_board].memory_slices;
    object["instances"] = instance_list(usage, node, index);
    return object;
  }
  if (gpu.replicas > 1) {
    object["replicas"] = gpu.replicas;
  }
  object["free"] = amount(usage.free_milli(node)[index]);
  Json holders = Json::array();
  for (const Hold& hold : holds) {
    holders.push_back({{"pod", hold.pod}, {"share", amount(hold.milli)}});
  }
  object["holders"] = std::move(holders);
  return object;
}

Json node_object(const ClusterUsage& usage, NodeId node) {
  const NodeClass& node_class = usage.node_class(node);
  Json object{{"name", usage.shape().name(node)}};
  if (usage.cordoned(node)) {
    object["cordoned"] = true;
  }
  if (usage.assumed(node)) {
    object["assumed"] = true;
  }
  if (!node_class.islands_known) {
    object["islandsUnknown"] = true;
  }
  const std::vector<Hold> holds = holds_on(usage, node);
  auto first = holds.begin();
  Json gpus = Json::array();
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    const auto last = std::find_if(first, holds.end(), [&](const Hold& hold) { return hold.gpu != i; });
    gpus.push_back(gpu_object(usage, node, i, {first, last}));
    first = last;
  }
  object["gpus"] = std::move(gpus);
  return object;
}

}  // namespace

Json cluster_object(const ClusterUsage& usage) {
  Json nodes = Json::array();
  for (const NodeId node : usage.shape().nodes_by_name) {
    nodes.push_back(node_object(usage, node));
  }
  return {{"nodes", std::move(nodes)}};
}

}  // namespace gpusched::report
