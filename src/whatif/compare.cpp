#include "gpusched/whatif/compare.hpp"

#include <algorithm>

namespace gpusched::whatif {

namespace {

void add_placements(const ClusterUsage& usage, std::span<const PodId> pods, ComparisonRow& row) {
  std::vector<NodeId> nodes;
  for (const PodId pod : pods) {
    if (usage.node_of(pod).valid()) {
      nodes.push_back(usage.node_of(pod));
    }
  }
  row.placed = std::ssize(nodes);
  std::ranges::sort(nodes);
  row.nodes = std::ranges::unique(nodes).begin() - nodes.begin();
}

/// How evenly the exclusive GPUs are used.
void add_balance(const ClusterUsage& usage, ComparisonRow& row) {
  for (const NodeId node : usage.shape().nodes_by_name) {
    const std::vector<Gpu>& gpus = usage.node_class(node).gpus;
    const std::span<const std::int32_t> free_milli = usage.free_milli(node);
    std::int32_t total = 0;
    std::int32_t busy = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (!gpus[i].mig && gpus[i].replicas == 1) {
        ++total;
        busy += free_milli[i] < kWholeGpuMilli ? 1 : 0;
      }
    }
    if (total == 0) {
      continue;
    }
    const std::int32_t percent = busy * 100 / total;
    const bool first = row.least_used_percent < 0;
    row.least_used_percent = first ? percent : std::min(row.least_used_percent, percent);
    row.most_used_percent = std::max(row.most_used_percent, percent);
  }
}

}  // namespace

std::vector<ComparisonRow> compare(ClusterUsage& usage, std::span<const PodId> pods,
                                   std::span<const Alternative> alternatives, std::span<const int> sizes) {
  std::vector<ComparisonRow> rows;
  for (const Alternative& alternative : alternatives) {
    const ClusterUsage::Mark mark = usage.mark();
    const placement::PlacementResult result = placement::place_pods(usage, pods, alternative.options);
    ComparisonRow& row = rows.emplace_back();
    row.name = alternative.name;
    row.pending = static_cast<std::int64_t>(result.unplaced());
    for (const placement::PodOutcome& outcome : result.pods) {
      row.evicted += std::ssize(outcome.victims);
      row.consequences += std::ssize(outcome.consequences);
    }
    add_placements(usage, pods, row);
    add_balance(usage, row);
    row.exclusive = frag::fragmentation(usage, sizes).exclusive;
    usage.revert(mark);
  }
  return rows;
}

}  // namespace gpusched::whatif
