#pragma once

#include <optional>
#include <string>

#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::objects {

/// DeviceTaintRule of resource.k8s.io (v1 since 1.37, v1beta2, v1alpha3): an administrator's taint on every device that
/// the selector names. All parts that are set must match; a rule without a selector matches nothing, an empty selector
/// matches every device. Source: k8s.io/api v0.37.2, resource/v1.
struct DeviceTaintRule {
  struct Selector {
    std::optional<std::string> driver, pool, device;

    bool operator==(const Selector&) const = default;
  };

  std::string name;  ///< metadata.name
  std::optional<Selector> selector;
  DeviceTaint taint;

  bool operator==(const DeviceTaintRule&) const = default;
};

}  // namespace gpusched::objects
