#include "kubescheduler/device_counts.hpp"

#include <algorithm>

#include "gpusched/dra/in_use.hpp"
#include "gpusched/dra/selector_evaluator.hpp"
#include "kubescheduler/node_selection.hpp"

namespace gpusched::kubescheduler {

namespace {

/// Where a slice, or a device of its own, can be used.
template <class Place>
bool usable_on(const Place& place, const objects::Node& node) {
  if (place.all_nodes.value_or(false) || (place.node_name && *place.node_name == node.meta.name)) {
    return true;
  }
  return place.node_selector && matches(*place.node_selector, node.meta.labels, node.meta.name);
}

enum class Match : std::uint8_t { kNo, kYes, kError };

Match class_matches(dra::SelectorEvaluator& selectors, const objects::DeviceClass& device_class,
                    std::string_view driver, const objects::Device& device) {
  for (const objects::DeviceSelector& selector : device_class.selectors) {
    if (!selector.cel) {
      continue;
    }
    const std::size_t compiled = selectors.compile(*selector.cel);
    if (!selectors.compile_error(compiled).empty()) {
      return Match::kError;
    }
    const auto& outcome = selectors.evaluate(compiled, selectors.add_device(driver, device));
    if (!outcome.error.empty()) {
      return Match::kError;
    }
    if (!outcome.match) {
      return Match::kNo;
    }
  }
  return Match::kYes;
}

}  // namespace

DeviceCounts count_devices(const Cycle& cycle, const objects::Node& node, std::string_view resource) {
  const objects::DeviceClass* const device_class = cycle.extended_resources.find(resource);
  if (device_class == nullptr || cycle.selectors == nullptr) {
    return {};
  }
  const ClusterObjects& objects = cycle.snapshot.objects();
  const dra::InUse in_use = dra::in_use(cycle.snapshot.resource_claims(), cycle.rules.dra.consumable_capacity);
  DeviceCounts counts;
  for (const objects::ResourceSlice& slice : objects.resource_slices) {
    const objects::ResourceSliceSpec& spec = slice.spec;
    const bool per_device = spec.per_device_node_selection.value_or(false);
    if (!per_device && !usable_on(spec, node)) {
      continue;
    }
    for (const objects::Device& device : spec.devices) {
      if (per_device && !usable_on(device, node)) {
        continue;
      }
      const Match match = class_matches(*cycle.selectors, *device_class, spec.driver, device);
      if (match == Match::kError) {
        return {};
      }
      const dra::DeviceId id{spec.driver, spec.pool.name, device.name};
      if (match == Match::kYes) {
        ++counts.total;
        counts.allocated += in_use.devices.contains(id) || in_use.shared.contains(id) ? 1 : 0;
      }
    }
  }
  return counts;
}

}  // namespace gpusched::kubescheduler
