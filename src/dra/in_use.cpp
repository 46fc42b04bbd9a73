#include "gpusched/dra/in_use.hpp"

#include <algorithm>
#include <utility>

namespace gpusched::dra {

void InUse::add(const objects::AllocationResult& allocation, bool consumable_capacity) {
  for (const objects::DeviceRequestAllocationResult& result : allocation.results) {
    if (result.admin_access.value_or(false)) continue;
    DeviceId id{result.driver, result.pool, result.device};
    if (!consumable_capacity || !result.share_id) {
      devices.insert(std::move(id));
      continue;
    }
    objects::Named<Quantity>& consumed = shared[std::move(id)];
    if (!result.consumed_capacity) continue;
    for (const auto& [name, amount] : *result.consumed_capacity) {
      const auto found = std::ranges::find(consumed, name, &std::pair<std::string, Quantity>::first);
      if (found == consumed.end()) {
        consumed.emplace_back(name, amount);
      } else {
        found->second.add(amount);
      }
    }
  }
}

InUse in_use(std::span<const objects::ResourceClaim> claims, bool consumable_capacity) {
  InUse held;
  for (const objects::ResourceClaim& claim : claims) {
    if (claim.allocation) held.add(*claim.allocation, consumable_capacity);
  }
  return held;
}

}  // namespace gpusched::dra
