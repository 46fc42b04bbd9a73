#pragma once

#include <expected>
#include <optional>
#include <string>

#include "gpusched/dra/node_facts.hpp"
#include "gpusched/objects/node_selector.hpp"

namespace gpusched::dra {

/// Whether the node selector of a slice, device or allocation selects the node: terms are ORed, the requirements of a
/// term ANDed, an empty term selects nothing. Error: what of the selector cannot be parsed, as the real parser says it.
/// Rule: k8s.io/component-helpers v0.37.2, scheduling/corev1/nodeaffinity. Label keys and values are not validated.
[[nodiscard]] std::expected<bool, std::string> selects(const objects::NodeSelector& selector, const NodeFacts& node);

/// How a slice or device says for which nodes it is: the name, else all nodes, else the selector; none of them: no
/// node. Error: "failed to parse node selector ...".
[[nodiscard]] std::expected<bool, std::string> node_matches(const NodeFacts& node,
                                                            const std::optional<std::string>& node_name,
                                                            const std::optional<bool>& all_nodes,
                                                            const std::optional<objects::NodeSelector>& selector);

}  // namespace gpusched::dra
