#include "frag/free_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "gpusched/frag/island_range.hpp"

namespace gpusched::frag {

int FreeBlocks::add_node(const ClusterUsage& usage, NodeId node, BoardId only, std::optional<int> numa_node) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  int per_island[kMaxGpusPerNode];
  int island_sizes[kMaxGpusPerNode];
  std::fill_n(per_island, node_class.islands, 0);
  std::fill_n(island_sizes, node_class.islands, 0);
  const bool cordoned = usage.cordoned(node);  // takes no pods: what is free there is of use to nobody
  int free = 0;
  for (std::size_t i = 0; i < free_milli.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    if (gpu.mig || (only.valid() && gpu.board != only) || (numa_node && gpu.numa_node != *numa_node)) {
      continue;
    }
    if (gpu.replicas > 1) {
      ++time_sliced_.gpus;
      time_sliced_.replicas += gpu.replicas;
      time_sliced_.free_replicas += cordoned ? 0 : free_milli[i] / kWholeGpuMilli;
      continue;
    }
    ++total_;
    ++island_sizes[gpu.island];
    if (free_milli[i] == kWholeGpuMilli && cordoned) {
      ++cordoned_;
    } else if (free_milli[i] == kWholeGpuMilli) {
      ++free;
      ++per_island[gpu.island];
    }
  }
  free_ += free;
  add_block(node_blocks_, free);
  const std::span<const int> islands(island_sizes, node_class.islands);
  const auto exclusive = std::ranges::count_if(islands, [](int size) { return size > 0; });
  if (!node_class.islands_known && exclusive > 1) {
    add_unknown_islands(free);
    return free;
  }
  const int all = std::accumulate(islands.begin(), islands.end(), 0);
  if (usage.assumed(node) && exclusive > 1 && free > 0 && free < all) {
    add_open_islands(islands, free);
    return free;
  }
  for (std::size_t island = 0; island < node_class.islands; ++island) {
    add_block(island_blocks_, per_island[island]);
  }
  return free;
}

template <class Figure>
void FreeBlocks::add_ranges(Range largest, Figure&& pods) {
  const auto add = [&](Range& total, int size) {
    const Range range = pods(size);
    total.min += range.min;
    total.max += range.max;
  };
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    add(open_rows_[i], sizes_[i]);
  }
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    add(open_gangs_[i], gangs_[i].gpus_per_pod);
  }
  open_largest_ = {std::max(open_largest_.min, largest.min), std::max(open_largest_.max, largest.max)};
}

void FreeBlocks::add_open_islands(std::span<const int> islands, int free) {
  add_ranges(largest_free_island(islands, free), [&](int size) { return pods_within_islands(islands, free, size); });
}

// Every GPU may be an island of its own, or all of them one.
void FreeBlocks::add_unknown_islands(int free) {
  add_ranges({std::min(free, 1), free}, [&](int size) { return Range{size == 1 ? free : 0, free / size}; });
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
  const std::int64_t known_largest = largest(island_blocks_);
  ExclusiveGpus result{total_, free_, largest(node_blocks_), {}, {}, {}, cordoned_};
  result.largest_island = {std::max(known_largest, open_largest_.min), std::max(known_largest, open_largest_.max)};
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const std::int64_t by_count = pods_of(node_blocks_, sizes_[i]);
    const std::int64_t within = pods_of(island_blocks_, sizes_[i]);
    result.rows.push_back(
        {sizes_[i], by_count, {within + open_rows_[i].min, within + open_rows_[i].max}, free_ - by_count * sizes_[i]});
  }
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    const Gang& gang = gangs_[i];
    const std::int64_t within = pods_of(island_blocks_, gang.gpus_per_pod);
    result.gangs.push_back({gang,
                            pods_of(node_blocks_, gang.gpus_per_pod) / gang.pods,
                            {(within + open_gangs_[i].min) / gang.pods, (within + open_gangs_[i].max) / gang.pods}});
  }
  return result;
}

}  // namespace gpusched::frag
