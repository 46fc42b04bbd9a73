#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/objects/device_class.hpp"

namespace gpusched::kubescheduler {

/// Which DeviceClass serves which extended resource: by spec.extendedResourceName, of several classes the newest and
/// then the first by name, and by the implicit name deviceclass.resource.kubernetes.io/<class>.
/// Source: kube-scheduler 1.37, dynamicresources/extended, extendeddynamicresources.go.
class ExtendedResourceClasses {
 public:
  ExtendedResourceClasses() = default;
  explicit ExtendedResourceClasses(std::span<const objects::DeviceClass> classes);

  /// The class, or nullptr: only a device plugin can serve it.
  [[nodiscard]] const objects::DeviceClass* find(std::string_view resource) const;

 private:
  std::map<std::string, const objects::DeviceClass*, std::less<>> classes_;
};

}  // namespace gpusched::kubescheduler
