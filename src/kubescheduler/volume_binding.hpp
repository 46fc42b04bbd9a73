#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"

/// Which volumes a pod would get on a node. Source: kube-scheduler 1.37, volumebinding/binder.go.
namespace gpusched::kubescheduler {

/// The pod's claims, sorted by what has to happen with them.
struct PodVolumeClaims {
  std::vector<const objects::PersistentVolumeClaim*> bound;
  std::vector<const objects::PersistentVolumeClaim*> delayed;  ///< wait for the node
  bool has_immediate = false;                                  ///< one should have a volume already
  std::map<std::string, std::vector<const objects::PersistentVolume*>> volumes_by_class;  ///< for delayed claims
  std::string error;  ///< a class that cannot be used
};

[[nodiscard]] PodVolumeClaims sort_volume_claims(const Snapshot& snapshot, const objects::Pod& pod);

/// Of one storage class, in bytes.
struct StorageUse {
  std::int64_t requested = 0, capacity = 0;
};

struct FoundVolumes {
  Reasons reasons;  ///< why the node cannot be used; empty when it can
  std::string error;
  std::map<std::string, StorageUse> by_binding;    ///< existing volumes that would be bound
  std::map<std::string, StorageUse> by_provision;  ///< new ones of drivers that publish their capacity
};

[[nodiscard]] FoundVolumes find_volumes(const Snapshot& snapshot, const PodVolumeClaims& claims,
                                        const objects::Node& node);

}  // namespace gpusched::kubescheduler
