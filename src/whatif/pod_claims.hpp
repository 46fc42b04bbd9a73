#pragma once

#include <set>
#include <string>
#include <utility>

#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/resource_claim.hpp"

/// What happens to ResourceClaims when pods leave. Source: pkg/controller/resourceclaim.
namespace gpusched::whatif {

/// Pods by what claims know of them.
struct ClaimUsers {
  std::set<std::pair<std::string, std::string>> names;  ///< namespace, name
  std::set<std::string> uids;

  void insert(const objects::Pod& pod);
};

/// Whether the claim is reserved for one of the pods.
[[nodiscard]] bool is_reserved_for(const objects::ResourceClaim& claim, const ClaimUsers& pods);

/// The pods give a claim back: when nobody else uses it, it loses its allocation.
void free_claim(objects::ResourceClaim& claim, const ClaimUsers& pods);

/// Whether the claim was made by the scheduler for extended resources of one of the pods, and holds nothing any more:
/// such a claim goes with its pod.
[[nodiscard]] bool is_spent(const objects::ResourceClaim& claim, const ClaimUsers& pods);

}  // namespace gpusched::whatif
