#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/placement/place.hpp"

namespace gpusched::whatif {

/// One way to place the pods.
struct Alternative {
  std::string name;  ///< "policy=spread"
  placement::Options options;
};

/// What became of it.
struct ComparisonRow {
  std::string name;
  std::int64_t placed = 0;
  std::int64_t pending = 0;       ///< without a place at the end: Pending, or evicted
  std::int64_t evicted = 0;       ///< evictions of this run
  std::int64_t consequences = 0;  ///< things that go wrong at run time
  std::int64_t nodes = 0;         ///< nodes that got pods of this run
  frag::ExclusiveGpus exclusive;  ///< afterwards
  /// GPUs in use, in per cent of a node's: on the least and on the most used node that has exclusive GPUs; -1: none.
  std::int32_t least_used_percent = -1, most_used_percent = -1;
};

/// Places the same pods in several ways on the same cluster. The usage comes back equal.
[[nodiscard]] std::vector<ComparisonRow> compare(ClusterUsage& usage, std::span<const PodId> pods,
                                                 std::span<const Alternative> alternatives, std::span<const int> sizes);

}  // namespace gpusched::whatif
