#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dra/amount.hpp"
#include "gpusched/base/quantity.hpp"
#include "gpusched/objects/resource_claim.hpp"

namespace gpusched::dra {

/// What a request takes of a device's capacities, whatever else is taken of it.
/// Rule: structured/internal/*/consumable_capacity.go of k8s.io/dynamic-resource-allocation v0.37.2.
struct CapacityNeed {
  bool possible = false;          ///< false: it asks for a capacity that is not there, or a policy forbids it
  std::string error;              ///< "capacity \"mem\": ...": ends the allocation; looked at before `possible` is
  std::vector<Quantity> amounts;  ///< one per capacity of the device, in their order
};

/// `fractional_range`: the feature FractionalCapacityRange.
[[nodiscard]] CapacityNeed capacity_need(const std::optional<objects::CapacityRequirements>& requested,
                                         const objects::Named<objects::DeviceCapacity>& capacities,
                                         bool fractional_range);

}  // namespace gpusched::dra
