#include <fmt/format.h>

#include <algorithm>

#include "gpusched/explain/workload.hpp"

namespace gpusched::explain {

namespace {

/// The kubelet's verdicts at admission. Source: kubelet, lifecycle handlers; device manager; Topology Manager.
Finding refused_by_kubelet(const objects::Pod& pod) {
  const std::string& reason = pod.status.reason;
  std::string text = fmt::format("the kubelet of {} refused it: {}{}{}", pod.spec.node_name, reason,
                                 pod.status.message.empty() ? "" : ": ", pod.status.message);
  if (reason == "TopologyAffinityError") {
    text += "; kube-scheduler does not see NUMA nodes: a controller makes the pod anew, and it may be sent there again";
  } else if (reason == "UnexpectedAdmissionError") {
    text += "; the device plugin could not give what kube-scheduler counted";
  } else if (reason.starts_with("OutOf")) {
    text += "; the node was full when the pod came: two schedulers, or static pods";
  }
  return {"does not start", "", std::move(text)};
}

/// Drivers of the pod's allocated claims that publish nothing on the node.
void find_missing_drivers(const objects::Pod& pod, std::span<const objects::ResourceSlice> slices,
                          std::span<const objects::ResourceClaim> claims, std::vector<Finding>& findings) {
  for (const objects::ResourceClaim& claim : claims) {
    const bool uses =
        claim.allocation && claim.namespace_name == pod.meta.namespace_name &&
        std::ranges::any_of(claim.reserved_for, [&](const auto& user) { return user.name == pod.meta.name; });
    if (!uses) {
      continue;
    }
    for (const objects::DeviceRequestAllocationResult& result : claim.allocation->results) {
      const bool published = std::ranges::any_of(slices, [&](const objects::ResourceSlice& slice) {
        return slice.spec.driver == result.driver && slice.spec.pool.name == result.pool;
      });
      if (!published) {
        findings.push_back(
            {"does not start", "",
             fmt::format("claim {}/{} holds {}/{}/{}, but no slice of that pool is there: no driver plugin "
                         "seen on {}",
                         claim.namespace_name, claim.name, result.driver, result.pool, result.device,
                         pod.spec.node_name)});
      }
    }
  }
}

}  // namespace

std::vector<Finding> explain_start(const objects::Pod& pod, std::span<const objects::ResourceSlice> slices,
                                   std::span<const objects::ResourceClaim> claims) {
  std::vector<Finding> findings;
  if (pod.spec.node_name.empty()) {
    return findings;
  }
  if (pod.status.phase == "Failed" && !pod.status.reason.empty()) {
    findings.push_back(refused_by_kubelet(pod));
    return findings;
  }
  if (pod.status.phase != "Pending") {
    return findings;
  }
  find_missing_drivers(pod, slices, claims, findings);
  for (const auto* const list : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
    for (const objects::ContainerStatus& container : *list) {
      if (!container.waiting.empty()) {
        findings.push_back({"does not start", "",
                            fmt::format("it has its node, {}; container {} waits there: {}", pod.spec.node_name,
                                        container.name, container.waiting)});
      }
    }
  }
  if (findings.empty()) {
    findings.push_back(
        {"does not start", "",
         fmt::format("it has its node, {}, and the kubelet has not said anything about it yet", pod.spec.node_name)});
  }
  return findings;
}

}  // namespace gpusched::explain
