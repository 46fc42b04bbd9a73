#include "kubescheduler/pod_claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kubescheduler/dynamic_resources.hpp"

namespace gpusched::kubescheduler {

namespace {

struct ClaimName {
  std::string name;        ///< "": no claim is needed
  bool generated = false;  ///< from a template, so that it must be the pod's
};

std::expected<ClaimName, std::string> name_of_claim(const objects::Pod& pod, const objects::PodResourceClaim& entry) {
  if (entry.claim_name) {
    return ClaimName{*entry.claim_name, false};
  }
  const auto& statuses = pod.status->resource_claim_statuses;
  const auto status = std::ranges::find(statuses, entry.name, &objects::PodResourceClaimStatus::name);
  if (status == statuses.end()) {
    return std::unexpected(
        fmt::format("pod \"{}/{}\": ResourceClaim not created yet", pod.meta.namespace_name, pod.meta.name));
  }
  return ClaimName{status->claim_name.value_or(""), true};
}

bool has_class(const Cycle& cycle, std::string_view name) {
  const auto& classes = cycle.snapshot.objects().device_classes;
  return std::ranges::find(classes, name, &objects::DeviceClass::name) != classes.end();
}

std::string class_error(const Cycle& cycle, const std::string& request, const std::string& class_name, bool& is_error) {
  if (class_name.empty()) {
    is_error = true;
    return fmt::format("request {}: unsupported request type", request);
  }
  return has_class(cycle, class_name) ? ""
                                      : fmt::format("request {}: device class {} does not exist", request, class_name);
}

}  // namespace

std::expected<ClaimList, std::string> find_pod_claims(const Snapshot& snapshot, const objects::Pod& object,
                                                      const SchedulerRules& rules) {
  const objects::ObjectMeta& pod = object.meta;
  ClaimList claims;
  for (const objects::PodResourceClaim& entry : object.spec->resource_claims) {
    auto name = name_of_claim(object, entry);
    if (!name) {
      return std::unexpected(std::move(name.error()));
    }
    if (name->name.empty()) {
      continue;
    }
    const auto* const claim = snapshot.find_resource_claim(pod.namespace_name, name->name);
    if (claim == nullptr) {
      return std::unexpected(fmt::format("could not find ResourceClaim \"{}/{}\"", pod.namespace_name, name->name));
    }
    if (claim->being_deleted) {
      return std::unexpected(fmt::format("resourceclaim \"{}\" is being deleted", claim->name));
    }
    if (name->generated && (claim->owner_uid.empty() || claim->owner_uid != pod.uid)) {
      const std::string_view kind = rules.old_owner_text ? "pod" : "Pod";
      return std::unexpected(fmt::format("ResourceClaim {}/{} was not created for {} {}/{} ({} is not owner)",
                                         claim->namespace_name, claim->name, kind, pod.namespace_name, pod.name, kind));
    }
    claims.push_back(claim);
  }
  return claims;
}

std::string claim_error(const Cycle& cycle) {
  auto claims = find_pod_claims(cycle.snapshot, cycle.pod, cycle.rules);
  return claims ? std::string() : std::move(claims.error());
}

const objects::ResourceClaim* find_extended_resource_claim(const Cycle& cycle) {
  for (const objects::ResourceClaim& claim : cycle.snapshot.resource_claims()) {
    if (claim.for_extended_resources && !claim.owner_uid.empty() && claim.owner_uid == cycle.pod.meta.uid) {
      return &claim;
    }
  }
  return nullptr;
}

std::string request_error(const Cycle& cycle, const objects::ResourceClaim& claim, bool& is_error) {
  is_error = false;
  for (const objects::DeviceRequest& request : claim.devices.requests) {
    if (request.exactly) {
      if (std::string error = class_error(cycle, request.name, request.exactly->device_class_name, is_error);
          !error.empty()) {
        return error;
      }
      continue;
    }
    if (request.first_available.empty()) {
      return fmt::format("resource claim {}/{}, request {}: unknown request type", claim.namespace_name, claim.name,
                         request.name);
    }
    for (const objects::DeviceSubRequest& subrequest : request.first_available) {
      if (std::string error = class_error(cycle, request.name + "/" + subrequest.name,
                                          subrequest.requirements.device_class_name, is_error);
          !error.empty()) {
        return error;
      }
    }
  }
  return {};
}

}  // namespace gpusched::kubescheduler
