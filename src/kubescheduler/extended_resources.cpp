#include "kubescheduler/extended_resources.hpp"

#include "gpusched/objects/meta.hpp"

namespace gpusched::kubescheduler {

namespace {

constexpr std::string_view kImplicitPrefix = "deviceclass.resource.kubernetes.io/";

bool wins(const objects::DeviceClass& a, const objects::DeviceClass& b) {
  const auto created_a = objects::parse_timestamp(a.creation_timestamp);
  const auto created_b = objects::parse_timestamp(b.creation_timestamp);
  return created_a == created_b ? a.name < b.name : created_a > created_b;
}

}  // namespace

ExtendedResourceClasses::ExtendedResourceClasses(std::span<const objects::DeviceClass> classes) {
  for (const objects::DeviceClass& device_class : classes) {
    classes_.insert_or_assign(std::string(kImplicitPrefix) + device_class.name, &device_class);
    if (device_class.extended_resource_name) {
      const objects::DeviceClass*& best = classes_[*device_class.extended_resource_name];
      if (best == nullptr || wins(device_class, *best)) {
        best = &device_class;
      }
    }
  }
}

const objects::DeviceClass* ExtendedResourceClasses::find(std::string_view resource) const {
  const auto found = classes_.find(resource);
  return found == classes_.end() ? nullptr : found->second;
}

}  // namespace gpusched::kubescheduler
