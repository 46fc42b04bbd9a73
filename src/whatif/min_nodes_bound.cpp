#include "whatif/min_nodes_bound.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gpusched::whatif {

namespace {

__extension__ typedef __int128 int128;

/// A sum over all pods, and what one node of each offer has of it; kNotModelled: without limit.
struct Dimension {
  std::int64_t needed = 0;
  std::vector<std::int64_t> per_node;
};

std::int64_t whole_gpus(const NodeClass& node_class) {
  std::int64_t units = 0;
  for (const Gpu& gpu : node_class.gpus) {
    units += gpu.mig ? 0 : gpu.replicas;
  }
  return units;
}

std::vector<Dimension> dimensions(const NodePacking& packing, std::span<const std::size_t> offers) {
  const ClusterShape& shape = packing.shape();
  Dimension gpus;
  Dimension cpu;
  Dimension memory;
  for (const std::size_t offer : offers) {
    const NodeClass& node_class = packing.node_class(offer);
    gpus.per_node.push_back(whole_gpus(node_class));
    cpu.per_node.push_back(node_class.allocatable[kCpu.index()]);
    memory.per_node.push_back(node_class.allocatable[kMemory.index()]);
  }
  std::vector<Dimension> result;
  for (std::size_t kind = 0; kind < packing.kinds().size(); ++kind) {
    const auto& [id, count] = packing.kinds()[kind];
    Dimension alone{count, {}};
    for (const std::size_t offer : offers) {
      alone.per_node.push_back(packing.most(kind, offer));
    }
    if (std::ranges::all_of(alone.per_node, [](std::int64_t most) { return most == 0; })) {
      continue;
    }
    result.push_back(std::move(alone));
    const PodClass& pod = shape.pod_classes[id.index()];
    gpus.needed += pod.gpu_milli == kWholeGpuMilli ? count * pod.gpus : 0;
    for (const auto& [resource, amount] : pod.requests) {
      cpu.needed += resource == kCpu ? count * amount : 0;
      memory.needed += resource == kMemory ? count * amount : 0;
    }
  }
  for (Dimension* const total : {&gpus, &cpu, &memory}) {
    result.push_back(std::move(*total));
  }
  return result;
}

}  // namespace

std::int64_t least_nodes(const NodePacking& packing, std::span<const std::size_t> offers) {
  std::int64_t least = 0;
  for (const Dimension& dimension : dimensions(packing, offers)) {
    const bool unlimited = std::ranges::find(dimension.per_node, kNotModelled) != dimension.per_node.end();
    const std::int64_t most = dimension.per_node.empty() ? 0 : std::ranges::max(dimension.per_node);
    if (!unlimited && most > 0) {
      least = std::max(least, dimension.needed / most + (dimension.needed % most > 0 ? 1 : 0));
    }
  }
  return least;
}

std::int64_t least_price(const NodePacking& packing, std::span<const std::int64_t> prices) {
  std::vector<std::size_t> offers(prices.size());
  std::iota(offers.begin(), offers.end(), std::size_t{0});
  int128 least = 0;
  for (const Dimension& dimension : dimensions(packing, offers)) {
    // The whole need from the offer that has the most of it for its price.
    int128 cheapest = -1;
    for (const std::size_t offer : offers) {
      const std::int64_t amount = dimension.per_node[offer];
      if (amount == 0) {
        continue;
      }
      const int128 price =
          amount == kNotModelled ? 0 : (int128{dimension.needed} * prices[offer] + amount - 1) / amount;
      cheapest = cheapest < 0 ? price : std::min(cheapest, price);
    }
    least = std::max(least, cheapest);
  }
  return static_cast<std::int64_t>(least);
}

}  // namespace gpusched::whatif
