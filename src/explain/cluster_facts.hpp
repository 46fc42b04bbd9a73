#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/job_groups.hpp"
#include "gpusched/explain/explain.hpp"

namespace gpusched::explain {

/// What the explanations of all pods of a cluster share: found once, at the first pod that does not fit.
struct ClusterFacts {
  explicit ClusterFacts(const kubescheduler::Snapshot& snapshot);

  std::vector<std::string_view> pools;       ///< their names, sorted; "" for nodes without one
  std::vector<std::uint32_t> pool_of_node;   ///< by node: index into pools
  std::vector<std::uint32_t> taint_classes;  ///< by node: equal numbers, equal taints
  std::vector<Finding> operator_states;
  std::vector<kubescheduler::PodIndex> terminating;  ///< pods with a node that are being deleted
  HalfPlacedJobs half_placed;

  /// The nodes by what is free of a resource, least first, found once for each resource.
  [[nodiscard]] const std::vector<std::pair<std::int64_t, kubescheduler::NodeIndex>>& by_free(
      const kubescheduler::Snapshot& snapshot, kubescheduler::ResourceIndex resource);

  /// The values that nodes have of a label, found once for each key.
  [[nodiscard]] const std::set<std::string>& values_of(const kubescheduler::Snapshot& snapshot, const std::string& key);

  // Filled as they are asked for.
  std::map<std::string, std::vector<Finding>> traps;  ///< by resource
  /// By resource, "" for devices of claims, and nodes.
  std::map<std::pair<std::string, std::uint64_t>, std::vector<Finding>> holders;
  std::map<std::string, std::set<std::string>> label_values;
  std::map<kubescheduler::ResourceIndex, std::vector<std::pair<std::int64_t, kubescheduler::NodeIndex>>> free_lists;
};

}  // namespace gpusched::explain
