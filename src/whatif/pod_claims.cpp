#include "whatif/pod_claims.hpp"

#include <algorithm>

namespace gpusched::whatif {

void ClaimUsers::insert(const objects::Pod& pod) {
  names.emplace(pod.meta.namespace_name, pod.meta.name);
  if (!pod.meta.uid.empty()) {
    uids.insert(pod.meta.uid);
  }
}

bool is_reserved_for(const objects::ResourceClaim& claim, const ClaimUsers& pods) {
  return std::ranges::any_of(claim.reserved_for,
                             [&](const auto& user) { return pods.names.contains({claim.namespace_name, user.name}); });
}

void free_claim(objects::ResourceClaim& claim, const ClaimUsers& pods) {
  const auto leaves = [&](const auto& user) { return pods.names.contains({claim.namespace_name, user.name}); };
  if (std::erase_if(claim.reserved_for, leaves) > 0 && claim.reserved_for.empty()) {
    claim.allocation.reset();
  }
}

bool is_spent(const objects::ResourceClaim& claim, const ClaimUsers& pods) {
  return claim.for_extended_resources && !claim.allocation && pods.uids.contains(claim.owner_uid);
}

}  // namespace gpusched::whatif
