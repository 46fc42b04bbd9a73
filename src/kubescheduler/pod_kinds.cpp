#include "kubescheduler/pod_kinds.hpp"

#include <algorithm>
#include <span>

#include "kubescheduler/pod_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

/// How many kinds with claims are compared before a pod counts as a kind of its own.
constexpr std::size_t kMostCompared = 64;

/// Whether the entries differ in the names of claims only.
bool same_uses(std::span<const objects::PodResourceClaim> a, std::span<const objects::PodResourceClaim> b) {
  return std::ranges::equal(a, b, [](const objects::PodResourceClaim& left, const objects::PodResourceClaim& right) {
    return left.name == right.name && left.claim_name.has_value() == right.claim_name.has_value() &&
           left.template_name == right.template_name;
  });
}

}  // namespace

std::size_t PodKinds::HashParts::operator()(const Parts& parts) const {
  std::size_t hash = std::hash<std::string_view>()(parts.name_space);
  for (const void* const part : {parts.spec, parts.labels, parts.owners}) {
    hash = hash * 0x9e37'79b9'7f4a'7c15ULL + std::hash<const void*>()(part);
  }
  return hash;
}

KindIndex PodKinds::kind_of(PodIndex index, ClaimIndices& claims) {
  claims.clear();
  const objects::Pod& pod = *snapshot_.pod(index).object;
  const bool has_own_volume = std::ranges::any_of(pod.spec->volumes, &objects::Volume::ephemeral);
  if (pod.meta.deletion_timestamp || !pod.nominated_node_name.empty() || has_own_volume || !find_claims(pod, claims)) {
    return {};
  }
  std::optional<KindIndex>& kind = kind_of_pod_[index.index()];
  if (!kind) {
    kind = find_kind(pod, claims);
  }
  return *kind;
}

/// False when a claim is not there, not the pod's alone, or has devices.
bool PodKinds::find_claims(const objects::Pod& pod, ClaimIndices& claims) const {
  const auto found = find_pod_claims(snapshot_, pod, rules_);
  if (!found) {
    return false;
  }
  for (const objects::ResourceClaim* const claim : *found) {
    const auto number = static_cast<std::size_t>(claim - snapshot_.resource_claims().data());
    if (claim->allocation || !claim->reserved_for.empty() || std::ranges::find(claims, number) != claims.end()) {
      return false;
    }
    claims.push_back(number);
  }
  return true;
}

KindIndex PodKinds::find_kind(const objects::Pod& pod, const ClaimIndices& claims) {
  Parts parts{&*pod.spec, &*pod.meta.labels, &*pod.meta.owner_references, pod.meta.namespace_name};
  if (!pod.spec->resource_claims.empty()) {
    parts.spec = nullptr;
    return kind_with_claims(pod, parts, claims);
  }
  const auto [entry, is_new] = kinds_.try_emplace(parts);
  if (is_new) {
    entry->second = KindIndex(count_++);
  }
  return entry->second;
}

bool PodKinds::asks_for_the_same(const WithClaims& kind, const ClaimIndices& claims) const {
  return std::ranges::equal(kind.claims, claims, [&](const objects::DeviceClaim& wanted, std::size_t claim) {
    return snapshot_.resource_claims()[claim].devices == wanted;
  });
}

KindIndex PodKinds::kind_with_claims(const objects::Pod& pod, const Parts& parts, const ClaimIndices& claims) {
  std::vector<WithClaims>& known = with_claims_[parts];
  for (WithClaims& kind : known) {
    if (!same_uses(kind.spec.resource_claims, pod.spec->resource_claims) || !asks_for_the_same(kind, claims)) {
      continue;
    }
    kind.spec.resource_claims = pod.spec->resource_claims;  // so that only the rest is compared
    if (kind.spec == *pod.spec) {
      return kind.kind;
    }
  }
  if (known.size() == kMostCompared) {
    return {};
  }
  WithClaims& added = known.emplace_back(WithClaims{KindIndex(count_++), pod.spec, {}});
  for (const std::size_t claim : claims) {
    added.claims.push_back(snapshot_.resource_claims()[claim].devices);
  }
  return added.kind;
}

}  // namespace gpusched::kubescheduler
