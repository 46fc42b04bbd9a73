#include "dra/claim_reason.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dra/fixes.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::dra {

namespace {

using objects::DeviceRequest;
using objects::DeviceRequirements;
using objects::ResourceClaim;

/// Finds the reason by asking what-if questions about one claim on all nodes.
class ReasonFinder {
 public:
  ReasonFinder(Trials& trials, const ResourceClaim& claim) : trials_(trials), claim_(claim) {}

  std::string find() const;

 private:
  bool fits(const ResourceClaim& claim, const Trials::Relaxed& relaxed) const {
    const ResourceClaim* const claims[] = {&claim};
    return trials_.fits(claims, relaxed).has_value();
  }
  std::string unmatched_request() const;
  std::string violated_constraints() const;
  std::string too_few() const;

  Trials& trials_;
  const ResourceClaim& claim_;
};

/// The claim with this request only, for one device, without constraints and amounts.
ResourceClaim one_device(const ResourceClaim& claim, const DeviceRequest& request) {
  ResourceClaim single = claim;
  single.devices.constraints.clear();
  single.devices.config.clear();
  single.devices.requests = {request};
  const auto reduce = [](DeviceRequirements& wanted) {
    wanted.allocation_mode = "ExactCount";
    wanted.count = 1;
    wanted.capacity.reset();
  };
  DeviceRequest& only = single.devices.requests.front();
  if (only.exactly) reduce(*only.exactly);
  for (objects::DeviceSubRequest& subrequest : only.first_available) reduce(subrequest.requirements);
  return single;
}

std::string ReasonFinder::unmatched_request() const {
  for (const DeviceRequest& request : claim_.devices.requests) {
    if (fits(one_device(claim_, request), {.everything_free = true, .taints_ignored = true})) continue;
    const std::string which = claim_.devices.requests.size() > 1 ? fmt::format("request {}: ", request.name) : "";
    const bool every = !request.first_available.empty();
    return fmt::format("{}no device on any node matches the DeviceClass and the selectors{}", which,
                       every ? " of any subrequest" : "");
  }
  return "";
}

std::string ReasonFinder::violated_constraints() const {
  if (claim_.devices.constraints.empty()) return "";
  ResourceClaim free = claim_;
  free.devices.constraints.clear();
  if (!fits(free, {})) return "";
  std::vector<std::string> violated;
  for (std::size_t i = 0; i < claim_.devices.constraints.size(); ++i) {
    ResourceClaim without = claim_;
    without.devices.constraints.erase(without.devices.constraints.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits(without, {})) {
      violated = {text_of(claim_.devices.constraints[i])};
      break;
    }
    violated.push_back(text_of(claim_.devices.constraints[i]));
  }
  return "enough devices, but no combination satisfies " + join(violated, " and ");
}

/// How many devices a lone request would get, when it asks for more.
std::string ReasonFinder::too_few() const {
  if (claim_.devices.requests.size() != 1 || !claim_.devices.requests.front().exactly) return "";
  const std::int64_t wanted = claim_.devices.requests.front().exactly->count;
  for (std::int64_t count = std::min<std::int64_t>(wanted - 1, 32); count > 0; --count) {
    ResourceClaim fewer = claim_;
    fewer.devices.requests.front().exactly->count = count;
    if (!fits(fewer, {})) continue;
    return fmt::format("{} devices are asked for, the most that one node can give is {}", wanted, count);
  }
  return "";
}

std::string ReasonFinder::find() const {
  if (std::string unmatched = unmatched_request(); !unmatched.empty()) return unmatched;
  if (std::string violated = violated_constraints(); !violated.empty()) return violated;
  if (fits(claim_, {.taints_ignored = true})) return "the devices that match have taints that no toleration covers";
  if (fits(claim_, {.everything_free = true})) {
    const bool counted = std::ranges::any_of(trials_.input().slices,
                                             [](const auto& slice) { return !slice.spec.shared_counters.empty(); });
    return counted ? "too many of the devices that match are allocated, or too much of the counters that they share"
                   : "too many of the devices that match are allocated";
  }
  if (std::string few = too_few(); !few.empty()) return few;
  return "no node has enough devices that match, even if all were free";
}

}  // namespace

std::string reason_against(Trials& trials, const ResourceClaim& claim) {
  return ReasonFinder(trials, claim).find();
}

}  // namespace gpusched::dra
