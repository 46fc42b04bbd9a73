#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

/// Extended resources that devices serve on one node, with what the pod requests of them.
using ExtendedResources = std::map<std::string, std::int64_t>;

/// The requests that stand for the resources, named container-I-request-J and sorted by name: one per container and
/// resource; plain init containers reuse the devices of containers that run later and share one request.
/// Source: kube-scheduler 1.37, extendeddynamicresources.go.
[[nodiscard]] std::vector<objects::DeviceRequest> extended_resource_requests(const Cycle& cycle,
                                                                             const ExtendedResources& resources);

}  // namespace gpusched::kubescheduler
