#include "kubescheduler/volume_matching.hpp"

#include <algorithm>

#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/volume_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

bool bound_to(const objects::PersistentVolume& volume, const objects::PersistentVolumeClaim& claim) {
  return volume.claim_ref && volume.claim_ref->name == claim.meta.name &&
         volume.claim_ref->namespace_name == claim.meta.namespace_name &&
         (volume.claim_ref->uid.empty() || volume.claim_ref->uid == claim.meta.uid);
}

std::string_view mode_of(std::string_view mode) {
  return mode.empty() ? "Filesystem" : mode;
}

/// What must hold whether or not the volume is bound to the claim.
bool can_serve(const objects::PersistentVolume& volume, const objects::PersistentVolumeClaim& claim) {
  return (!volume.claim_ref || bound_to(volume, claim)) &&
         storage_amount(volume.capacity) >= storage_amount(claim.requests) &&
         mode_of(volume.volume_mode) == mode_of(claim.volume_mode) &&
         volume.volume_attributes_class_name.value_or("") == claim.volume_attributes_class_name.value_or("") &&
         !volume.meta.deletion_timestamp;
}

bool is_free_choice(const objects::PersistentVolume& volume, const objects::PersistentVolumeClaim& claim) {
  const auto has_mode = [&](const std::string& mode) {
    return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
  };
  return volume.phase == "Available" && (!claim.selector || matches(*claim.selector, volume.meta.labels)) &&
         storage_class_of(volume) == storage_class_of(claim) && std::ranges::all_of(claim.access_modes, has_mode);
}

}  // namespace

Quantity storage_amount(const objects::ResourceList& resources) {
  const Quantity* const amount = objects::find(resources, "storage");
  return amount == nullptr ? Quantity() : *amount;
}

bool node_affinity_allows(const objects::PersistentVolume& volume, const objects::Node& node) {
  return !volume.node_affinity || matches(*volume.node_affinity, node.meta.labels, "");
}

const objects::PersistentVolume* find_matching_volume(const objects::PersistentVolumeClaim& claim,
                                                      std::span<const objects::PersistentVolume* const> volumes,
                                                      const objects::Node& node,
                                                      const std::set<const objects::PersistentVolume*>& taken) {
  const objects::PersistentVolume* smallest = nullptr;
  for (const objects::PersistentVolume* const volume : volumes) {
    if (taken.contains(volume) || !can_serve(*volume, claim)) {
      continue;
    }
    const bool allowed = node_affinity_allows(*volume, node);
    if (bound_to(*volume, claim)) {
      return allowed ? volume : nullptr;
    }
    if (allowed && is_free_choice(*volume, claim) &&
        (smallest == nullptr || storage_amount(smallest->capacity) > storage_amount(volume->capacity))) {
      smallest = volume;
    }
  }
  return smallest;
}

}  // namespace gpusched::kubescheduler
