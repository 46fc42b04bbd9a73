#pragma once

#include <span>

#include "gpusched/objects/device_taint_rule.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// Adds the taints of the rules, in their order, to the devices that they select, as the scheduler does before it
/// allocates. Rule: k8s.io/dynamic-resource-allocation v0.37.2, resourceslice/tracker.
void apply_taint_rules(std::span<const objects::DeviceTaintRule> rules, std::span<objects::ResourceSlice> slices);

}  // namespace gpusched::dra
