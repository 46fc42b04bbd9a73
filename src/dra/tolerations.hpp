#pragma once

#include <span>

#include "gpusched/objects/resource_claim.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// The first taint that keeps a device from a request with these tolerations; nullptr when there is none.
/// Rule: effects NoSchedule and NoExecute count; how long something is tolerated does not matter.
[[nodiscard]] const objects::DeviceTaint* untolerated(std::span<const objects::DeviceTaint> taints,
                                                      std::span<const objects::DeviceToleration> tolerations);

}  // namespace gpusched::dra
