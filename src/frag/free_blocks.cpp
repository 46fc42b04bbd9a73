#include "frag/free_blocks.hpp"

#include <algorithm>

namespace gpusched::frag {

int FreeBlocks::add_node(const ClusterUsage& usage, NodeId node, BoardId only) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  std::uint16_t per_island[kMaxGpusPerNode];
  std::fill_n(per_island, node_class.islands, std::uint16_t{0});
  int free = 0;
  for (std::size_t i = 0; i < free_milli.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    if (gpu.mig || (only.valid() && gpu.board != only)) {
      continue;
    }
    if (gpu.replicas > 1) {
      ++time_sliced_.gpus;
      time_sliced_.replicas += gpu.replicas;
      time_sliced_.free_replicas += free_milli[i] / kWholeGpuMilli;
      continue;
    }
    ++total_;
    if (free_milli[i] == kWholeGpuMilli) {
      ++free;
      ++per_island[gpu.island];
    }
  }
  free_ += free;
  add_block(node_blocks_, free);
  for (std::size_t island = 0; island < node_class.islands; ++island) {
    add_block(island_blocks_, per_island[island]);
  }
  return free;
}

void FreeBlocks::add_block(std::vector<std::int64_t>& blocks, int free) {
  const auto size = static_cast<std::size_t>(free);
  if (blocks.size() <= size) {
    blocks.resize(size + 1);
  }
  ++blocks[size];
}

std::int64_t FreeBlocks::pods_of(std::span<const std::int64_t> blocks, int size) {
  std::int64_t pods = 0;
  for (std::size_t free = 0; free < blocks.size(); ++free) {
    pods += blocks[free] * (static_cast<std::int64_t>(free) / size);
  }
  return pods;
}

ExclusiveGpus FreeBlocks::exclusive() const {
  const auto largest = [](const std::vector<std::int64_t>& blocks) {
    return blocks.empty() ? 0 : static_cast<int>(blocks.size()) - 1;
  };
  ExclusiveGpus result{total_, free_, largest(node_blocks_), largest(island_blocks_), {}, {}};
  for (const int size : sizes_) {
    const std::int64_t by_count = pods_of(node_blocks_, size);
    result.rows.push_back({size, by_count, pods_of(island_blocks_, size), free_ - by_count * size});
  }
  for (const Gang& gang : gangs_) {
    result.gangs.push_back({gang, pods_of(node_blocks_, gang.gpus_per_pod) / gang.pods,
                            pods_of(island_blocks_, gang.gpus_per_pod) / gang.pods});
  }
  return result;
}

}  // namespace gpusched::frag
