#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/gpustack.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/node.hpp"

namespace gpusched::chain {

/// The topology levels of a node, coarse to fine: the longest prefix of the source's levels for which the node has a
/// value, then kubernetes.io/hostname. A run of fabric.topograph.run/tier-N keys that counts up is turned around.
[[nodiscard]] std::vector<std::string> node_levels(std::span<const std::string> source_levels,
                                                   const objects::Labels& labels);

/// The levels of the one Ready source that selects the node; none when no source or several do.
[[nodiscard]] std::span<const std::string> source_levels(std::span<const objects::TopologySource> sources,
                                                         const objects::Labels& labels);

/// Why the levels of a source form no tree on the nodes that it selects, for which the operator calls it invalid
/// (InvalidHierarchy): a node has a level but none above it, or one value of a level is below two of the levels above.
[[nodiscard]] std::optional<std::string> hierarchy_problem(const objects::TopologySource& source,
                                                           std::span<const objects::Node> nodes);

/// What the operator refuses in a source: no levels or more than 16, one twice, hostname among them.
[[nodiscard]] Result<bool> check_source(const objects::TopologySource& source);

}  // namespace gpusched::chain
