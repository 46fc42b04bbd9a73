#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/model/cluster_shape.hpp"

/// Lists of amounts by ResourceId, as NodeClass::allocatable is one. They may be shorter than the number of resources.
namespace gpusched {

/// What a node has of a resource that it does not name: cpu, memory, ephemeral-storage and pods of a fixture are not
/// modelled then; any other resource is simply not there.
[[nodiscard]] constexpr std::int64_t absent_amount(std::size_t resource) {
  return resource <= kPods.index() ? kNotModelled : 0;
}

/// Makes a list that long at least.
inline void fill_absent(std::vector<std::int64_t>& allocatable, std::size_t resources) {
  while (allocatable.size() < resources) {
    allocatable.push_back(absent_amount(allocatable.size()));
  }
}

/// Sets the amount of one resource, in a list that need not have it yet.
inline void set_amount(std::vector<std::int64_t>& allocatable, ResourceId resource, std::int64_t amount) {
  fill_absent(allocatable, resource.index() + 1);
  allocatable[resource.index()] = amount;
}

}  // namespace gpusched
