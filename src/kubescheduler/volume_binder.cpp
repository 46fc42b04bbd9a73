#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubescheduler/volume_binding.hpp"
#include "kubescheduler/volume_claims.hpp"
#include "kubescheduler/volume_matching.hpp"

namespace gpusched::kubescheduler {

namespace {

using objects::PersistentVolumeClaim;

constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

/// Whether each set of volumes can be had on a node.
struct Satisfied {
  bool bound = true, unbound = true, storage = true, volumes_exist = true;

  [[nodiscard]] Reasons reasons() const {
    Reasons reasons;
    const auto add = [&](bool satisfied, const char* text) {
      if (!satisfied) {
        reasons.emplace_back(text);
      }
    };
    add(bound, "node(s) didn't match PersistentVolume's node affinity");
    add(unbound, "node(s) didn't find available persistent volumes to bind");
    add(storage, "node(s) did not have enough free storage");
    add(volumes_exist, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    return reasons;
  }
};

void check_bound(const Snapshot& snapshot, const PodVolumeClaims& claims, const objects::Node& node,
                 Satisfied& satisfied) {
  for (const PersistentVolumeClaim* const claim : claims.bound) {
    const objects::PersistentVolume* const volume = snapshot.find_volume(claim->volume_name);
    if (volume == nullptr) {
      satisfied.volumes_exist = false;
      return;
    }
    if (!node_affinity_allows(*volume, node)) {
      satisfied.bound = false;
      return;
    }
  }
}

bool topology_allows(const objects::StorageClass& storage_class, const objects::Node& node) {
  const auto holds = [&](const objects::TopologySelectorTerm& term) {
    return !term.match_label_expressions.empty() &&
           std::ranges::all_of(term.match_label_expressions, [&](const auto& requirement) {
             const std::string* const value = objects::find(node.meta.labels, requirement.key);
             return value != nullptr && std::ranges::find(requirement.values, *value) != requirement.values.end();
           });
  };
  return storage_class.allowed_topologies.empty() || std::ranges::any_of(storage_class.allowed_topologies, holds);
}

/// A capacity that has room and that the node can reach.
const objects::CsiStorageCapacity* find_capacity(const Snapshot& snapshot, const objects::StorageClass& storage_class,
                                                 std::int64_t size, const objects::Node& node) {
  for (const objects::CsiStorageCapacity& capacity : snapshot.objects().storage_capacities) {
    const auto& limit = capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
    if (capacity.storage_class_name == storage_class.meta.name && limit && limit->value() >= size &&
        capacity.node_topology && matches(*capacity.node_topology, node.meta.labels)) {
      return &capacity;
    }
  }
  return nullptr;
}

bool publishes_capacity(const Snapshot& snapshot, std::string_view driver) {
  return std::ranges::any_of(snapshot.objects().csi_drivers, [&](const objects::CsiDriver& known) {
    return known.meta.name == driver && known.storage_capacity;
  });
}

/// Whether a new volume could be made for each claim, up to the first for which it could not.
void check_provisions(const Snapshot& snapshot, const std::vector<const PersistentVolumeClaim*>& claims,
                      const objects::Node& node, Satisfied& satisfied, FoundVolumes& found) {
  satisfied.unbound = true;
  for (const PersistentVolumeClaim* const claim : claims) {
    const std::string name = storage_class_of(*claim);
    const objects::StorageClass* const storage_class = snapshot.find_storage_class(name);
    if (storage_class == nullptr) {
      found.error = name.empty()
                        ? fmt::format("no class for claim \"{}/{}\"", claim->meta.namespace_name, claim->meta.name)
                        : fmt::format("failed to find storage class \"{}\"", name);
      return;
    }
    const std::string& provisioner = storage_class->provisioner;
    if (provisioner.empty() || provisioner == kNoProvisioner || !topology_allows(*storage_class, node)) {
      satisfied.unbound = false;
      return;
    }
    if (objects::find(claim->requests, "storage") == nullptr || !publishes_capacity(snapshot, provisioner)) {
      continue;
    }
    const std::int64_t size = storage_amount(claim->requests).value();
    const objects::CsiStorageCapacity* const capacity = find_capacity(snapshot, *storage_class, size, node);
    if (capacity == nullptr) {
      satisfied.storage = false;
      return;
    }
    StorageUse& use = found.by_provision[name];
    use.capacity = capacity->capacity ? capacity->capacity->value() : 0;
    use.requested += size;
  }
}

void bind_existing(std::vector<const PersistentVolumeClaim*> to_bind, const PodVolumeClaims& claims,
                   const objects::Node& node, Satisfied& satisfied, FoundVolumes& found,
                   std::vector<const PersistentVolumeClaim*>& to_provision) {
  std::ranges::stable_sort(to_bind, {}, [](const auto* claim) { return storage_amount(claim->requests); });
  std::set<const objects::PersistentVolume*> taken;
  for (const PersistentVolumeClaim* const claim : to_bind) {
    const auto& volumes = claims.volumes_by_class.at(storage_class_of(*claim));
    const objects::PersistentVolume* const volume = find_matching_volume(*claim, volumes, node, taken);
    if (volume == nullptr) {
      satisfied.unbound = false;
      to_provision.push_back(claim);
      continue;
    }
    taken.insert(volume);
    StorageUse& use = found.by_binding[volume->storage_class_name];
    use.requested += storage_amount(claim->requests).value();
    use.capacity += storage_amount(volume->capacity).value();
  }
}

}  // namespace

PodVolumeClaims sort_volume_claims(const Snapshot& snapshot, const objects::Pod& pod) {
  PodVolumeClaims sorted;
  for (const ClaimUse& use : claims_of(snapshot, pod)) {
    const PersistentVolumeClaim& claim = *use.claim;
    if (!claim.volume_name.empty() && objects::find(claim.meta.annotations, kBindCompleted) != nullptr) {
      sorted.bound.push_back(&claim);
      continue;
    }
    const std::string name = storage_class_of(claim);
    const auto* const storage_class = name.empty() ? nullptr : snapshot.find_storage_class(name);
    if (storage_class != nullptr && !storage_class->volume_binding_mode) {
      sorted.error = fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", name);
      return sorted;
    }
    if (storage_class != nullptr && *storage_class->volume_binding_mode == "WaitForFirstConsumer" &&
        claim.volume_name.empty()) {
      sorted.delayed.push_back(&claim);
      sorted.volumes_by_class.try_emplace(name);
    } else {
      sorted.has_immediate = true;
    }
  }
  for (const objects::PersistentVolume& volume : snapshot.objects().volumes) {
    const auto found = sorted.volumes_by_class.find(storage_class_of(volume));
    if (found != sorted.volumes_by_class.end()) {
      found->second.push_back(&volume);
    }
  }
  return sorted;
}

FoundVolumes find_volumes(const Snapshot& snapshot, const PodVolumeClaims& claims, const objects::Node& node) {
  FoundVolumes found;
  Satisfied satisfied;
  check_bound(snapshot, claims, node, satisfied);
  std::vector<const PersistentVolumeClaim*> to_bind, to_provision;
  for (const PersistentVolumeClaim* const claim : claims.delayed) {
    const std::string* const selected = objects::find(claim->meta.annotations, kSelectedNode);
    if (selected != nullptr && *selected != node.meta.name) {
      satisfied.unbound = false;
      found.reasons = satisfied.reasons();
      return found;
    }
    (selected != nullptr ? to_provision : to_bind).push_back(claim);
  }
  bind_existing(std::move(to_bind), claims, node, satisfied, found, to_provision);
  if (!to_provision.empty()) {
    check_provisions(snapshot, to_provision, node, satisfied, found);
  }
  found.reasons = satisfied.reasons();
  return found;
}

}  // namespace gpusched::kubescheduler
