#include "gpusched/objects/pod_defaults.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::objects {

namespace {

void add_missing(ResourceList& list, const std::string& name, const Quantity& quantity) {
  if (find(list, name) == nullptr) {
    list.emplace_back(name, quantity);
  }
}

void default_requests(std::vector<Container>& containers) {
  for (Container& container : containers) {
    for (const auto& [name, limit] : container.resources.limits) {
      add_missing(container.resources.requests, name, limit);
    }
  }
}

void default_host_ports(std::vector<Container>& containers) {
  for (Container& container : containers) {
    for (ContainerPort& port : container.ports) {
      port.host_port = port.host_port == 0 ? port.container_port : port.host_port;
    }
  }
}

/// The containers' total, counted as requests are.
ResourceList container_sum(Pod pod, bool of_limits) {
  PodSpec& spec = pod.spec.edit();
  if (of_limits) {
    for (auto* const containers : {&spec.containers, &spec.init_containers}) {
      for (Container& container : *containers) {
        container.resources.requests = container.resources.limits;
      }
    }
  }
  spec.overhead.clear();
  PodRequestRules rules;
  rules.use_status = false;
  rules.pod_level = false;
  return pod_requests(pod, rules);
}

void default_pod_level(Pod& pod) {
  ResourceRequirements& level = *pod.spec.edit().resources;
  if (level.limits.empty() && level.requests.empty()) {
    return;
  }
  for (const auto& [name, limit] : container_sum(pod, true)) {
    if (is_hugepages(name) && find(level.requests, name) == nullptr) {
      add_missing(level.limits, name, limit);
    }
  }
  if (level.limits.empty()) {
    return;
  }
  const auto may_be_shared = [](std::string_view name) { return name == "cpu" || name == "memory"; };
  for (const auto& [name, request] : container_sum(pod, false)) {
    if (may_be_shared(name)) {
      add_missing(level.requests, name, request);
    }
  }
  for (const auto& [name, limit] : level.limits) {
    if (may_be_shared(name) || is_hugepages(name)) {
      add_missing(level.requests, name, limit);
    }
  }
}

const PriorityClass* find_class(std::span<const PriorityClass> classes, const std::string& name) {
  const PriorityClass* best = nullptr;
  for (const PriorityClass& candidate : classes) {
    if (!name.empty() && candidate.meta.name == name) {
      return &candidate;
    }
    // Of several global defaults the lowest counts.
    if (name.empty() && candidate.global_default && (best == nullptr || candidate.value < best->value)) {
      best = &candidate;
    }
  }
  return best;
}

}  // namespace

std::optional<std::int32_t> system_priority(std::string_view name) {
  constexpr std::int32_t kClusterCritical = 2'000'000'000;
  constexpr std::int32_t kNodeCritical = 2'000'001'000;
  if (name == "system-cluster-critical") {
    return kClusterCritical;
  }
  return name == "system-node-critical" ? std::optional(kNodeCritical) : std::nullopt;
}

void set_defaults(Pod& pod) {
  PodSpec& spec = pod.spec.edit();
  default_requests(spec.containers);
  default_requests(spec.init_containers);
  if (spec.resources) {
    default_pod_level(pod);
  }
  if (spec.host_network) {
    default_host_ports(spec.containers);
    default_host_ports(spec.init_containers);
  }
}

void admit(Pod& pod, std::span<const PriorityClass> classes) {
  PodSpec& spec = pod.spec.edit();
  if (const PriorityClass* const priority_class = find_class(classes, spec.priority_class_name)) {
    spec.priority = priority_class->value;
    if (spec.preemption_policy.empty()) {
      spec.preemption_policy = priority_class->preemption_policy;
    }
  } else if (const auto priority = system_priority(spec.priority_class_name)) {
    spec.priority = priority;
  }
  constexpr std::int64_t kSeconds = 300;
  constexpr std::array<const char*, 2> kKeys = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
  for (const char* const key : kKeys) {
    const bool present = std::ranges::any_of(spec.tolerations, [&](const Toleration& toleration) {
      return (toleration.key.empty() || toleration.key == key) &&
             (toleration.effect.empty() || toleration.effect == "NoExecute");
    });
    if (!present) {
      spec.tolerations.push_back({key, "Exists", "", "NoExecute", kSeconds});
    }
  }
}

}  // namespace gpusched::objects
