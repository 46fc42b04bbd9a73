#pragma once

#include <span>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/node.hpp"

namespace gpusched::whatif {

/// "unknown-node", with the nearest name.
[[nodiscard]] std::unexpected<Diagnostics> unknown_node(std::string_view name, std::span<const objects::Node> nodes);
[[nodiscard]] std::unexpected<Diagnostics> unknown_node(std::string_view name, std::span<const std::string_view> names);
/// "no-node-matches": a label selector without a node.
[[nodiscard]] std::unexpected<Diagnostics> no_node_matches(std::string_view selector);
/// "unknown-pod".
[[nodiscard]] std::unexpected<Diagnostics> unknown_pod(std::string_view namespace_name, std::string_view name);
[[nodiscard]] std::unexpected<Diagnostics> unknown_pod(std::string_view name, std::span<const std::string_view> names);

}  // namespace gpusched::whatif
