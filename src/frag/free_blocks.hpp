#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::frag {

/// Adds up the free exclusive GPUs of nodes, one node (and one board, where a node has several) at a time.
class FreeBlocks {
 public:
  FreeBlocks(std::span<const int> sizes, std::span<const Gang> gangs)
      : sizes_(sizes), gangs_(gangs), open_rows_(sizes.size()), open_gangs_(gangs.size()) {}

  /// Counts the GPUs of a node; with `only` valid just those of that board, with `numa_node` just those on it. Returns
  /// how many exclusive ones are free.
  int add_node(const ClusterUsage& usage, NodeId node, BoardId only = {}, std::optional<int> numa_node = std::nullopt);
  [[nodiscard]] ExclusiveGpus exclusive() const;
  [[nodiscard]] const TimeSlicedGpus& time_sliced() const { return time_sliced_; }

 private:
  void add_block(std::vector<std::int64_t>& blocks, int free);
  void add_open_islands(std::span<const int> islands, int free);
  void add_unknown_islands(int free);
  template <class Figure>
  void add_ranges(Range largest, Figure&& pods);
  [[nodiscard]] static std::int64_t pods_of(std::span<const std::int64_t> blocks, int size);

  std::span<const int> sizes_;
  std::span<const Gang> gangs_;
  std::int64_t total_ = 0, free_ = 0, cordoned_ = 0;
  // Number of nodes (islands) by how many of their GPUs are free: figures of any size follow from these few numbers.
  std::vector<std::int64_t> node_blocks_, island_blocks_;
  // Nodes on which it is open which GPUs are free.
  std::vector<Range> open_rows_, open_gangs_;  // pods by size, pods of a gang's size
  Range open_largest_;
  TimeSlicedGpus time_sliced_;
};

}  // namespace gpusched::frag
