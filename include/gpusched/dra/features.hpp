#pragma once

#include <cstdint>
#include <string_view>

namespace gpusched::dra {

/// What the allocator of the scheduler is told to support: the fields of structured.Features, with the defaults of
/// Kubernetes 1.37. Rule: k8s.io/dynamic-resource-allocation v0.37.2, structured.
struct Features {
  bool admin_access = true;               ///< DRAAdminAccess
  bool prioritized_list = true;           ///< DRAPrioritizedList
  bool device_taints = true;              ///< DRADeviceTaints
  bool partitionable_devices = true;      ///< DRAPartitionableDevices
  bool consumable_capacity = true;        ///< DRAConsumableCapacity
  bool fractional_capacity_range = true;  ///< DRAFractionalCapacityRange
  bool device_binding_and_status = true;  ///< DRADeviceBindingConditions and DRAResourceClaimDeviceStatus
  bool list_type_attributes = false;      ///< DRAListTypeAttributes
  bool derived_attributes = false;        ///< DRADerivedAttributes
  bool compatibility_groups = false;      ///< DRADeviceCompatibilityGroups
  bool optional_node_operations = false;  ///< DRAOptionalNodeOperations

  bool operator==(const Features&) const = default;
};

/// The three allocators that Kubernetes 1.37 ships; they differ in a few answers and in their steps.
enum class Implementation : std::uint8_t { kStable, kIncubating, kExperimental };

/// The first one, in the order above, that supports all enabled features.
[[nodiscard]] Implementation select_implementation(const Features& features);
/// "stable", "incubating", "experimental".
[[nodiscard]] std::string_view name_of(Implementation implementation);

/// Sets a feature by the name of its field in structured.Features ("AdminAccess") or of its gate ("DRAAdminAccess").
/// Whether there is such a feature.
bool set_feature(Features& features, std::string_view name, bool enabled);

}  // namespace gpusched::dra
