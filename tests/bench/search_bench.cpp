#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "gpusched/model/shape_builder.hpp"
#include "gpusched/whatif/defrag.hpp"
#include "gpusched/whatif/drain.hpp"
#include "gpusched/whatif/min_nodes.hpp"

// The questions that search, on 1,000 nodes with 30 pods each.
namespace gpusched::bench {

namespace {

constexpr int kNodes = 1'000;
constexpr int kPodsPerNode = 30;

NodeClass eight_gpus(ShapeBuilder& builder) {
  NodeClass node_class;
  const BoardId board = builder.board({builder.text("A100-SXM4-80GB"), 80 * 1024, 300'000, 32'000, kNoMigBoard});
  node_class.gpus.assign(8, {board, 0, -1, 1, false});
  node_class.islands = 1;
  node_class.labels = builder.labels({});
  node_class.taints = builder.taints({});
  node_class.allocatable = {96'000, std::int64_t{1} << 40, kNotModelled, 110};
  return node_class;
}

PodClassId pod_class(ShapeBuilder& builder, std::int32_t gpus, std::int64_t cpu) {
  PodClass pod;
  pod.gpus = gpus;
  pod.requests = {{kCpu, cpu}};
  pod.non_zero_cpu = cpu;
  return builder.pod_class(std::move(pod));
}

struct Cluster {
  ClusterUsage usage;
  PodClassId whole_node;
};

/// Every node holds 3 to 7 of its GPUs, in pods of one to four, and pods without GPUs of 90 classes.
Cluster crowded_cluster() {
  ShapeBuilder builder;
  const NodeClassId node_class = builder.node_class(eight_gpus(builder));
  for (int n = 0; n < kNodes; ++n) static_cast<void>(builder.node(fmt::format("node-{:04}", n), node_class));
  const std::vector<PodClassId> gpu_classes{pod_class(builder, 1, 4'000), pod_class(builder, 2, 4'000),
                                            pod_class(builder, 4, 4'000)};
  std::vector<PodClassId> cpu_classes;
  for (int i = 0; i < 90; ++i) cpu_classes.push_back(pod_class(builder, 0, 100 + 10 * i));
  const PodClassId whole_node = pod_class(builder, 8, 8'000);
  std::vector<StringId> names;
  for (int i = 0; i < kNodes * kPodsPerNode; ++i) names.push_back(builder.text(fmt::format("pod-{:05}", i)));
  Cluster cluster{ClusterUsage(std::move(builder).build()), whole_node};
  std::uint32_t random = 7;
  const auto below = [&random](std::uint32_t bound) {
    random = random * 1'664'525 + 1'013'904'223;
    return (random >> 8) % bound;
  };
  std::size_t name = 0;
  for (std::size_t n = 0; n < kNodes; ++n) {
    std::uint16_t gpu = 0;
    const std::uint32_t used = 3 + below(5);
    for (int p = 0; p < kPodsPerNode; ++p) {
      const std::uint32_t left = used - gpu;
      const std::uint32_t size = below(left > 3 ? 3 : left > 1 ? 2 : 1);
      std::vector<GpuShare> shares;
      for (std::uint32_t i = 0; gpu < used && i < (1U << size); ++i) shares.push_back({gpu++});
      const PodClassId id = shares.empty() ? cpu_classes[below(90)] : gpu_classes[size];
      cluster.usage.bind(cluster.usage.add_pod(id, names[name++]), NodeId{n}, shares);
    }
  }
  cluster.usage.commit();
  return cluster;
}

}  // namespace

void search_benchmark() {
  Cluster cluster = crowded_cluster();
  ClusterUsage& usage = cluster.usage;
  fmt::print("search: {} nodes of 8 GPUs, {} pods on each\n", kNodes, kPodsPerNode);
  whatif::DrainAnswer drains;
  const double drain = seconds([&] { drains = whatif::find_drainable(usage, {}, {}); });
  fmt::print("  {:<30} {:8.1f} ms  ({} could go, {} together)\n", "drainable", drain * 1e3, drains.drainable(),
             drains.together.size());
  for (const int pods : {1, 4}) {
    const ClusterUsage::Mark mark = usage.mark();
    std::vector<PodId> wanted;
    for (int i = 0; i < pods; ++i) wanted.push_back(usage.add_pod(cluster.whole_node));
    whatif::DefragAnswer moves;
    const double time = seconds([&] { moves = whatif::find_moves(usage, {}, wanted, {}, {}, {}); });
    fmt::print("  {:<30} {:8.1f} ms  ({} moves, optimal: {})\n", fmt::format("defrag, {} pods of 8 GPUs", pods),
               time * 1e3, moves.moves.size(), moves.optimal);
    usage.revert(mark);
  }
  std::vector<whatif::ShapeOffer> offers;
  for (int i = 0; i < 10; ++i) {
    ShapeBuilder builder;
    NodeClass node_class = eight_gpus(builder);
    node_class.gpus.resize(static_cast<std::size_t>(8 - i % 4));
    node_class.allocatable[kCpu.index()] = 48'000 + 8'000 * i;
    static_cast<void>(builder.node("shape", builder.node_class(std::move(node_class))));
    offers.push_back({{fmt::format("shape-{}", i), {}, std::move(builder).build()}, 1'000'000 + 100'000 * i});
  }
  std::vector<PodId> pending;
  for (std::size_t i = 0; i < 1'000; ++i) pending.push_back(PodId{i * kPodsPerNode});
  whatif::MinNodesAnswer nodes;
  const double count = seconds([&] { nodes = whatif::min_nodes(usage, pending, offers, {}); });
  fmt::print("  {:<30} {:8.1f} ms  ({} nodes)\n", "min-nodes, 1,000 pods, 10 shapes", count * 1e3, nodes.nodes);
}

}  // namespace gpusched::bench
