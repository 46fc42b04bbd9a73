#include "gpusched/frag/domains.hpp"

#include <map>

#include "frag/free_blocks.hpp"

namespace gpusched::frag {

std::vector<Range> gangs_within_domains(const ClusterUsage& usage, std::span<const Gang> gangs,
                                        std::span<const StringId> domains) {
  std::map<StringId, FreeBlocks> blocks;
  std::vector<Range> result(gangs.size());
  const auto add = [&](const FreeBlocks& domain) {
    const std::vector<GangRow> rows = domain.exclusive().gangs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      result[i].min += rows[i].within_island.min;
      result[i].max += rows[i].within_island.max;
    }
  };
  for (const NodeId node : usage.shape().nodes_by_name) {
    const StringId domain = node.index() < domains.size() ? domains[node.index()] : StringId{};
    if (domain.valid()) {
      blocks.try_emplace(domain, std::span<const int>(), gangs).first->second.add_node(usage, node);
    } else {
      FreeBlocks alone({}, gangs);
      alone.add_node(usage, node);
      add(alone);
    }
  }
  for (const auto& [domain, nodes] : blocks) {
    add(nodes);
  }
  return result;
}

}  // namespace gpusched::frag
