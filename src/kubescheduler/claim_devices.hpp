#pragma once

#include <memory>
#include <vector>

#include "gpusched/dra/allocator.hpp"
#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

/// The devices of the cluster, who holds them, and the allocator that knows it. A cycle makes its own unless it is part
/// of a series.
struct ClaimDevices {
  std::vector<objects::ResourceSlice> changed_slices;  ///< when the allocator does not see those of the objects
  std::span<const objects::ResourceSlice> slices;      ///< as the allocator sees them
  dra::InUse in_use;
  std::unique_ptr<dra::Allocator> allocator;

  void hold(const objects::AllocationResult& allocation, bool consumable_capacity) {
    in_use.add(allocation, consumable_capacity);
    allocator->refresh(allocation);
  }
};

/// `lenient`: pools of which slices are missing are used as they are, which old allocators do.
[[nodiscard]] std::shared_ptr<ClaimDevices> make_claim_devices(const Snapshot& snapshot, const SchedulerRules& rules,
                                                               dra::SelectorEvaluator& selectors, bool lenient);

}  // namespace gpusched::kubescheduler
