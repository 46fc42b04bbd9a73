#pragma once

#include <expected>
#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

/// The claim of an entry of spec.resourceClaims.
struct ClaimName {
  std::string name;        ///< "": no claim is needed
  bool generated = false;  ///< from a template, so that it must be the pod's
};

/// Or why it has no name yet.
[[nodiscard]] std::expected<ClaimName, std::string> name_of_claim(const objects::Pod& pod,
                                                                  const objects::PodResourceClaim& entry);

using ClaimList = std::vector<const objects::ResourceClaim*>;

/// The claims of spec.resourceClaims in their order, without entries that need none; or the text of the first one that
/// is missing, being deleted, or another pod's. Source: kube-scheduler 1.37, dynamicresources.go.
[[nodiscard]] std::expected<ClaimList, std::string> find_pod_claims(const Cycle& cycle);

/// The claim that the scheduler made for the pod's extended resources in an earlier attempt, or nullptr.
[[nodiscard]] const objects::ResourceClaim* find_extended_resource_claim(const Cycle& cycle);

/// Why a request of an unallocated claim cannot be looked at; "" for a claim in order. `is_error`: the attempt fails.
[[nodiscard]] std::string request_error(const Cycle& cycle, const objects::ResourceClaim& claim, bool& is_error);

}  // namespace gpusched::kubescheduler
