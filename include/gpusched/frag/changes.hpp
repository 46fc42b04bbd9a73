#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::frag {

/// A pod that came to a node or left it, and the exclusive GPUs, replicas and MIG instances that it holds or held.
struct MovedPod {
  std::string pod;
  std::int64_t gpus = 0;

  bool operator==(const MovedPod&) const = default;
};

/// One node on which something changed.
struct NodeChange {
  std::string node;
  std::optional<std::int64_t> free_before, free_after;  ///< exclusive GPUs; none: the node was (is) not there
  std::vector<MovedPod> arrived, left;                  ///< most GPUs first, then by name

  bool operator==(const NodeChange&) const = default;
};

/// How a cluster differs from what it was.
struct Changes {
  ExclusiveGpus before;
  std::vector<NodeChange> nodes;  ///< those that lost most free GPUs first, then by name
};

/// Compares two states of a cluster by the names of nodes and pods. Pods without GPUs are left out.
[[nodiscard]] Changes changes(const ClusterUsage& before, const ClusterUsage& after, std::span<const int> sizes,
                              std::span<const Gang> gangs = {});

}  // namespace gpusched::frag
