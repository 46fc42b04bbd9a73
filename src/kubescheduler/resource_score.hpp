#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kubescheduler/cycle.hpp"

/// What NodeResourcesFit and NodeResourcesBalancedAllocation share in scoring. Source: kube-scheduler 1.37,
/// noderesources/resource_allocation.go.
namespace gpusched::kubescheduler {

struct ScoredResource {
  std::string name;
  ResourceIndex index;
  std::int64_t weight = 1;
  std::int64_t requested = 0;  ///< by the incoming pod
  bool left_out = false;       ///< a scalar that the pod does not ask for
  bool by_device_class = false;
};

[[nodiscard]] ScoredResource scored_resource(const Cycle& cycle, const objects::ResourceSpec& spec,
                                             const objects::PodRequestRules& rules, bool non_zero);

/// What the node has and what its pods use, {0, 0} for a resource that is left out. For cpu and memory `non_zero`
/// takes the usage with defaults.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> allocatable_and_allocated(const Cycle& cycle, NodeIndex node,
                                                                              const ScoredResource& resource,
                                                                              bool non_zero);

}  // namespace gpusched::kubescheduler
