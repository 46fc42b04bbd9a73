#pragma once

#include <cstdint>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::scoring {

/// What a pod asks for of a resource; 0 when it does not name it. Pods name few resources, so a scan is fastest.
inline std::int64_t request_of(const PodClass& pod, ResourceId resource) {
  for (const auto& [id, amount] : pod.requests) {
    if (id == resource) {
      return amount;
    }
  }
  return 0;
}

/// Extended resources, hugepages, attachable volumes: what a pod must ask for to have it scored.
constexpr bool is_scalar(ResourceId resource) {
  return resource != kCpu && resource != kMemory && resource != kEphemeralStorage;
}

/// Allocatable of a resource on a node, or 0 when no plugin scores it there: unknown resource, not modelled, none, or
/// `pods`, which kube-scheduler keeps outside the resources that it scores.
inline std::int64_t scored_allocatable(const NodeClass& node_class, ResourceId resource) {
  if (resource == kPods || resource.index() >= node_class.allocatable.size()) {
    return 0;
  }
  const std::int64_t amount = node_class.allocatable[resource.index()];
  return amount > 0 ? amount : 0;
}

}  // namespace gpusched::scoring
