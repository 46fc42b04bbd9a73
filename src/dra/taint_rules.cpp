#include "gpusched/dra/taint_rules.hpp"

namespace gpusched::dra {

void apply_taint_rules(std::span<const objects::DeviceTaintRule> rules, std::span<objects::ResourceSlice> slices) {
  const auto other = [](const std::optional<std::string>& wanted, const std::string& name) {
    return wanted && *wanted != name;
  };
  for (objects::ResourceSlice& slice : slices) {
    for (const objects::DeviceTaintRule& rule : rules) {
      if (!rule.selector || other(rule.selector->driver, slice.spec.driver) ||
          other(rule.selector->pool, slice.spec.pool.name)) {
        continue;
      }
      for (objects::Device& device : slice.spec.devices) {
        if (!other(rule.selector->device, device.name)) device.taints.push_back(rule.taint);
      }
    }
  }
}

}  // namespace gpusched::dra
