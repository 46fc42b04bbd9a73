#pragma once

#include <set>
#include <string>

#include "render/html.hpp"

namespace gpusched::render::html {

/// The member `cluster` of a report as a map of nodes, islands, GPUs and MIG instances, with who holds what. Pods of
/// `placed` stand out from those that were there before; without any all holders have colours, those that `colors` has
/// already in any map of the page. "" without nodes.
[[nodiscard]] std::string cluster_map(const Json& cluster, const std::set<std::string>& placed, PodColors& colors);

}  // namespace gpusched::render::html
