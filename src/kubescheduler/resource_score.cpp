#include "kubescheduler/resource_score.hpp"

#include "kubescheduler/device_counts.hpp"

namespace gpusched::kubescheduler {

ScoredResource scored_resource(const Cycle& cycle, const objects::ResourceSpec& spec,
                               const objects::PodRequestRules& rules, bool non_zero) {
  ScoredResource resource;
  resource.name = spec.name;
  resource.index = cycle.snapshot.find_resource(spec.name);
  resource.weight = spec.weight;
  resource.requested = objects::requested_amount(cycle.pod, spec.name, rules, non_zero);
  resource.left_out = resource.requested == 0 && objects::is_scalar_resource(spec.name);
  resource.by_device_class =
      cycle.rules.extended_resources_by_dra && cycle.extended_resources.find(spec.name) != nullptr;
  return resource;
}

std::pair<std::int64_t, std::int64_t> allocatable_and_allocated(const Cycle& cycle, NodeIndex index,
                                                                const ScoredResource& resource, bool non_zero) {
  if (resource.left_out) {
    return {0, 0};
  }
  const NodeState& node = cycle.snapshot.node(index);
  const std::int64_t allocatable = node.allocatable_of(resource.index);
  if (resource.index == kCpu && non_zero) {
    return {allocatable, node.usage.non_zero_milli_cpu};
  }
  if (resource.index == kMemory && non_zero) {
    return {allocatable, node.usage.non_zero_memory};
  }
  if (allocatable == 0 && resource.by_device_class) {
    if (const DeviceCounts devices = count_devices(cycle, *node.object, resource.name); devices.total > 0) {
      return {devices.total, devices.allocated};
    }
  }
  return {allocatable, node.usage.of(resource.index)};
}

}  // namespace gpusched::kubescheduler
