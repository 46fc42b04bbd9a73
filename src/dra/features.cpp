#include "gpusched/dra/features.hpp"

#include <array>

namespace gpusched::dra {

namespace {

struct FeatureName {
  std::string_view field, gate;
  bool Features::* member;
  Implementation first;  // the first implementation that supports it
};

constexpr std::array kFeatures = {
    FeatureName{"AdminAccess", "DRAAdminAccess", &Features::admin_access, Implementation::kStable},
    FeatureName{"PrioritizedList", "DRAPrioritizedList", &Features::prioritized_list, Implementation::kStable},
    FeatureName{"DeviceTaints", "DRADeviceTaints", &Features::device_taints, Implementation::kStable},
    FeatureName{"PartitionableDevices", "DRAPartitionableDevices", &Features::partitionable_devices,
                Implementation::kStable},
    FeatureName{"ConsumableCapacity", "DRAConsumableCapacity", &Features::consumable_capacity,
                Implementation::kIncubating},
    FeatureName{"FractionalCapacityRange", "DRAFractionalCapacityRange", &Features::fractional_capacity_range,
                Implementation::kIncubating},
    FeatureName{"DeviceBindingAndStatus", "DRADeviceBindingConditions", &Features::device_binding_and_status,
                Implementation::kIncubating},
    FeatureName{"ListTypeAttributes", "DRAListTypeAttributes", &Features::list_type_attributes,
                Implementation::kExperimental},
    FeatureName{"DerivedAttributes", "DRADerivedAttributes", &Features::derived_attributes,
                Implementation::kExperimental},
    FeatureName{"CompatibilityGroups", "DRADeviceCompatibilityGroups", &Features::compatibility_groups,
                Implementation::kExperimental},
    FeatureName{"OptionalNodeOperations", "DRAOptionalNodeOperations", &Features::optional_node_operations,
                Implementation::kExperimental},
};

}  // namespace

Implementation select_implementation(const Features& features) {
  Implementation needed = Implementation::kStable;
  for (const FeatureName& feature : kFeatures) {
    if (features.*feature.member && feature.first > needed) needed = feature.first;
  }
  return needed;
}

std::string_view name_of(Implementation implementation) {
  constexpr std::array<std::string_view, 3> kNames = {"stable", "incubating", "experimental"};
  return kNames[static_cast<std::size_t>(implementation)];
}

bool set_feature(Features& features, std::string_view name, bool enabled) {
  for (const FeatureName& feature : kFeatures) {
    if (name == feature.field || name == feature.gate) {
      features.*feature.member = enabled;
      return true;
    }
  }
  return false;
}

}  // namespace gpusched::dra
