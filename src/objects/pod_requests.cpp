#include "gpusched/objects/pod_requests.hpp"

#include <algorithm>

namespace gpusched::objects {

namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = 200LL * 1024 * 1024;

Quantity* find_mutable(ResourceList& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, [](const auto& entry) -> std::string_view { return entry.first; });
  return found == list.end() ? nullptr : &found->second;
}

void set(ResourceList& list, const std::string& name, const Quantity& quantity) {
  if (Quantity* const old = find_mutable(list, name)) {
    *old = quantity;
  } else {
    list.emplace_back(name, quantity);
  }
}

void add(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    if (Quantity* const old = find_mutable(list, name)) {
      old->add(quantity);
    } else {
      list.emplace_back(name, quantity);
    }
  }
}

void raise(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const Quantity* const old = find_mutable(list, name);
    if (old == nullptr || quantity > *old) {
      set(list, name, quantity);
    }
  }
}

bool pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || is_hugepages(name);
}

/// A resize that the node cannot ever do: the spec's wish does not count.
bool resize_infeasible(const Pod& pod) {
  const PodCondition* const pending = find_condition(pod.status, "PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

const ContainerStatus* find_status(const Pod& pod, std::string_view name) {
  for (const auto* const statuses : {&pod.status->container_statuses, &pod.status->init_container_statuses}) {
    for (const ContainerStatus& status : *statuses) {
      if (status.name == name) {
        return &status;
      }
    }
  }
  return nullptr;
}

/// Which of its three lives a container is counted by, since 1.37; kMerged is the maximum per container, before.
enum class Source : std::uint8_t { kSpec, kAllocated, kActuated, kMerged };

ResourceList merged_requests(const Container& container, const ContainerStatus* status, bool infeasible) {
  if (status == nullptr || !status->resources) {
    return container.resources.requests;
  }
  ResourceList total = infeasible ? ResourceList() : container.resources.requests;
  raise(total, status->resources->requests.value_or(ResourceList()));
  raise(total, status->allocated_resources.value_or(ResourceList()));
  return total;
}

ResourceList container_requests(const Container& container, const ContainerStatus* status, Source source,
                                bool infeasible) {
  if (source == Source::kMerged) {
    return merged_requests(container, status, infeasible);
  }
  if (source == Source::kSpec) {
    return container.resources.requests;
  }
  if (source == Source::kActuated && status != nullptr && status->resources && status->resources->requests) {
    return *status->resources->requests;
  }
  if (status != nullptr && status->allocated_resources) {
    return *status->allocated_resources;
  }
  return infeasible ? ResourceList() : container.resources.requests;
}

/// Sum of containers and sidecars, raised to what each init container needs beside the sidecars before it (KEP 753).
/// `missing` is what counts for each container that does not name a resource.
ResourceList container_total(const Pod& pod, Source source, bool infeasible, const ResourceList& missing) {
  const auto requests_of = [&](const Container& container) {
    const ContainerStatus* const status = source == Source::kSpec ? nullptr : find_status(pod, container.name);
    ResourceList requests = container_requests(container, status, source, infeasible);
    for (const auto& [name, quantity] : missing) {
      if (find_mutable(requests, name) == nullptr) {
        requests.emplace_back(name, quantity);
      }
    }
    return requests;
  };
  ResourceList total;
  for (const Container& container : pod.spec->containers) {
    add(total, requests_of(container));
  }
  ResourceList sidecars, init_peak;
  for (const Container& container : pod.spec->init_containers) {
    ResourceList requests = requests_of(container);
    if (container.is_sidecar()) {
      add(total, requests);
      add(sidecars, requests);
      raise(init_peak, sidecars);
    } else {
      add(requests, sidecars);
      raise(init_peak, requests);
    }
  }
  raise(total, init_peak);
  return total;
}

ResourceList aggregate(const Pod& pod, const PodRequestRules& rules, const ResourceList& missing) {
  if (!rules.use_status) {
    return container_total(pod, Source::kSpec, false, missing);
  }
  const bool infeasible = resize_infeasible(pod);
  if (!rules.maximum_of_sums) {
    return container_total(pod, Source::kMerged, infeasible, missing);
  }
  if (pod.status->container_statuses.empty() && pod.status->init_container_statuses.empty() &&
      !pod.status->allocated_resources && !infeasible) {
    return container_total(pod, Source::kSpec, false, missing);  // all three are equal
  }
  ResourceList total = infeasible ? ResourceList() : container_total(pod, Source::kSpec, false, missing);
  const auto& status = pod.status;
  if (rules.pod_level_status && status->allocated_resources && status->resources && status->resources->requests) {
    raise(total, *status->resources->requests);
    raise(total, *status->allocated_resources);
  } else {
    raise(total, container_total(pod, Source::kActuated, infeasible, missing));
    raise(total, container_total(pod, Source::kAllocated, infeasible, missing));
  }
  return total;
}

/// spec.resources.requests, raised to what the kubelet reports during a resize.
ResourceList pod_level_requests(const Pod& pod, const PodRequestRules& rules) {
  const ResourceList& spec = pod.spec->resources->requests;
  if (!rules.use_status || !rules.pod_level_status || !pod.status->resources) {
    return spec;
  }
  ResourceList total = resize_infeasible(pod) ? ResourceList() : spec;
  raise(total, pod.status->resources->requests.value_or(ResourceList()));
  raise(total, pod.status->allocated_resources.value_or(ResourceList()));
  return total;
}

ResourceList total_requests(const Pod& pod, const PodRequestRules& rules, const ResourceList& missing) {
  ResourceList total = aggregate(pod, rules, missing);
  if (rules.pod_level && has_pod_level_requests(pod)) {
    for (const auto& [name, quantity] : pod_level_requests(pod, rules)) {
      if (pod_level_resource(name)) {
        set(total, name, quantity);
      }
    }
  }
  add(total, pod.spec->overhead);
  return total;
}

ResourceList score_defaults() {
  return {{"cpu", Quantity::from_milli(kDefaultMilliCpu)}, {"memory", Quantity::from_int64(kDefaultMemory)}};
}

/// With pod-level requests only what neither level names is filled in.
ResourceList missing_defaults(const ResourceList& requests, bool pod_level) {
  ResourceList missing = score_defaults();
  if (pod_level) {
    std::erase_if(missing, [&](const auto& entry) { return find(requests, entry.first) != nullptr; });
  }
  return missing;
}

std::int64_t amount_of(const ResourceList& list, std::string_view name) {
  const Quantity* const quantity = find(list, name);
  if (quantity == nullptr) {
    return 0;
  }
  return name == "cpu" ? quantity->milli_value() : quantity->value();
}

}  // namespace

bool has_pod_level_requests(const Pod& pod) {
  return pod.spec->resources && std::ranges::any_of(pod.spec->resources->requests,
                                                    [](const auto& entry) { return pod_level_resource(entry.first); });
}

ResourceAmounts resource_amounts(const ResourceList& resources) {
  ResourceAmounts amounts;
  for (const auto& [name, quantity] : resources) {
    if (name == "cpu") {
      amounts.milli_cpu = quantity.milli_value();
    } else if (name == "memory") {
      amounts.memory = quantity.value();
    } else if (name == "pods") {
      amounts.pods = quantity.value();
    } else if (name == "ephemeral-storage") {
      amounts.ephemeral_storage = quantity.value();
    } else if (is_scalar_resource(name)) {
      amounts.scalars.emplace_back(name, quantity.value());
    }
  }
  std::ranges::sort(amounts.scalars);
  return amounts;
}

ResourceList pod_requests(const Pod& pod, const PodRequestRules& rules) {
  return total_requests(pod, rules, {});
}

PodDemand pod_demand(const Pod& pod, const PodRequestRules& rules) {
  const ResourceList requests = total_requests(pod, rules, {});
  PodDemand demand;
  demand.requests = resource_amounts(requests);
  const ResourceList missing = missing_defaults(requests, rules.pod_level && has_pod_level_requests(pod));
  if (missing.empty()) {
    demand.non_zero_milli_cpu = demand.requests.milli_cpu;
    demand.non_zero_memory = demand.requests.memory;
    return demand;
  }
  const ResourceList filled = total_requests(pod, rules, missing);
  demand.non_zero_milli_cpu = amount_of(filled, "cpu");
  demand.non_zero_memory = amount_of(filled, "memory");
  return demand;
}

std::int64_t requested_amount(const Pod& pod, std::string_view resource, const PodRequestRules& rules, bool non_zero) {
  return amount_of(total_requests(pod, rules, non_zero ? score_defaults() : ResourceList()), resource);
}

}  // namespace gpusched::objects
