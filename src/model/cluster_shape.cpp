#include "gpusched/model/cluster_shape.hpp"

#include <algorithm>

namespace gpusched {

namespace {
constexpr std::int64_t kMiB = 1024 * 1024;
}

std::int32_t PodClass::gpu_memory_mib() const {
  return static_cast<std::int32_t>((gpu_memory_bytes + kMiB - 1) / kMiB);
}

NodeId ClusterShape::find_node(std::string_view name) const {
  const auto found = std::ranges::lower_bound(nodes_by_name, name, {}, [this](NodeId id) { return this->name(id); });
  return found != nodes_by_name.end() && this->name(*found) == name ? *found : NodeId{};
}

ResourceId ClusterShape::find_resource(std::string_view name) const {
  const auto found = std::ranges::find(resources, strings.find(name));
  return found == resources.end() ? ResourceId{} : ResourceId{static_cast<std::size_t>(found - resources.begin())};
}

}  // namespace gpusched
