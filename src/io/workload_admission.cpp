#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpusched/io/workloads.hpp"

// What the API server does to a pod before anything schedules it.
namespace gpusched::io {

namespace {

void default_requests(objects::ResourceRequirements& resources) {
  for (const auto& [name, limit] : resources.limits) {
    if (objects::find(resources.requests, name) == nullptr) {
      resources.requests.emplace_back(name, limit);
    }
  }
}

bool some_container_requests(const objects::PodSpec& spec, std::string_view name) {
  const auto requests = [&](const objects::Container& container) {
    return objects::find(container.resources.requests, name) != nullptr;
  };
  return std::ranges::any_of(spec.containers, requests) || std::ranges::any_of(spec.init_containers, requests);
}

/// Errors of one container, in the API server's words: field, reason, value.
void check_container(const objects::Container& container, const std::string& path, std::vector<std::string>& errors) {
  const objects::ResourceRequirements& resources = container.resources;
  const auto check_whole = [&](std::string_view list, const std::string& name, const Quantity& amount) {
    if (amount.sign() < 0) {
      errors.push_back(fmt::format("{}.resources.{}[{}]: Invalid value: \"{}\": must be greater than or equal to 0",
                                   path, list, name, amount.to_string()));
    } else if (!amount.is_integer()) {
      errors.push_back(fmt::format("{}.resources.{}[{}]: Invalid value: \"{}\": must be an integer", path, list, name,
                                   amount.to_string()));
    }
  };
  for (const auto& [name, limit] : resources.limits) {
    if (objects::is_extended_resource(name)) {
      check_whole("limits", name, limit);
    }
  }
  for (const auto& [name, request] : resources.requests) {
    if (!objects::is_extended_resource(name)) {
      continue;
    }
    const Quantity* const limit = objects::find(resources.limits, name);
    check_whole("requests", name, request);
    if (limit == nullptr) {
      errors.push_back(
          fmt::format("{}.resources.limits: Required value: Limit must be set for non overcommitable resources", path));
    } else if (request != *limit) {
      errors.push_back(fmt::format("{}.resources.requests: Invalid value: \"{}\": must be equal to {} limit of {}",
                                   path, request.to_string(), name, limit->to_string()));
    }
  }
}

std::vector<std::string> check_extended_resources(const objects::PodSpec& spec) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    check_container(spec.containers[i], fmt::format("spec.containers[{}]", i), errors);
  }
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    check_container(spec.init_containers[i], fmt::format("spec.initContainers[{}]", i), errors);
  }
  return errors;
}

}  // namespace

void set_defaults(objects::PodSpec& spec) {
  for (auto* const containers : {&spec.containers, &spec.init_containers}) {
    for (objects::Container& container : *containers) {
      default_requests(container.resources);
    }
  }
  if (!spec.resources) {
    return;
  }
  // A pod-level limit alone is a request as well, but the containers' own sum goes before it.
  for (const auto& [name, limit] : spec.resources->limits) {
    if (objects::find(spec.resources->requests, name) == nullptr && !some_container_requests(spec, name)) {
      spec.resources->requests.emplace_back(name, limit);
    }
  }
}

Diagnostics admit_pods(ClusterDump& dump) {
  Diagnostics errors;
  std::vector<bool> checked(dump.pod_specs.size());
  for (const PodRecord& record : dump.pods) {
    if (checked[record.spec]) {
      continue;
    }
    checked[record.spec] = true;
    objects::PodSpec& spec = dump.pod_specs[record.spec];
    for (std::string& message : check_extended_resources(spec)) {
      Diagnostic& error = errors.emplace_back();
      error.code = "invalid-pod";
      error.message = std::move(message);
      error.source = dump.sources[record.place.source];
      error.object = fmt::format("pod {}", record.full_name());
    }
    set_defaults(spec);
  }
  return errors;
}

}  // namespace gpusched::io
