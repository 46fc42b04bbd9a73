#include "kubescheduler/extended_claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace gpusched::kubescheduler {

namespace {

using Requests = std::vector<std::optional<objects::DeviceRequest>>;

/// The position of the resource among the names that the container requests.
std::size_t position_of(const objects::Container& container, std::string_view resource) {
  return static_cast<std::size_t>(
      std::ranges::count_if(container.resources.requests, [&](const auto& entry) { return entry.first < resource; }));
}

/// What a container still needs beside the devices of `reusable`; none when that is enough.
std::optional<objects::DeviceRequest> request_of(std::size_t index, const objects::Container& container,
                                                 const std::string& resource, const std::string& class_name,
                                                 std::span<const std::optional<objects::DeviceRequest>> reusable) {
  const Quantity* const quantity = objects::find(container.resources.requests, resource);
  const std::int64_t wanted = quantity == nullptr ? 0 : quantity->as_int64().value_or(0);
  if (wanted == 0) {
    return std::nullopt;
  }
  std::int64_t covered = 0;
  for (const auto& request : reusable) {
    covered += request ? request->exactly->count : 0;
    if (request && covered >= wanted) {
      return std::nullopt;
    }
  }
  objects::DeviceRequest request;
  request.name = fmt::format("container-{}-request-{}", index, position_of(container, resource));
  request.exactly.emplace();
  request.exactly->device_class_name = class_name;
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = wanted - covered;
  return request;
}

void add_resource(const std::vector<const objects::Container*>& containers, std::size_t init_count,
                  const std::string& resource, const std::string& class_name,
                  std::vector<objects::DeviceRequest>& requests) {
  const auto short_lived = [&](std::size_t i) { return i < init_count && !containers[i]->is_sidecar(); };
  Requests long_lived(containers.size());
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!short_lived(i)) {
      long_lived[i] = request_of(i, *containers[i], resource, class_name, {});
    }
  }
  std::optional<objects::DeviceRequest> largest;  // of the init containers, which run one after the other
  for (std::size_t i = 0; i < init_count; ++i) {
    if (!short_lived(i)) {
      continue;
    }
    auto request = request_of(i, *containers[i], resource, class_name, std::span(long_lived).subspan(i));
    if (request && (!largest || largest->exactly->count < request->exactly->count)) {
      largest = std::move(request);
    }
  }
  if (largest) {
    requests.push_back(*std::move(largest));
  }
  for (auto& request : long_lived) {
    if (request) {
      requests.push_back(*std::move(request));
    }
  }
}

}  // namespace

std::vector<objects::DeviceRequest> extended_resource_requests(const Cycle& cycle, const ExtendedResources& resources) {
  std::vector<const objects::Container*> containers;
  for (const auto* const list : {&cycle.pod.spec->init_containers, &cycle.pod.spec->containers}) {
    for (const objects::Container& container : *list) {
      containers.push_back(&container);
    }
  }
  std::vector<objects::DeviceRequest> requests;
  for (const auto& [resource, amount] : resources) {
    const objects::DeviceClass* const device_class = cycle.extended_resources.find(resource);
    add_resource(containers, cycle.pod.spec->init_containers.size(), resource, device_class->name, requests);
  }
  std::ranges::stable_sort(requests, {}, &objects::DeviceRequest::name);
  return requests;
}

}  // namespace gpusched::kubescheduler
