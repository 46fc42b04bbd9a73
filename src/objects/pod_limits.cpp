#include "objects/pod_limits.hpp"

#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::objects {

ResourceList spec_requests(const Pod& pod) {
  PodRequestRules rules;
  rules.use_status = false;
  return pod_requests(pod, rules);
}

ResourceList spec_limits(const Pod& pod) {
  Pod limited = pod;
  PodSpec& spec = limited.spec.edit();
  spec.overhead.clear();
  for (auto* const containers : {&spec.containers, &spec.init_containers}) {
    for (Container& container : *containers) {
      container.resources.requests = container.resources.limits;
    }
  }
  if (spec.resources) {
    spec.resources->requests = spec.resources->limits;
  }
  ResourceList limits = spec_requests(limited);
  for (auto& [name, limit] : limits) {
    const Quantity* const overhead = find(pod.spec->overhead, name);
    if (overhead != nullptr && !limit.is_zero()) {
      limit.add(*overhead);
    }
  }
  return limits;
}

}  // namespace gpusched::objects
