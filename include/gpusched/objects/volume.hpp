#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/resources.hpp"

/// The volumes of a pod, as far as scheduling looks at them. Source: k8s.io/api v0.37.2, core/v1.
namespace gpusched::objects {

struct PersistentVolumeClaimSource {
  std::string claim_name;
  bool read_only = false;

  bool operator==(const PersistentVolumeClaimSource&) const = default;
};

/// A disk by one name, with or without permission to write: GCE persistent disk, EBS, Azure, Cinder, vSphere, Portworx.
struct DiskSource {
  std::string id;
  bool read_only = false;

  bool operator==(const DiskSource&) const = default;
};

struct RbdSource {
  std::vector<std::string> monitors;
  std::string pool;  ///< "": rbd
  std::string image;
  bool read_only = false;

  bool operator==(const RbdSource&) const = default;
};

struct IscsiSource {
  std::string iqn;
  std::int32_t lun = 0;
  bool read_only = false;

  bool operator==(const IscsiSource&) const = default;
};

struct CsiVolumeSource {
  std::string driver;
  std::string volume_handle;  ///< of a persistent volume; "" inline in a pod
  bool read_only = false;

  bool operator==(const CsiVolumeSource&) const = default;
};

struct Volume {
  std::string name;
  std::optional<PersistentVolumeClaimSource> persistent_volume_claim;
  bool ephemeral = false;  ///< a claim of its own, named <pod>-<volume>
  std::optional<DiskSource> gce_persistent_disk, aws_elastic_block_store, azure_disk, cinder;
  std::optional<RbdSource> rbd;
  std::optional<IscsiSource> iscsi;
  std::optional<CsiVolumeSource> csi;
  std::string image;  ///< the reference of an image volume, "" for others

  bool operator==(const Volume&) const = default;
};

}  // namespace gpusched::objects
