#pragma once

#include <span>
#include <string_view>

#include "gpusched/objects/affinity.hpp"
#include "gpusched/objects/node.hpp"

/// How node selectors and taints meet nodes. Source: k8s.io/component-helpers v0.37.2, scheduling/corev1.
namespace gpusched::objects {

/// Expressions and fields must all hold. A term without any, and one that cannot be parsed, matches nothing.
[[nodiscard]] bool matches(const NodeSelectorTerm& term, const Labels& labels, std::string_view node_name);
/// One term must match.
[[nodiscard]] bool matches(const NodeSelector& selector, const Labels& labels, std::string_view node_name);

/// The first NoSchedule or NoExecute taint that nothing tolerates, or nullptr.
[[nodiscard]] const Taint* find_untolerated(std::span<const Taint> taints, std::span<const Toleration> tolerations,
                                            bool compare_numbers);

}  // namespace gpusched::objects
