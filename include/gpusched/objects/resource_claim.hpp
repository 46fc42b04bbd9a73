#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/base/quantity.hpp"
#include "gpusched/objects/device_class.hpp"
#include "gpusched/objects/node_selector.hpp"
#include "gpusched/objects/resource_slice.hpp"

/// ResourceClaim of resource.k8s.io as of Kubernetes 1.37. v1beta2 carries the same fields; v1beta1 has those of
/// `exactly` in the request itself. Source: k8s.io/api v0.37.2, resource/v1.
namespace gpusched::objects {

struct DeviceToleration {
  std::string key;  ///< "": every key
  std::string op;   ///< Exists, Equal; "" means Equal
  std::string value;
  std::string effect;  ///< "": every effect
  std::optional<std::int64_t> toleration_seconds;

  bool operator==(const DeviceToleration&) const = default;
};

/// How much of a device's capacities a request needs, by name as the device writes it.
struct CapacityRequirements {
  Named<Quantity> requests;

  bool operator==(const CapacityRequirements&) const = default;
};

/// A CEL expression per device whose value constraints may use (alpha, DRADerivedAttributes).
struct DerivedAttribute {
  std::string name;
  std::string expression;

  bool operator==(const DerivedAttribute&) const = default;
};

/// What a request asks for: the fields that `exactly` and a subrequest share.
struct DeviceRequirements {
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;  ///< ExactCount, All; "" when the API server has not defaulted it
  std::int64_t count = 0;
  std::optional<bool> admin_access;  ///< never in a subrequest
  std::vector<DeviceToleration> tolerations;
  std::optional<CapacityRequirements> capacity;
  std::vector<DerivedAttribute> derived_attributes;

  bool operator==(const DeviceRequirements&) const = default;
};

struct DeviceSubRequest {
  std::string name;
  DeviceRequirements requirements;

  bool operator==(const DeviceSubRequest&) const = default;
};

/// One of `exactly` and `first_available`; the latter counts if it is not empty.
struct DeviceRequest {
  std::string name;
  std::optional<DeviceRequirements> exactly;
  std::vector<DeviceSubRequest> first_available;  ///< the first that can be satisfied is used

  bool operator==(const DeviceRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests;              ///< "request" or "request/subrequest"; empty: all
  std::optional<std::string> match_attribute;     ///< all devices share its value
  std::optional<std::string> distinct_attribute;  ///< no two devices share a value

  bool operator==(const DeviceConstraint&) const = default;
};

struct DeviceClaimConfiguration {
  std::vector<std::string> requests;  ///< empty: all
  DeviceConfiguration configuration;

  bool operator==(const DeviceClaimConfiguration&) const = default;
};

struct DeviceClaim {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<DeviceClaimConfiguration> config;

  bool operator==(const DeviceClaim&) const = default;
};

/// One allocated device, or a share of one.
struct DeviceRequestAllocationResult {
  std::string request;  ///< "request" or "request/subrequest"
  std::string driver, pool, device;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::vector<std::string> binding_conditions, binding_failure_conditions;
  std::optional<std::string> share_id;               ///< of a device that allows several allocations
  std::optional<Named<Quantity>> consumed_capacity;  ///< by this share
  std::vector<std::string> skip_node_operations;

  bool operator==(const DeviceRequestAllocationResult&) const = default;
};

struct DeviceAllocationConfiguration {
  std::string source;  ///< FromClass, FromClaim
  std::vector<std::string> requests;
  DeviceConfiguration configuration;

  bool operator==(const DeviceAllocationConfiguration&) const = default;
};

/// status.allocation of a claim.
struct AllocationResult {
  std::vector<DeviceRequestAllocationResult> results;
  std::vector<DeviceAllocationConfiguration> config;
  std::optional<NodeSelector> node_selector;  ///< absent: available on every node
  std::string allocation_timestamp;           ///< RFC 3339 as written; "" when not set

  bool operator==(const AllocationResult&) const = default;
};

/// Who uses the claim: a pod, nearly always.
struct ClaimConsumerReference {
  std::string api_group, resource, name, uid;

  bool operator==(const ClaimConsumerReference&) const = default;
};

struct ResourceClaim {
  std::string name, namespace_name, uid;  ///< of metadata
  bool being_deleted = false;             ///< metadata.deletionTimestamp is set
  /// The controller of metadata.ownerReferences: kind and uid, "" without one. A claim made from a template belongs to
  /// its pod.
  std::string owner_kind, owner_uid;
  DeviceClaim devices;                         ///< spec.devices
  std::optional<AllocationResult> allocation;  ///< status.allocation
  std::vector<ClaimConsumerReference> reserved_for;
  /// The scheduler made it for its pod's extended resources: annotation resource.kubernetes.io/extended-resource-claim.
  bool for_extended_resources = false;

  bool operator==(const ResourceClaim&) const = default;
};

/// spec.spec of a template is what each pod's claim gets.
struct ResourceClaimTemplate {
  std::string name, namespace_name;
  DeviceClaim devices;

  bool operator==(const ResourceClaimTemplate&) const = default;
};

}  // namespace gpusched::objects
