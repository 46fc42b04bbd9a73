#pragma once

#include <span>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::frag {

/// How many of each gang fit when all pods of a gang must be in one NVLink domain, each inside one island. `domains`:
/// by NodeId, may be shorter; a node without one is a domain of its own. NVL72 racks have one domain of 18 nodes with
/// four GPUs each, unless the fabric manager cuts it into cliques.
[[nodiscard]] std::vector<Range> gangs_within_domains(const ClusterUsage& usage, std::span<const Gang> gangs,
                                                      std::span<const StringId> domains);

}  // namespace gpusched::frag
