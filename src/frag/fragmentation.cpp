#include "gpusched/frag/fragmentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frag/blockers.hpp"
#include "frag/free_blocks.hpp"
#include "gpusched/mig/layout.hpp"
#include "gpusched/model/gpu_content.hpp"
#include "gpusched/model/node_pools.hpp"

namespace gpusched::frag {

namespace {

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : std::nearbyint(1000.0 * static_cast<double>(part) / static_cast<double>(whole)) / 10.0;
}

void add_mig_gpus(const ClusterUsage& usage, NodeId node, std::vector<MigGpu>& result) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const PodId> holders = usage.instance_holders(node);
  for (std::uint16_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    if (!node_class.gpus[gpu].mig) {
      continue;
    }
    MigGpu entry{node, gpu, {}, {}, {}, {}, false};
    for (const std::uint16_t i : instances_of(node_class, gpu)) {
      (holders[i].valid() ? entry.used : entry.free).push_back(i);
    }
    const auto by_start = [&](std::uint16_t i) { return node_class.instances[i].start; };
    std::ranges::sort(entry.used, {}, by_start);
    std::ranges::sort(entry.free, {}, by_start);
    if (const std::uint16_t index = usage.shape().board(node_class.gpus[gpu]).mig_board; index != kNoMigBoard) {
      std::vector<mig::Instance> busy;
      for (const std::uint16_t i : entry.used) {
        busy.push_back({node_class.instances[i].mig_profile, node_class.instances[i].start});
      }
      const mig::Board& board = mig::boards()[index];
      const mig::CouldAdd could_add = mig::could_add(board, busy);
      entry.could_add = could_add.base;
      entry.could_add_other = could_add.other;
      entry.geometry_known = board.starts_known;
    }
    result.push_back(std::move(entry));
  }
}

/// The different values of a member, in the order in which they come up.
template <class Value>
std::vector<Value> distinct(std::span<const Gpu> gpus, Value Gpu::* member) {
  std::vector<Value> values;
  for (const Gpu& gpu : gpus) {
    if (std::ranges::find(values, gpu.*member) == values.end()) {
      values.push_back(gpu.*member);
    }
  }
  return values;
}

}  // namespace

double SizeRow::stranded_percent(std::int64_t free) const {
  return percent(stranded, free);
}
double SizeRow::usable_percent(std::int64_t total) const {
  return percent(by_count * size, total);
}

Fragmentation fragmentation(const ClusterUsage& usage, std::span<const int> sizes, std::span<const Gang> gangs) {
  Fragmentation result;
  FreeBlocks blocks(sizes, gangs);
  for (const NodeId node : usage.shape().nodes_by_name) {
    if (blocks.add_node(usage, node) > 0) {
      result.free_nodes.push_back(node);
    }
    add_mig_gpus(usage, node, result.mig);
  }
  result.exclusive = blocks.exclusive();
  result.time_sliced = blocks.time_sliced();
  result.blockers = find_blockers(usage, result.exclusive.rows);
  return result;
}

std::vector<Group> fragmentation_by(const ClusterUsage& usage, std::span<const int> sizes, GroupBy by,
                                    std::span<const Gang> gangs, std::span<const StringId> domains) {
  const ClusterShape& shape = usage.shape();
  std::map<std::string, FreeBlocks, std::less<>> groups;
  const std::string_view unnamed = by == GroupBy::kModel || by == GroupBy::kNuma ? "(unknown)" : "(none)";
  const auto blocks = [&](std::string_view name) -> FreeBlocks& {
    return groups.try_emplace(std::string(name.empty() ? unnamed : name), sizes, gangs).first->second;
  };
  const auto name_of = [&](NodeId node) -> std::string_view {
    if (by == GroupBy::kDomain) {
      return node.index() < domains.size() ? shape.text(domains[node.index()]) : std::string_view();
    }
    return by == GroupBy::kNode ? shape.name(node) : pool_of(shape, usage.node_class(node));
  };
  for (const NodeId node : shape.nodes_by_name) {
    const NodeClass& node_class = usage.node_class(node);
    if (by == GroupBy::kModel) {
      for (const BoardId board : distinct(node_class.gpus, &Gpu::board)) {
        blocks(shape.text(shape.boards[board.index()].model)).add_node(usage, node, board);
      }
    } else if (by == GroupBy::kNuma) {
      for (const std::int16_t numa_node : distinct(node_class.gpus, &Gpu::numa_node)) {
        blocks(numa_node < 0 ? std::string() : fmt::format("{}/numa-{}", shape.name(node), numa_node))
            .add_node(usage, node, {}, numa_node);
      }
    } else if (!node_class.gpus.empty()) {
      blocks(name_of(node)).add_node(usage, node);
    }
  }
  std::vector<Group> result;
  for (const auto& [name, group] : groups) {
    result.push_back({name, group.exclusive(), group.time_sliced()});
  }
  return result;
}

}  // namespace gpusched::frag
