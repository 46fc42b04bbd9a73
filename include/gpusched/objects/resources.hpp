#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/quantity.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::objects {

/// Amounts by resource name, in input order: "cpu", "memory", "nvidia.com/gpu".
using ResourceList = Named<Quantity>;

/// A container's use of a claim of the pod.
struct ResourceClaimUse {
  std::string name;     ///< in spec.resourceClaims
  std::string request;  ///< "": the whole claim

  bool operator==(const ResourceClaimUse&) const = default;
};

struct ResourceRequirements {
  ResourceList requests, limits;
  std::vector<ResourceClaimUse> claims;

  bool operator==(const ResourceRequirements&) const = default;
};

/// requests and limits as a status reports them; an absent list is not an empty one.
struct ReportedResources {
  std::optional<ResourceList> requests, limits;

  bool operator==(const ReportedResources&) const = default;
};

// How Kubernetes sorts resource names: k8s.io/component-helpers v0.37.2 and pkg/apis/core/v1/helper.

/// "hugepages-2Mi".
[[nodiscard]] bool is_hugepages(std::string_view name);
/// A domain prefix that is not Kubernetes' own, no quota name ("requests."): what device plugins offer.
[[nodiscard]] bool is_extended_resource(std::string_view name);
/// What the scheduler counts beside cpu, memory, ephemeral-storage and pods; anything else is not looked at.
[[nodiscard]] bool is_scalar_resource(std::string_view name);

}  // namespace gpusched::objects
