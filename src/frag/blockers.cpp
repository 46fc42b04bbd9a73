#include "frag/blockers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpusched::frag {

namespace {

constexpr std::size_t kWholeNode = kMaxGpusPerNode;

struct Block {
  NodeId node;
  std::size_t island = kWholeNode;
  int free = 0;
  int total = 0;
};

void consider(std::optional<Block>& best, const Block& block, int size) {
  if (block.total >= size && (!best || block.free > best->free)) {
    best = block;
  }
}

/// The node's best island and, where no island is large enough, the node itself.
std::optional<Block> best_block(const ClusterUsage& usage, NodeId node, int size) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  std::vector<Block> islands(node_class.islands, Block{node, 0, 0, 0});
  Block whole{node, kWholeNode, 0, 0};
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    if (gpu.mig || gpu.replicas > 1) {
      continue;
    }
    const int free = free_milli[i] == kWholeGpuMilli ? 1 : 0;
    for (Block* block : {&islands[gpu.island], &whole}) {
      block->free += free;
      ++block->total;
    }
    islands[gpu.island].island = gpu.island;
  }
  std::optional<Block> best;
  for (const Block& island : islands) {
    consider(best, island, size);
  }
  if (!best) {
    consider(best, whole, size);
  }
  return best;
}

std::vector<PodId> holders(const ClusterUsage& usage, const Block& block) {
  const NodeClass& node_class = usage.node_class(block.node);
  std::vector<std::pair<int, PodId>> found;  // minus the GPUs held, so that sorting puts the largest first
  for (PodId pod = usage.first_pod(block.node); pod.valid(); pod = usage.next_pod(pod)) {
    const auto held = std::ranges::count_if(usage.shares(pod), [&](const GpuShare& share) {
      const Gpu& gpu = node_class.gpus[share.gpu];
      return !gpu.mig && gpu.replicas == 1 && (block.island == kWholeNode || gpu.island == block.island);
    });
    if (held > 0) {
      found.emplace_back(-static_cast<int>(held), pod);
    }
  }
  const ClusterShape& shape = usage.shape();
  std::ranges::sort(found, {}, [&](const auto& entry) {
    return std::tuple(entry.first, shape.text(usage.pod_name(entry.second)), entry.second);
  });
  std::vector<PodId> result;
  for (const auto& [count, pod] : found) {
    result.push_back(pod);
  }
  return result;
}

}  // namespace

Blockers find_blockers(const ClusterUsage& usage, std::span<const SizeRow> rows) {
  std::vector<int> sizes;
  for (const SizeRow& row : rows) {
    if (row.by_count == 0) {
      sizes.push_back(row.size);
    }
  }
  std::ranges::sort(sizes, std::greater{});
  for (const int size : sizes) {
    std::optional<Block> best;
    for (const NodeId node : usage.shape().nodes_by_name) {
      if (usage.cordoned(node)) {
        continue;
      }
      if (const std::optional<Block> block = best_block(usage, node, size)) {
        consider(best, *block, size);
      }
    }
    if (best) {
      return {size,
              best->node,
              best->island != kWholeNode,
              static_cast<std::uint16_t>(best->island == kWholeNode ? 0 : best->island),
              best->free,
              best->total,
              holders(usage, *best)};
    }
  }
  return {};
}

}  // namespace gpusched::frag
