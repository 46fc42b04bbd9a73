#pragma once

#include <set>
#include <string>

#include "render/html.hpp"

namespace gpusched::render::html {

/// The member `cluster` of a report as a map of nodes, islands, GPUs and MIG instances, with who holds what. Pods of
/// `placed` stand out from those that were there before; without any all holders have colours. "" without nodes.
[[nodiscard]] std::string cluster_map(const Json& cluster, const std::set<std::string>& placed);

}  // namespace gpusched::render::html
