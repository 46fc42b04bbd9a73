#pragma once

#include <list>
#include <string>
#include <vector>

#include "gpusched/dra/pools.hpp"
#include "gpusched/kubescheduler/rules.hpp"
#include "gpusched/objects/resource_claim.hpp"
#include "kubescheduler/pod_claims.hpp"

/// The differences of older device allocators, laid around the allocator of 1.37.
/// Source: k8s.io/dynamic-resource-allocation v0.34.2 to v0.36.5, structured/internal.
namespace gpusched::kubescheduler {

/// Why an older allocator does not even start on the claims; "" when it does.
[[nodiscard]] std::string refusal_of_old_allocator(const AllocatorRules& rules, const ClaimList& claims,
                                                   const std::vector<dra::Pool>& pools);

/// The claims as an older allocator understands them. Changed copies are kept in `kept`.
[[nodiscard]] ClaimList claims_for_old_allocator(const AllocatorRules& rules, ClaimList claims,
                                                 std::list<objects::ResourceClaim>& kept);

/// Slices whose pools count as complete where an older allocator does not mind.
void complete_pools(std::vector<objects::ResourceSlice>& slices);

/// An error of the allocator in the words of the release.
[[nodiscard]] std::string error_of_old_allocator(const AllocatorRules& rules, std::string error,
                                                 const ClaimList& claims);

}  // namespace gpusched::kubescheduler
