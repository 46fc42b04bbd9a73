#pragma once

#include <expected>
#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

using ClaimList = std::vector<const objects::ResourceClaim*>;

/// The claims of spec.resourceClaims in their order, without entries that need none; or the text of the first one that
/// is missing, being deleted, or another pod's. Source: kube-scheduler 1.37, dynamicresources.go.
[[nodiscard]] std::expected<ClaimList, std::string> find_pod_claims(const Snapshot& snapshot, const objects::Pod& pod,
                                                                    const SchedulerRules& rules);

/// The claim that the scheduler made for the pod's extended resources in an earlier attempt, or nullptr.
[[nodiscard]] const objects::ResourceClaim* find_extended_resource_claim(const Cycle& cycle);

/// Why a request of an unallocated claim cannot be looked at; "" for a claim in order. `is_error`: the attempt fails.
[[nodiscard]] std::string request_error(const Cycle& cycle, const objects::ResourceClaim& claim, bool& is_error);

}  // namespace gpusched::kubescheduler
