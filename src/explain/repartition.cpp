#include <fmt/format.h>

#include <algorithm>

#include "explain/fixes.hpp"
#include "explain/node_labels.hpp"
#include "gpusched/mig/board.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::explain {

namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kMigPrefix = "nvidia.com/mig-";

bool is_gpu(std::string_view resource) {
  return resource == kGpu || resource.starts_with(kMigPrefix);
}

/// What the node offers of GPUs now; empty when a pod uses some of it, or when it cannot be repartitioned.
std::vector<std::string> unused_gpus(const Snapshot& snapshot, const NodeState& node) {
  std::vector<std::string> offered;
  if (label_of(*node.object, "nvidia.com/mig.capable") != "true" ||
      label_of(*node.object, "nvidia.com/mig.strategy") == "single") {
    return {};
  }
  for (const auto& [name, amount] : node.object->status.allocatable) {
    if (is_gpu(name)) {
      if (node.usage.of(snapshot.find_resource(name)) != 0) {
        return {};
      }
      offered.push_back(name);
    }
  }
  return offered;
}

/// How many of the resource the node would offer with all its GPUs cut alike; 0: it cannot.
std::int64_t amount_after(const objects::Node& node, std::string_view resource) {
  const std::int64_t gpus = label_number(node, "nvidia.com/gpu.count");
  if (resource == kGpu) {
    return gpus;
  }
  const std::int64_t memory = label_number(node, "nvidia.com/gpu.memory");
  const mig::Board* const board = mig::find_board(label_of(node, "nvidia.com/gpu.product"),
                                                  static_cast<std::uint64_t>(std::max<std::int64_t>(memory, 0)));
  const std::optional<mig::ProfileIndex> profile =
      board == nullptr ? std::nullopt : mig::find_profile(*board, resource);
  return profile ? gpus * board->profiles[*profile].max_instances : 0;
}

}  // namespace

/// The MIG manager repartitions a node without GPU workloads when the label nvidia.com/mig.config changes. Source:
/// NVIDIA gpu-operator; geometry: gpusched/mig.
void FixSearch::repartition() {
  constexpr std::size_t kMaxTries = 8;
  std::size_t tries = 0;
  for (const NodeGroup& group : question_.survey.groups) {
    const bool only_missing = group.obstacles.size() == 1 && group.has(Step::kNotOffered);
    if (!only_missing || !is_gpu(group.obstacles.front().what)) {
      continue;
    }
    const std::string& resource = group.obstacles.front().what;
    for (const NodeIndex index : group.nodes) {
      const NodeState& node = question_.snapshot.node(index);
      const std::vector<std::string> offered = unused_gpus(question_.snapshot, node);
      const std::int64_t amount = offered.empty() ? 0 : amount_after(*node.object, resource);
      if (amount < question_.survey.find(resource)->amount || ++tries > kMaxTries) {
        continue;
      }
      Plan plan;
      for (const std::string& old : offered) {
        plan.cluster.emplace_back(whatif::SetAllocatable{node.name(), old, 0});
      }
      plan.cluster.emplace_back(whatif::SetAllocatable{node.name(), resource, amount});
      const std::string config = resource == kGpu ? "all-disabled" : "all-" + resource.substr(kMigPrefix.size());
      if (try_plan(
              plan,
              fmt::format("repartition the unused GPUs of {} (label nvidia.com/mig.config={})", node.name(), config),
              node.name())) {
        return;
      }
    }
  }
}

}  // namespace gpusched::explain
