#include "kubescheduler/volume_claims.hpp"

#include <fmt/format.h>

namespace gpusched::kubescheduler {

namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

}  // namespace

std::vector<ClaimUse> claims_of(const Snapshot& snapshot, const objects::Pod& pod) {
  std::vector<ClaimUse> claims;
  for (const objects::Volume& volume : pod.spec->volumes) {
    ClaimUse use;
    if (volume.persistent_volume_claim) {
      use.name = volume.persistent_volume_claim->claim_name;
    } else if (volume.ephemeral) {
      use.name = pod.meta.name + "-" + volume.name;
      use.ephemeral = true;
    } else {
      continue;
    }
    use.claim = snapshot.find_volume_claim(pod.meta.namespace_name, use.name);
    claims.push_back(std::move(use));
  }
  return claims;
}

std::string storage_class_of(const objects::PersistentVolumeClaim& claim) {
  const std::string* const annotated = objects::find(claim.meta.annotations, kClassAnnotation);
  return annotated != nullptr ? *annotated : claim.storage_class_name.value_or("");
}

std::string storage_class_of(const objects::PersistentVolume& volume) {
  const std::string* const annotated = objects::find(volume.meta.annotations, kClassAnnotation);
  return annotated != nullptr ? *annotated : volume.storage_class_name;
}

std::string ownership_error(const objects::PersistentVolumeClaim& claim, const objects::Pod& pod) {
  const objects::OwnerReference* const owner = objects::controller_of(claim.meta);
  if (owner != nullptr && owner->uid == pod.meta.uid) {
    return {};
  }
  return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)", claim.meta.namespace_name,
                     claim.meta.name, pod.meta.namespace_name, pod.meta.name);
}

std::string not_found(std::string_view resource, std::string_view name) {
  return fmt::format("{} \"{}\" not found", resource, name);
}

}  // namespace gpusched::kubescheduler
