#include "dra/fixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "dra/question.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::dra {

namespace {

using objects::DeviceRequirements;
using objects::ResourceClaim;

constexpr std::size_t kMaxHolders = 64, kMinHolders = 4;
/// Each holder that is tried needs a look at all devices.
constexpr std::size_t kMaxDeviceLooks = 4'000'000;
constexpr std::size_t kMaxNodesToFree = 16;
constexpr std::size_t kMaxSelectorBytes = 120;
constexpr std::size_t kMaxShownDevices = 8;
constexpr std::int64_t kMostDevices = kMaxDevicesPerClaim;

class FixFinder {
 public:
  FixFinder(Trials& trials, Trials::Claims claims, const Evidence& evidence)
      : trials_(trials), claims_(claims), evidence_(evidence) {
    for (std::uint32_t c = 0; c < claims.size(); ++c) {
      const std::vector<objects::DeviceRequest>& requests = claims[c]->devices.requests;
      for (std::uint32_t r = 0; r < requests.size(); ++r) {
        if (requests[r].exactly && requests[r].first_available.empty()) places_.push_back({c, r, LeafPlace::kNone});
        for (std::uint32_t s = 0; s < requests[r].first_available.size(); ++s) places_.push_back({c, r, s});
      }
    }
  }

  std::vector<Fix> find(std::span<const Replacement> replacements);

 private:
  void ask_for_fewer(const LeafPlace& place);
  bool replace_selector(const Replacement& replacement);
  void tolerate(const LeafPlace& place);
  void drop_constraints();
  void ask_for_less(const LeafPlace& place);
  void free_a_claim();
  void free_devices_of_pods();
  void drop_selector(const LeafPlace& place, std::size_t selector);
  void add_a_node();

  /// The claims with one of them changed.
  template <class Change>
  std::optional<Trials::Found> fits_changed(std::uint32_t claim, Change&& change);
  template <class Change>
  std::optional<Trials::Found> fits_changed_at(const LeafPlace& place, Change&& change);
  void add(std::string change, const Trials::Found& found) { fixes_.push_back({std::move(change), effect(found)}); }
  std::string effect(const Trials::Found& found) const;
  std::string where(const LeafPlace& place) const;
  std::string of_claim(std::uint32_t claim) const {
    return claims_.size() > 1 ? fmt::format("claim {}: ", name_of(*claims_[claim])) : "";
  }

  Trials& trials_;
  Trials::Claims claims_;
  const Evidence& evidence_;
  std::vector<LeafPlace> places_;
  std::vector<Fix> fixes_;
};

DeviceRequirements& requirements(ResourceClaim& claim, const LeafPlace& place) {
  objects::DeviceRequest& request = claim.devices.requests[place.request];
  if (place.subrequest == LeafPlace::kNone) return *request.exactly;
  return request.first_available[place.subrequest].requirements;
}

template <class Change>
std::optional<Trials::Found> FixFinder::fits_changed(std::uint32_t claim, Change&& change) {
  ResourceClaim copy = *claims_[claim];
  change(copy);
  std::vector<const ResourceClaim*> all(claims_.begin(), claims_.end());
  all[claim] = &copy;
  return trials_.fits(all);
}

template <class Change>
std::optional<Trials::Found> FixFinder::fits_changed_at(const LeafPlace& place, Change&& change) {
  return fits_changed(place.claim, [&](ResourceClaim& claim) { change(requirements(claim, place)); });
}

std::string FixFinder::effect(const Trials::Found& found) const {
  std::string devices;
  std::size_t count = 0;
  for (const objects::AllocationResult& allocation : found.allocations) {
    for (const auto& result : allocation.results) {
      if (++count > kMaxShownDevices) continue;
      devices += fmt::format("{}{}/{}", devices.empty() ? "" : ", ", result.pool, result.device);
    }
  }
  if (count > kMaxShownDevices) devices += fmt::format(" and {} more", count - kMaxShownDevices);
  return fmt::format("allocated on {}: {}", trials_.input().nodes[found.node].name,
                     devices.empty() ? "no devices" : devices);
}

std::string FixFinder::where(const LeafPlace& place) const {
  const objects::DeviceRequest& request = claims_[place.claim]->devices.requests[place.request];
  const std::string subrequest =
      place.subrequest == LeafPlace::kNone ? "" : "/" + request.first_available[place.subrequest].name;
  return fmt::format("{}request {}{}: ", of_claim(place.claim), request.name, subrequest);
}

void FixFinder::ask_for_fewer(const LeafPlace& place) {
  const DeviceRequirements& wanted = requirements_of(*claims_[place.claim], place);
  if (wanted.allocation_mode != "ExactCount") return;
  for (std::int64_t count = std::min(wanted.count - 1, kMostDevices); count > 0; --count) {
    const auto found = fits_changed_at(place, [&](DeviceRequirements& changed) { changed.count = count; });
    if (!found) continue;
    add(fmt::format("{}ask for {} device{} in place of {}", where(place), count, count == 1 ? "" : "s", wanted.count),
        *found);
    return;
  }
}

/// Whether the selector was replaced: then nobody needs to hear that it could be dropped.
bool FixFinder::replace_selector(const Replacement& replacement) {
  const auto found = fits_changed_at(replacement.place, [&](DeviceRequirements& changed) {
    changed.selectors[replacement.selector].cel = replacement.expression;
  });
  if (!found) return false;
  add(fmt::format("{}change selector #{} to {}", where(replacement.place), replacement.selector,
                  replacement.expression),
      *found);
  return true;
}

void FixFinder::tolerate(const LeafPlace& place) {
  const auto taints = evidence_.taints.find(place);
  if (taints == evidence_.taints.end()) return;
  for (const objects::DeviceTaint& taint : taints->second) {
    const auto found = fits_changed_at(place, [&](DeviceRequirements& changed) {
      changed.tolerations.push_back({taint.key, "Equal", taint.value, taint.effect, std::nullopt});
    });
    if (!found) continue;
    add(fmt::format("{}tolerate {}{}{}:{}", where(place), taint.key, taint.value.empty() ? "" : "=", taint.value,
                    taint.effect),
        *found);
    return;
  }
}

void FixFinder::drop_constraints() {
  for (std::uint32_t c = 0; c < claims_.size(); ++c) {
    const std::vector<objects::DeviceConstraint>& constraints = claims_[c]->devices.constraints;
    bool alone = false;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto found = fits_changed(c, [&](ResourceClaim& claim) {
        claim.devices.constraints.erase(claim.devices.constraints.begin() + static_cast<std::ptrdiff_t>(i));
      });
      if (!found) continue;
      alone = true;
      add(fmt::format("{}drop the constraint {}", of_claim(c), text_of(constraints[i])), *found);
    }
    if (alone || constraints.size() < 2) continue;
    const auto found = fits_changed(c, [](ResourceClaim& claim) { claim.devices.constraints.clear(); });
    if (found) add(fmt::format("{}drop all {} constraints", of_claim(c), constraints.size()), *found);
  }
}

/// Of each capacity that is asked for: the largest amount below it that some device publishes or has left.
void FixFinder::ask_for_less(const LeafPlace& place) {
  const DeviceRequirements& wanted = requirements_of(*claims_[place.claim], place);
  if (!wanted.capacity) return;
  const WhyNotInput& input = trials_.input();
  for (std::size_t i = 0; i < wanted.capacity->requests.size(); ++i) {
    const auto& [name, asked] = wanted.capacity->requests[i];
    std::vector<Quantity> amounts;
    for (const objects::ResourceSlice& slice : input.slices) {
      for (const objects::Device& device : slice.spec.devices) {
        const objects::DeviceCapacity* const capacity = objects::find(device.capacity, name);
        if (capacity == nullptr) continue;
        Quantity free = capacity->value;
        const auto shared = input.in_use.shared.find({slice.spec.driver, slice.spec.pool.name, device.name});
        if (shared != input.in_use.shared.end()) {
          if (const Quantity* const held = objects::find(shared->second, name)) free.sub(*held);
        }
        if (free < asked && free.sign() > 0) amounts.push_back(free);
      }
    }
    std::ranges::sort(amounts, [](const Quantity& a, const Quantity& b) { return a > b; });
    amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
    constexpr std::size_t kTried = 4;
    if (amounts.size() > kTried) amounts.resize(kTried);
    for (const Quantity& amount : amounts) {
      const auto found =
          fits_changed_at(place, [&](DeviceRequirements& changed) { changed.capacity->requests[i].second = amount; });
      if (!found) continue;
      add(fmt::format("{}ask for {} {} in place of {}", where(place), name, amount.to_string(), asked.to_string()),
          *found);
      break;
    }
  }
}

std::vector<std::size_t> all_nodes(const WhyNotInput& input) {
  std::vector<std::size_t> nodes(input.nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = n;
  return nodes;
}

/// Nodes with devices that would match if they were free.
std::vector<std::size_t> nodes_to_free(const Evidence& evidence) {
  std::vector<std::size_t> nodes;
  for (const auto& [node, devices] : evidence.held) {
    if (nodes.size() < kMaxNodesToFree) nodes.push_back(node);
  }
  return nodes;
}

void FixFinder::free_a_claim() {
  const WhyNotInput& input = trials_.input();
  std::set<DeviceId> wanted;
  for (const auto& [node, devices] : evidence_.held) wanted.insert(devices.begin(), devices.end());
  std::size_t tried = 0, devices = 1;
  for (const objects::ResourceSlice& slice : input.slices) devices += slice.spec.devices.size();
  const std::size_t most = std::clamp(kMaxDeviceLooks / devices, kMinHolders, kMaxHolders);
  for (std::size_t h = 0; h < input.holders.size() && tried < most; ++h) {
    const bool useful = std::ranges::any_of(input.holders[h].allocation->results, [&](const auto& result) {
      return result.share_id || wanted.contains({result.driver, result.pool, result.device});
    });
    if (!useful) continue;
    ++tried;
    InUse rest;
    InUse of_claims;
    for (std::size_t other = 0; other < input.holders.size(); ++other) {
      of_claims.add(*input.holders[other].allocation, input.features.consumable_capacity);
      if (other != h) rest.add(*input.holders[other].allocation, input.features.consumable_capacity);
    }
    // Devices of pods belong to no claim.
    std::ranges::set_difference(input.in_use.devices, of_claims.devices,
                                std::inserter(rest.devices, rest.devices.end()));
    const auto found = trials_.fits_with(rest, all_nodes(input), claims_);
    if (!found) continue;
    add(fmt::format("free claim {}", input.holders[h].name), *found);
    return;
  }
}

void FixFinder::free_devices_of_pods() {
  const WhyNotInput& input = trials_.input();
  std::set<DeviceId> of_claims;
  for (const Holder& holder : input.holders) {
    for (const auto& result : holder.allocation->results) of_claims.insert({result.driver, result.pool, result.device});
  }
  std::vector<DeviceId> best;
  std::optional<Trials::Found> best_found;
  for (const std::size_t node : nodes_to_free(evidence_)) {
    const std::size_t nodes[] = {node};
    InUse rest = input.in_use;
    for (const DeviceId& device : evidence_.held.at(node)) {
      if (!of_claims.contains(device)) rest.devices.erase(device);
    }
    auto found = trials_.fits_with(rest, nodes, claims_);
    if (!found) continue;
    // What the allocation does not use can stay; then each of the rest in turn.
    std::vector<DeviceId> freed;
    for (const DeviceId& device : evidence_.held.at(node)) {
      const bool used = std::ranges::any_of(found->allocations, [&](const objects::AllocationResult& allocation) {
        return std::ranges::any_of(allocation.results, [&](const auto& result) {
          return DeviceId{result.driver, result.pool, result.device} == device;
        });
      });
      if (used && !of_claims.contains(device)) freed.push_back(device);
    }
    for (std::size_t i = 0; i < freed.size() && freed.size() > 1;) {
      InUse kept = input.in_use;
      for (const DeviceId& device : freed) {
        if (device != freed[i]) kept.devices.erase(device);
      }
      if (auto fewer = trials_.fits_with(kept, nodes, claims_)) {
        found = std::move(fewer);
        freed.erase(freed.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (freed.empty() || (!best.empty() && best.size() <= freed.size())) continue;
    best = std::move(freed);
    best_found = std::move(found);
  }
  if (!best_found) return;
  std::string devices;
  for (const DeviceId& device : best) {
    devices += fmt::format("{}{}/{}", devices.empty() ? "" : " and ", device.pool, device.device);
  }
  add(fmt::format("free {}, which pods hold", devices), *best_found);
}

void FixFinder::drop_selector(const LeafPlace& place, std::size_t selector) {
  const auto at = static_cast<std::ptrdiff_t>(selector);
  const auto found = fits_changed_at(
      place, [&](DeviceRequirements& changed) { changed.selectors.erase(changed.selectors.begin() + at); });
  if (!found) return;
  const std::string expression = requirements_of(*claims_[place.claim], place).selectors[selector].cel.value_or("");
  add(fmt::format("{}drop selector #{} ({}), if other devices will do", where(place), selector,
                  shorten(expression, kMaxSelectorBytes)),
      *found);
}

// A copy of a node brings the devices of slices that name the node, not those that many nodes share.
void FixFinder::add_a_node() {
  const WhyNotInput& input = trials_.input();
  for (std::size_t i = 0; i < evidence_.kinds.size() && i < kMaxNodesToFree; ++i) {
    const std::size_t nodes[] = {evidence_.kinds[i]};
    const std::string& name = input.nodes[nodes[0]].name;
    InUse rest = input.in_use;
    bool any = false;
    for (const objects::ResourceSlice& slice : input.slices) {
      if (slice.spec.node_name != name) continue;
      for (const objects::Device& device : slice.spec.devices) {
        const DeviceId id{slice.spec.driver, slice.spec.pool.name, device.name};
        any |= rest.devices.erase(id) + rest.shared.erase(id) != 0;
      }
    }
    if (!any || !trials_.fits_with(rest, nodes, claims_)) continue;
    fixes_.push_back({fmt::format("add a node like {}, with all its devices free", name), "allocated there"});
    return;
  }
}

std::vector<Fix> FixFinder::find(std::span<const Replacement> replacements) {
  for (const LeafPlace& place : places_) ask_for_fewer(place);
  std::set<std::pair<LeafPlace, std::size_t>> replaced;
  for (const Replacement& replacement : replacements) {
    if (replace_selector(replacement)) replaced.emplace(replacement.place, replacement.selector);
  }
  for (const LeafPlace& place : places_) tolerate(place);
  drop_constraints();
  for (const LeafPlace& place : places_) ask_for_less(place);
  free_a_claim();
  free_devices_of_pods();
  for (const LeafPlace& place : places_) {
    const std::size_t selectors = requirements_of(*claims_[place.claim], place).selectors.size();
    for (std::size_t i = 0; i < selectors; ++i) {
      if (!replaced.contains({place, i})) drop_selector(place, i);
    }
  }
  add_a_node();
  return std::move(fixes_);
}

}  // namespace

const DeviceRequirements& requirements_of(const ResourceClaim& claim, const LeafPlace& place) {
  const objects::DeviceRequest& request = claim.devices.requests[place.request];
  if (place.subrequest == LeafPlace::kNone) return *request.exactly;
  return request.first_available[place.subrequest].requirements;
}

std::string text_of(const objects::DeviceConstraint& constraint) {
  return constraint.match_attribute ? "matchAttribute " + *constraint.match_attribute
                                    : "distinctAttribute " + constraint.distinct_attribute.value_or("");
}

std::vector<Fix> find_fixes(Trials& trials, Trials::Claims claims, const Evidence& evidence,
                            std::span<const Replacement> replacements) {
  return FixFinder(trials, claims, evidence).find(replacements);
}

}  // namespace gpusched::dra
