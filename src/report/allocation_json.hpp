#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gpusched/objects/resource_claim.hpp"

namespace gpusched::report {

/// status.allocation as the API writes it: resource.k8s.io/v1, empty fields left out.
[[nodiscard]] nlohmann::ordered_json allocation_json(const objects::AllocationResult& allocation);

}  // namespace gpusched::report
