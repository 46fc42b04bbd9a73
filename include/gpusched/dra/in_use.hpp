#pragma once

#include <compare>
#include <map>
#include <set>
#include <span>
#include <string>

#include "gpusched/objects/resource_claim.hpp"

namespace gpusched::dra {

/// Names a device of the cluster.
struct DeviceId {
  std::string driver, pool, device;

  [[nodiscard]] std::string to_string() const { return driver + "/" + pool + "/" + device; }
  auto operator<=>(const DeviceId&) const = default;
};

/// What existing claims hold.
struct InUse {
  std::set<DeviceId> devices;                           ///< nobody else may have them
  std::map<DeviceId, objects::Named<Quantity>> shared;  ///< devices with a share, and what all shares consume

  /// Adds what a claim with an allocation holds. Results with admin access hold nothing; without `consumable_capacity`
  /// a share holds its whole device. Rule: the scheduler's plugin DynamicResources, gathering of the allocated state.
  void add(const objects::AllocationResult& allocation, bool consumable_capacity);
};

[[nodiscard]] InUse in_use(std::span<const objects::ResourceClaim> claims, bool consumable_capacity);

}  // namespace gpusched::dra
