#include "kubescheduler/claim_devices.hpp"

#include "gpusched/dra/taint_rules.hpp"
#include "kubescheduler/old_allocator.hpp"

namespace gpusched::kubescheduler {

std::shared_ptr<ClaimDevices> make_claim_devices(const Snapshot& snapshot, const SchedulerRules& rules,
                                                 dra::SelectorEvaluator& selectors, bool lenient) {
  const ClusterObjects& objects = snapshot.objects();
  auto devices = std::make_shared<ClaimDevices>();
  const bool tainted = rules.device_taint_rules && rules.dra.device_taints && !objects.device_taint_rules.empty();
  if (tainted || lenient) {
    devices->changed_slices = objects.resource_slices;
  }
  if (tainted) {
    dra::apply_taint_rules(objects.device_taint_rules, devices->changed_slices);
  }
  if (lenient) {
    complete_pools(devices->changed_slices);
  }
  devices->slices = tainted || lenient ? devices->changed_slices : objects.resource_slices;
  devices->in_use = dra::in_use(snapshot.resource_claims(), rules.dra.consumable_capacity);
  devices->allocator = std::make_unique<dra::Allocator>(
      dra::AllocatorInput{rules.dra, devices->slices, objects.device_classes, devices->in_use, selectors});
  return devices;
}

}  // namespace gpusched::kubescheduler
