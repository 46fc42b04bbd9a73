#pragma once

#include <optional>
#include <string>
#include <vector>

/// DeviceClass of resource.k8s.io, with what claims and classes share. Source: k8s.io/api v0.37.2, resource/v1.
namespace gpusched::objects {

/// `cel` is absent for a kind of selector that this version does not know.
struct DeviceSelector {
  std::optional<std::string> cel;  ///< the expression

  bool operator==(const DeviceSelector&) const = default;
};

/// Parameters for a driver, which nobody else reads.
struct OpaqueDeviceConfiguration {
  std::string driver;
  std::string parameters;  ///< JSON, compact, keys in input order

  bool operator==(const OpaqueDeviceConfiguration&) const = default;
};

/// One configuration; `opaque` is absent for a kind that this version does not know.
struct DeviceConfiguration {
  std::optional<OpaqueDeviceConfiguration> opaque;

  bool operator==(const DeviceConfiguration&) const = default;
};

struct DeviceClass {
  std::string name;                                   ///< metadata.name
  std::vector<DeviceSelector> selectors;              ///< all must hold
  std::vector<DeviceConfiguration> config;            ///< handed to the drivers of what is allocated
  std::optional<std::string> extended_resource_name;  ///< the extended resource that this class also serves
  std::string creation_timestamp;  ///< RFC 3339 as written, "" when not set; of two classes the newer serves a resource

  bool operator==(const DeviceClass&) const = default;
};

}  // namespace gpusched::objects
