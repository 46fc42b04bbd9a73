#include "kubescheduler/old_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace gpusched::kubescheduler {

namespace {

bool wants_capacity(const objects::DeviceRequest& request) {
  return (request.exactly && request.exactly->capacity) ||
         std::ranges::any_of(request.first_available,
                             [](const auto& subrequest) { return subrequest.requirements.capacity.has_value(); });
}

/// `"name" in device.attributes["domain"]`; the domain's own names come without it.
std::string has_attribute(const std::string& qualified) {
  const std::size_t slash = qualified.find('/');
  return fmt::format("'{}' in device.attributes['{}']", qualified.substr(slash + 1), qualified.substr(0, slash));
}

bool applies_to(const objects::DeviceConstraint& constraint, const std::string& request,
                const std::string& subrequest) {
  return constraint.requests.empty() || std::ranges::any_of(constraint.requests, [&](const std::string& name) {
           return name == request || (!subrequest.empty() && name == request + "/" + subrequest);
         });
}

/// A constraint that only demands the attribute is a selector.
void demand_presence(objects::ResourceClaim& claim) {
  for (const objects::DeviceConstraint& constraint : claim.devices.constraints) {
    if (!constraint.distinct_attribute) {
      continue;
    }
    const objects::DeviceSelector selector{has_attribute(*constraint.distinct_attribute)};
    for (objects::DeviceRequest& request : claim.devices.requests) {
      if (request.exactly && applies_to(constraint, request.name, "")) {
        request.exactly->selectors.push_back(selector);
      }
      for (objects::DeviceSubRequest& subrequest : request.first_available) {
        if (applies_to(constraint, request.name, subrequest.name)) {
          subrequest.requirements.selectors.push_back(selector);
        }
      }
    }
  }
  std::erase_if(claim.devices.constraints, [](const auto& constraint) { return constraint.distinct_attribute; });
}

std::int64_t smallest_count(const objects::DeviceRequest& request) {
  if (request.exactly) {
    return request.exactly->count;
  }
  std::int64_t smallest = 0;
  for (const objects::DeviceSubRequest& subrequest : request.first_available) {
    const std::int64_t count = subrequest.requirements.count;
    smallest = &subrequest == &request.first_available.front() ? count : std::min(smallest, count);
  }
  return smallest;
}

std::int64_t number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  std::int64_t number = 0;
  if (at != std::string_view::npos) {
    std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
  }
  return number;
}

/// The device and the hint are left out.
std::string old_selector_error(std::string error) {
  const std::size_t device = error.find(" on device ");
  const std::size_t cause = error.find(": CEL runtime error: ");
  if (device == std::string::npos || cause == std::string::npos || device > cause) {
    return error;
  }
  error.erase(device, cause - device);
  if (const std::size_t hint = error.find(". consider using CEL optional chaining"); hint != std::string::npos) {
    error.erase(hint);
  }
  return error;
}

/// The whole claim is counted before it is compared with the limit.
std::string old_limit_error(const std::string& error, const ClaimList& claims) {
  if (error.find(" exceeds the claim limit of ") == std::string::npos &&
      error.find(" devices exceeds the claim limit") == std::string::npos) {
    return error;
  }
  for (const objects::ResourceClaim* const claim : claims) {
    const std::string head = fmt::format("claim {}/{}, request ", claim->namespace_name, claim->name);
    if (!error.starts_with(head)) {
      continue;
    }
    const std::string request = error.substr(head.size(), error.find(": adding ") - head.size());
    std::int64_t total = number_after(error, ": adding ") + number_after(error, " of 32, with ");
    bool later = false;
    for (const objects::DeviceRequest& other : claim->devices.requests) {
      total += later ? smallest_count(other) : 0;
      later = later || other.name == request.substr(0, request.find('/'));
    }
    return fmt::format("claim {}/{}: number of requested devices {} exceeds the claim limit of 32",
                       claim->namespace_name, claim->name, total);
  }
  return error;
}

}  // namespace

std::string refusal_of_old_allocator(const AllocatorRules& rules, const ClaimList& claims,
                                     const std::vector<dra::Pool>& pools) {
  if (rules.capacity_requests_fail) {
    for (const objects::ResourceClaim* const claim : claims) {
      for (const objects::DeviceRequest& request : claim->devices.requests) {
        if (wants_capacity(request)) {
          return fmt::format(
              "claim {}/{}, request {}: has capacity requests, but the DRAConsumableCapacity feature is disabled",
              claim->namespace_name, claim->name, request.name);
        }
      }
    }
  }
  for (const dra::Pool& pool : pools) {
    if (rules.invalid_pools_fail && pool.invalid()) {
      return fmt::format("pool {} is invalid: {}", pool.name, pool.invalid_reason);
    }
  }
  return {};
}

ClaimList claims_for_old_allocator(const AllocatorRules& rules, ClaimList claims,
                                   std::list<objects::ResourceClaim>& kept) {
  if (!rules.distinct_needs_presence_only) {
    return claims;
  }
  for (const objects::ResourceClaim*& claim : claims) {
    const auto distinct = [](const auto& constraint) { return constraint.distinct_attribute.has_value(); };
    if (std::ranges::any_of(claim->devices.constraints, distinct)) {
      demand_presence(kept.emplace_back(*claim));
      claim = &kept.back();
    }
  }
  return claims;
}

void complete_pools(std::vector<objects::ResourceSlice>& slices) {
  std::map<std::pair<std::string, std::string>, std::int64_t> newest;
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const objects::ResourceSlice& slice : slices) {
    const std::pair key(slice.spec.driver, slice.spec.pool.name);
    auto [generation, is_new] = newest.try_emplace(key, slice.spec.pool.generation);
    if (is_new || slice.spec.pool.generation > generation->second) {
      generation->second = slice.spec.pool.generation;
      counts[key] = 0;
    }
    counts[key] += slice.spec.pool.generation == generation->second ? 1 : 0;
  }
  for (objects::ResourceSlice& slice : slices) {
    slice.spec.pool.resource_slice_count = counts[{slice.spec.driver, slice.spec.pool.name}];
  }
}

std::string error_of_old_allocator(const AllocatorRules& rules, std::string error, const ClaimList& claims) {
  if (!rules.device_in_selector_error) {
    error = old_selector_error(std::move(error));
  }
  if (!rules.claim_limit_names_request) {
    error = old_limit_error(error, claims);
  }
  return error;
}

}  // namespace gpusched::kubescheduler
