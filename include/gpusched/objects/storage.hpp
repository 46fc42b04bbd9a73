#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/node_selector.hpp"
#include "gpusched/objects/resources.hpp"
#include "gpusched/objects/volume.hpp"

/// Claims, volumes and storage classes of core/v1 and storage.k8s.io/v1, as far as scheduling reads them. Source:
/// k8s.io/api v0.37.2.
namespace gpusched::objects {

struct PersistentVolumeClaim {
  ObjectMeta meta;
  std::vector<std::string> access_modes;
  std::optional<std::string> storage_class_name;
  std::string volume_name;  ///< "": not bound
  std::string volume_mode;  ///< Filesystem (or ""), Block
  std::optional<LabelSelector> selector;
  ResourceList requests;
  std::optional<std::string> volume_attributes_class_name;
  std::string phase;  ///< Pending, Bound, Lost

  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct ClaimReference {
  std::string namespace_name, name, uid;

  bool operator==(const ClaimReference&) const = default;
};

struct PersistentVolume {
  ObjectMeta meta;
  ResourceList capacity;
  std::vector<std::string> access_modes;
  std::string storage_class_name;
  std::string volume_mode;  ///< Filesystem (or ""), Block
  std::optional<ClaimReference> claim_ref;
  std::optional<NodeSelector> node_affinity;  ///< required
  std::optional<CsiVolumeSource> csi;
  std::optional<DiskSource> gce_persistent_disk, aws_elastic_block_store, azure_disk, cinder;
  std::optional<std::string> volume_attributes_class_name;
  std::string phase;  ///< Available, Bound, Released, Failed, Pending

  bool operator==(const PersistentVolume&) const = default;
};

struct TopologySelectorRequirement {
  std::string key;
  std::vector<std::string> values;

  bool operator==(const TopologySelectorRequirement&) const = default;
};

/// One entry of allowedTopologies: all requirements must hold.
struct TopologySelectorTerm {
  std::vector<TopologySelectorRequirement> match_label_expressions;

  bool operator==(const TopologySelectorTerm&) const = default;
};

struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  std::optional<std::string> volume_binding_mode;  ///< Immediate, WaitForFirstConsumer
  std::vector<TopologySelectorTerm> allowed_topologies;

  bool operator==(const StorageClass&) const = default;
};

struct CsiNodeDriver {
  std::string name, node_id;
  std::vector<std::string> topology_keys;
  std::optional<std::int32_t> allocatable_count;  ///< volumes; none: no limit

  bool operator==(const CsiNodeDriver&) const = default;
};

struct CsiNode {
  ObjectMeta meta;
  std::vector<CsiNodeDriver> drivers;

  bool operator==(const CsiNode&) const = default;
};

struct CsiDriver {
  ObjectMeta meta;
  bool storage_capacity = false;
  bool prevent_pod_scheduling_if_missing = false;

  bool operator==(const CsiDriver&) const = default;
};

/// How much a driver can still make where.
struct CsiStorageCapacity {
  ObjectMeta meta;
  std::optional<LabelSelector> node_topology;
  std::string storage_class_name;
  std::optional<Quantity> capacity, maximum_volume_size;

  bool operator==(const CsiStorageCapacity&) const = default;
};

}  // namespace gpusched::objects
