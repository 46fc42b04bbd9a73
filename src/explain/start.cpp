#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "explain/findings.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/explain/workload.hpp"

namespace gpusched::explain {

namespace {

/// The kubelet's verdicts at admission. Source: kubelet, lifecycle handlers; device manager; Topology Manager.
Finding refused_by_kubelet(const objects::Pod& pod) {
  const std::string& reason = pod.status->reason;
  std::string text = fmt::format("the kubelet of {} refused it: {}{}{}", pod.node_name, reason,
                                 pod.status->message.empty() ? "" : ": ", pod.status->message);
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
                         claim.namespace_name, claim.name, result.driver, result.pool, result.device, pod.node_name)});
      }
    }
  }
}

bool of_daemon_set(const objects::Pod& pod) {
  const objects::OwnerReference* const owner = objects::controller_of(pod.meta);
  return owner != nullptr && owner->kind == "DaemonSet";
}

/// Words in the names and images of the kubelet plugins of all published DRA drivers.
bool looks_like_driver(const objects::Pod& pod) {
  const auto named = [](std::string_view text) {
    return text.contains("dra-driver") || text.contains("dradriver") || text.contains("kubelet-plugin") ||
           text.contains("resource-driver") || text.contains("dranet");
  };
  return named(pod.meta.name) || std::ranges::any_of(pod.spec->containers, [&](const objects::Container& container) {
           return named(container.name) || named(container.image);
         });
}

/// The newest generation of a pool.
struct PublishedPool {
  std::int64_t generation = -1;
  std::set<std::string_view> devices;

  void add(const objects::ResourceSliceSpec& slice) {
    if (slice.pool.generation > generation) {
      generation = slice.pool.generation;
      devices.clear();
    }
    if (slice.pool.generation == generation) {
      for (const objects::Device& device : slice.devices) {
        devices.insert(device.name);
      }
    }
  }
};

/// The first names, and how many more there are.
std::string enumerate(std::span<const std::string> names) {
  constexpr std::size_t kNamed = 3;
  std::string text = join(names.first(std::min(names.size(), kNamed)), ", ");
  return names.size() > kNamed ? fmt::format("{} and {} more", text, names.size() - kNamed) : text;
}

}  // namespace

void find_silent_drivers(const Snapshot& snapshot, const kubescheduler::Prediction& prediction, const NodeState& node,
                         std::vector<Finding>& findings) {
  std::vector<std::string> drivers;
  for (const kubescheduler::ClaimAllocation& claim : prediction.claims) {
    for (const objects::DeviceRequestAllocationResult& result : claim.allocation.results) {
      drivers.push_back(result.driver);
    }
  }
  bool daemons = false, driver = drivers.empty();
  for (const kubescheduler::PodIndex index : node.usage.pods) {
    const objects::Pod& pod = *snapshot.pod(index).object;
    daemons = daemons || of_daemon_set(pod);
    driver = driver || (looks_like_driver(pod) && !pod.meta.deletion_timestamp);
  }
  if (!daemons || driver) {
    return;
  }
  std::ranges::sort(drivers);
  drivers.erase(std::ranges::unique(drivers).begin(), drivers.end());
  findings.push_back(
      {"trap", "",
       fmt::format("no pod of a DRA driver is seen on {}, and the slices of {} do not prove that it runs: "
                   "kube-scheduler binds the pod, the kubelet may not start it",
                   node.name(), join(drivers, ", "))});
}

void find_unpublished(const Snapshot& snapshot, const kubescheduler::Prediction& prediction,
                      std::vector<Finding>& findings) {
  std::map<std::pair<std::string_view, std::string_view>, PublishedPool> pools;  // by driver and name
  for (const kubescheduler::ClaimAllocation& claim : prediction.claims) {
    for (const objects::DeviceRequestAllocationResult& result : claim.allocation.results) {
      pools.try_emplace({result.driver, result.pool});
    }
  }
  if (pools.empty()) {
    return;
  }
  for (const objects::ResourceSlice& slice : snapshot.objects().resource_slices) {
    if (const auto pool = pools.find({slice.spec.driver, slice.spec.pool.name}); pool != pools.end()) {
      pool->second.add(slice.spec);
    }
  }
  std::vector<std::string> held;
  for (const objects::ResourceClaim& claim : snapshot.resource_claims()) {
    if (!claim.allocation) {
      continue;
    }
    for (const objects::DeviceRequestAllocationResult& result : claim.allocation->results) {
      const auto pool = pools.find({result.driver, result.pool});
      if (pool != pools.end() && !pool->second.devices.contains(result.device)) {
        held.push_back(
            fmt::format("{}/{} (claim {}/{})", result.pool, result.device, claim.namespace_name, claim.name));
      }
    }
  }
  if (!held.empty()) {
    findings.push_back(
        {"trap", "",
         fmt::format("allocated and not in the slices any more: {}; kube-scheduler does not count what that uses of "
                     "shared counters, so that more may look free than is",
                     enumerate(held))});
  }
}

std::vector<Finding> explain_start(const objects::Pod& pod, std::span<const objects::ResourceSlice> slices,
                                   std::span<const objects::ResourceClaim> claims) {
  std::vector<Finding> findings;
  if (pod.node_name.empty()) {
    return findings;
  }
  if (pod.phase == "Failed" && !pod.status->reason.empty()) {
    findings.push_back(refused_by_kubelet(pod));
    return findings;
  }
  if (pod.phase != "Pending") {
    return findings;
  }
  find_missing_drivers(pod, slices, claims, findings);
  for (const auto* const list : {&pod.status->init_container_statuses, &pod.status->container_statuses}) {
    for (const objects::ContainerStatus& container : *list) {
      if (!container.waiting.empty()) {
        findings.push_back({"does not start", "",
                            fmt::format("it has its node, {}; container {} waits there: {}", pod.node_name,
                                        container.name, container.waiting)});
      }
    }
  }
  if (findings.empty()) {
    findings.push_back(
        {"does not start", "",
         fmt::format("it has its node, {}, and the kubelet has not said anything about it yet", pod.node_name)});
  }
  return findings;
}

}  // namespace gpusched::explain
