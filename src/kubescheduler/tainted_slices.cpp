#include "kubescheduler/tainted_slices.hpp"

namespace gpusched::kubescheduler {

namespace {

bool names(const std::optional<std::string>& selected, std::string_view name) {
  return !selected || *selected == name;
}

}  // namespace

std::vector<objects::ResourceSlice> apply_taint_rules(const std::vector<objects::ResourceSlice>& slices,
                                                      const std::vector<objects::DeviceTaintRule>& rules) {
  std::vector<objects::ResourceSlice> tainted = slices;
  for (objects::ResourceSlice& slice : tainted) {
    for (const objects::DeviceTaintRule& rule : rules) {
      if (!rule.selector || !names(rule.selector->driver, slice.spec.driver) ||
          !names(rule.selector->pool, slice.spec.pool.name)) {
        continue;
      }
      for (objects::Device& device : slice.spec.devices) {
        if (names(rule.selector->device, device.name)) {
          device.taints.push_back(rule.taint);
        }
      }
    }
  }
  return tainted;
}

}  // namespace gpusched::kubescheduler
