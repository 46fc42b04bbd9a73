#pragma once

#include <set>
#include <span>

#include "gpusched/objects/node.hpp"
#include "gpusched/objects/storage.hpp"

/// How persistent volumes meet claims and nodes. Source: k8s.io/component-helpers v0.37.2, storage/volume.
namespace gpusched::kubescheduler {

[[nodiscard]] bool node_affinity_allows(const objects::PersistentVolume& volume, const objects::Node& node);

/// The volume that is bound to the claim beforehand, else the smallest one that satisfies it on the node, or nullptr.
/// Volumes in `taken` are left out.
[[nodiscard]] const objects::PersistentVolume* find_matching_volume(
    const objects::PersistentVolumeClaim& claim, std::span<const objects::PersistentVolume* const> volumes,
    const objects::Node& node, const std::set<const objects::PersistentVolume*>& taken);

/// The amount of "storage" in a list; zero when it is missing.
[[nodiscard]] Quantity storage_amount(const objects::ResourceList& resources);

}  // namespace gpusched::kubescheduler
