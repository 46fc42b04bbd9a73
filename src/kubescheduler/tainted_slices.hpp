#pragma once

#include <vector>

#include "gpusched/objects/device_taint_rule.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::kubescheduler {

/// The slices with the taints of the rules on the devices that they name.
/// Source: k8s.io/dynamic-resource-allocation v0.37.2, resourceslice/tracker.
[[nodiscard]] std::vector<objects::ResourceSlice> apply_taint_rules(const std::vector<objects::ResourceSlice>& slices,
                                                                    const std::vector<objects::DeviceTaintRule>& rules);

}  // namespace gpusched::kubescheduler
