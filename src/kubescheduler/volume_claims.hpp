#pragma once

#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"

/// What the volume plugins share. Source: k8s.io/component-helpers v0.37.2, storage.
namespace gpusched::kubescheduler {

/// A volume of a pod that uses a claim.
struct ClaimUse {
  std::string name;
  bool ephemeral = false;  ///< the claim is made for this pod
  const objects::PersistentVolumeClaim* claim = nullptr;
};

/// The pod's claims in the order of its volumes, ephemeral ones included.
[[nodiscard]] std::vector<ClaimUse> claims_of(const Snapshot& snapshot, const objects::Pod& pod);

/// The old annotation wins over spec.storageClassName; "" without either.
[[nodiscard]] std::string storage_class_of(const objects::PersistentVolumeClaim& claim);
[[nodiscard]] std::string storage_class_of(const objects::PersistentVolume& volume);

/// Why the claim of an ephemeral volume is not the pod's; "" when it is.
[[nodiscard]] std::string ownership_error(const objects::PersistentVolumeClaim& claim, const objects::Pod& pod);

/// `persistentvolumeclaim "x" not found`, as the API says.
[[nodiscard]] std::string not_found(std::string_view resource, std::string_view name);

}  // namespace gpusched::kubescheduler
