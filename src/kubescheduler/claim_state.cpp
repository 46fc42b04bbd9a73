#include "kubescheduler/claim_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>

#include "kubescheduler/extended_claim.hpp"
#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/old_allocator.hpp"
#include "kubescheduler/profile.hpp"

namespace gpusched::kubescheduler {

Status ClaimState::prepare() {
  auto claims = find_pod_claims(cycle_.snapshot, cycle_.pod, cycle_.rules);
  if (!claims) {
    return cycle_.reasons.unresolvable(claims.error());
  }
  find_extended_resources();
  if (extended_claim_ != nullptr) {
    claims->push_back(extended_claim_);
  }
  bool any_to_allocate = false;
  for (const objects::ResourceClaim* const claim : *claims) {
    if (const Status status = check_claim(*claim, is_extended(claim)); !status.ok()) {
      return status;
    }
    any_to_allocate = any_to_allocate || !claim->allocation;
  }
  if (any_to_allocate) {
    make_allocator(*claims);
  }
  claims_ = *std::move(claims);
  return {};
}

void ClaimState::find_extended_resources() {
  if (!cycle_.rules.extended_resources_by_dra) {
    return;
  }
  objects::PodRequestRules rules;
  rules.use_status = false;
  const objects::ResourceAmounts amounts = objects::resource_amounts(objects::pod_requests(cycle_.pod, rules));
  const bool served = std::ranges::any_of(amounts.scalars, [&](const auto& entry) {
    return entry.second != 0 && cycle_.extended_resources.find(entry.first) != nullptr;
  });
  if (!served) {
    return;
  }
  scalars_ = amounts.scalars;
  extended_claim_ = find_extended_resource_claim(cycle_);
  if (extended_claim_ == nullptr) {
    new_claim_.name = "<extended-resources>";
    new_claim_.namespace_name = cycle_.pod.meta.namespace_name;
    extended_claim_ = &new_claim_;
  }
}

Status ClaimState::check_claim(const objects::ResourceClaim& claim, bool extended) {
  if (claim.allocation || extended) {
    return {};
  }
  bool is_error = false;
  std::string error = request_error(cycle_, claim, is_error);
  if (error.empty()) {
    return {};
  }
  return is_error ? cycle_.reasons.error(std::move(error)) : cycle_.reasons.unresolvable(std::move(error));
}

void ClaimState::make_allocator(const ClaimList& claims) {
  const auto wants_all = [](const objects::DeviceRequest& request) {
    return (request.exactly && request.exactly->allocation_mode == "All") ||
           std::ranges::any_of(request.first_available, [](const objects::DeviceSubRequest& subrequest) {
             return subrequest.requirements.allocation_mode == "All";
           });
  };
  const bool lenient = cycle_.rules.allocator.incomplete_pools_are_used &&
                       std::ranges::none_of(claims, [&](const objects::ResourceClaim* claim) {
                         return std::ranges::any_of(claim->devices.requests, wants_all);
                       });
  devices_ = cycle_.devices != nullptr && !lenient
                 ? cycle_.devices
                 : make_claim_devices(cycle_.snapshot, cycle_.rules, *cycle_.selectors, lenient);
  if (cycle_.rules.allocator.invalid_pools_fail) {
    slice_index_.emplace(devices_->slices);
  }
}

Status ClaimState::filter(NodeIndex node) {
  const auto [entry, is_new] = outcomes_.try_emplace(node.value);
  if (is_new) {
    entry->second = find_outcome(node);
  }
  return entry->second.status;
}

NodeOutcome ClaimState::find_outcome(NodeIndex index) {
  const NodeState& node = cycle_.snapshot.node(index);
  NodeClaim node_claim;
  if (extended_claim_ != nullptr) {
    if (const Status status = extended_claim_on(node, node_claim); !status.ok()) {
      return {status, false, {}};
    }
    const bool no_user_claim = claims_.size() == 1;
    if (!node_claim.exists && no_user_claim) {
      return {};
    }
  }
  std::vector<std::size_t> unavailable;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    const auto& allocation = claims_[i]->allocation;
    if (allocation && allocation->node_selector &&
        !matches(*allocation->node_selector, node.object->meta.labels, node.name())) {
      unavailable.push_back(i);
    }
  }
  NodeOutcome outcome;
  if (devices_ != nullptr) {
    outcome = allocate(node, node_claim, gives_with_answers_);
    if (!outcome.status.ok()) {
      return outcome;
    }
  }
  if (!unavailable.empty()) {
    unavailable_.insert(unavailable.begin(), unavailable.end());
    return {cycle_.reasons.unresolvable("resourceclaim not available on the node"), false, {}};
  }
  return outcome;
}

Status ClaimState::extended_claim_on(const NodeState& node, NodeClaim& node_claim) {
  if (!extended_claim_->devices.requests.empty()) {
    return cycle_.reasons.unresolvable("cannot schedule extended resource claim");
  }
  ExtendedResources resources;
  for (const auto& [name, amount] : scalars_) {
    const bool implicit = name.starts_with("deviceclass.resource.kubernetes.io/");
    if (amount == 0 || (!implicit && !objects::is_extended_resource(name))) {
      continue;
    }
    const ResourceIndex resource = cycle_.snapshot.find_resource(name);
    if (cycle_.extended_resources.find(name) != nullptr && node.allocatable_of(resource) == 0) {
      resources[name] = amount;
    } else if (!node.offers(resource)) {
      return cycle_.reasons.unresolvable("cannot fit resource");
    }
  }
  const bool no_user_claim = claims_.size() == 1;
  if ((no_user_claim && resources.empty()) || extended_claim_->allocation) {
    return {};
  }
  node_claim.exists = true;
  node_claim.claim = *extended_claim_;
  node_claim.claim.devices.requests = extended_resource_requests(cycle_, resources);
  return {};
}

namespace {

/// Steps of the real search in the timeout of the profile; 0: it has none.
std::uint64_t timeout_steps(const Cycle& cycle) {
  constexpr std::int64_t kDefaultTimeout = 10'000;  // that dra_timeout_steps are meant for
  const std::int64_t timeout = profile_of(cycle).dynamic_resources.filter_timeout_ms;
  const std::uint64_t steps = cycle.options.dra_timeout_steps;
  if (!cycle.rules.dra_filter_timeout || timeout == 0 || steps == 0) {
    return 0;
  }
  const double scaled = static_cast<double>(steps) * static_cast<double>(timeout) / kDefaultTimeout;
  return timeout == kDefaultTimeout ? steps : static_cast<std::uint64_t>(std::clamp(scaled, 1.0, 1e18));
}

}  // namespace

NodeOutcome ClaimState::allocate(const NodeState& node, const NodeClaim& node_claim, bool with_results) {
  ClaimList to_allocate;
  for (const objects::ResourceClaim* const claim : claims_) {
    if (!claim->allocation) {
      to_allocate.push_back(is_extended(claim) && node_claim.exists ? &node_claim.claim : claim);
    }
  }
  const AllocatorRules& old = cycle_.rules.allocator;
  const dra::NodeFacts facts{node.name(), node.object->meta.labels, node.object->status.declared_features};
  std::vector<dra::Pool> pools;
  if (slice_index_) {
    pools = dra::gather_pools(*slice_index_, facts, cycle_.rules.dra, devices_->allocator->implementation())
                .value_or(std::vector<dra::Pool>());
  }
  if (std::string refusal = refusal_of_old_allocator(old, to_allocate, pools); !refusal.empty()) {
    return {cycle_.reasons.error(std::move(refusal)), false, {}};
  }
  std::list<objects::ResourceClaim> kept;
  to_allocate = claims_for_old_allocator(old, std::move(to_allocate), kept);
  dra::AllocateOptions options;
  options.max_calls = cycle_.options.max_steps;
  options.count_steps = false;
  options.seed = cycle_.options.seed;
  options.allocations = with_results;
  options.timeout_steps = timeout_steps(cycle_);
  dra::AllocationAnswer answer = devices_->allocator->allocate(facts, to_allocate, options);
  if (answer.times_out) {
    return {cycle_.reasons.error(fmt::format("node {}: timed out trying to allocate devices", node.name())), false, {}};
  }
  answer.error = error_of_old_allocator(old, std::move(answer.error), to_allocate);
  if (!old.tolerations_in_results) {
    for (objects::AllocationResult& allocation : answer.allocations) {
      for (objects::DeviceRequestAllocationResult& result : allocation.results) {
        result.tolerations.clear();
      }
    }
  }
  switch (answer.outcome) {
    case dra::AllocationOutcome::kNodeError:
      return {cycle_.reasons.unresolvable(std::move(answer.error)), false, {}};
    case dra::AllocationOutcome::kError:
      return {cycle_.reasons.error(std::move(answer.error)), false, {}};
    case dra::AllocationOutcome::kUndecided:
      undecided_ = true;
      [[fallthrough]];
    case dra::AllocationOutcome::kDoesNotFit:
      return {cycle_.reasons.unresolvable("cannot allocate all claims"), false, {}};
    case dra::AllocationOutcome::kAllocated:
      break;
  }
  return {{}, true, with_results ? std::optional(std::move(answer.allocations)) : std::nullopt};
}

/// Earlier alternatives of a request are worth more: 8 for the first.
std::int64_t ClaimState::score(NodeIndex node) {
  constexpr std::int64_t kMaxAlternatives = 8;
  const auto has_alternatives = [](const objects::ResourceClaim* claim) {
    return std::ranges::any_of(claim->devices.requests,
                               [](const auto& request) { return !request.first_available.empty(); });
  };
  const auto found = outcomes_.find(node.value);
  if (found == outcomes_.end() || !found->second.allocates || std::ranges::none_of(claims_, has_alternatives)) {
    return 0;
  }
  const std::span<const objects::AllocationResult> given = given_by(node);
  std::int64_t score = 0;
  std::size_t next = 0;
  for (const objects::ResourceClaim* const claim : claims_) {
    const objects::AllocationResult& allocation = claim->allocation ? *claim->allocation : given[next++];
    for (const objects::DeviceRequest& request : claim->devices.requests) {
      for (std::size_t i = 0; i < request.first_available.size(); ++i) {
        const std::string reference = request.name + "/" + request.first_available[i].name;
        const bool chosen =
            std::ranges::any_of(allocation.results, [&](const auto& result) { return result.request == reference; });
        score += chosen ? kMaxAlternatives - static_cast<std::int64_t>(i) : 0;
      }
    }
  }
  return score;
}

DynamicResources::PostFilter ClaimState::post_filter() {
  PostFilter result;
  const bool old_text = cycle_.rules.dra_post_filter_text;
  if (claims_.empty()) {
    if (old_text) {
      result.reasons.emplace_back("no new claims to deallocate");
    }
    return result;
  }
  for (const std::size_t index : unavailable_) {
    const objects::ResourceClaim& claim = *claims_[index];
    const auto& users = claim.reserved_for;
    if (!is_extended(&claim) && (users.empty() || (users.size() == 1 && users.front().uid == cycle_.pod.meta.uid))) {
      result.deallocated.push_back(claim.namespace_name + "/" + claim.name);
    }
  }
  if (!result.deallocated.empty()) {
    result.reasons.emplace_back("deallocation of ResourceClaim completed");
  } else if (extended_claim_ != nullptr && !made_now()) {
    result.deleted_claims.push_back(extended_claim_->namespace_name + "/" + extended_claim_->name);
    result.reasons.emplace_back("deletion of ResourceClaim completed");
  } else if (old_text) {
    result.reasons.emplace_back("still not schedulable");
  }
  return result;
}

std::vector<ClaimAllocation> ClaimState::allocations(NodeIndex node) {
  std::vector<ClaimAllocation> result;
  const auto found = outcomes_.find(node.value);
  if (found == outcomes_.end() || !found->second.status.ok()) {
    return result;
  }
  const std::span<const objects::AllocationResult> given = given_by(node);
  std::size_t next = 0;
  for (const objects::ResourceClaim* const claim : claims_) {
    if (claim->allocation && is_reserved(*claim)) {
      continue;  // nothing is written
    }
    if (claim->allocation) {
      result.push_back({claim->namespace_name, claim->name, *claim->allocation});
    } else if (next < given.size()) {
      const objects::AllocationResult& allocation = given[next++];
      if (!is_extended(claim) || !made_now()) {
        result.push_back({claim->namespace_name, claim->name, allocation});
      } else if (!allocation.results.empty()) {
        result.push_back({claim->namespace_name, cycle_.pod.meta.name + "-extended-resources-00001", allocation});
      }
    }
  }
  return result;
}

void ClaimState::keep_claims() {
  for (const objects::ResourceClaim*& claim : claims_) {
    claim = &kept_claims_.emplace_back(*claim);
  }
}

std::span<objects::AllocationResult> ClaimState::given_by(NodeIndex index) {
  const auto found = outcomes_.find(index.value);
  if (found == outcomes_.end() || !found->second.allocates) {
    return {};
  }
  NodeOutcome& outcome = found->second;
  if (!outcome.given) {
    const NodeState& node = cycle_.snapshot.node(index);
    NodeClaim node_claim;
    if (extended_claim_ != nullptr) {
      static_cast<void>(extended_claim_on(node, node_claim));  // as the filter, which passed
    }
    outcome.given = std::move(allocate(node, node_claim, true).given);
  }
  return *outcome.given;
}

std::vector<objects::AllocationResult> ClaimState::take_from(NodeIndex node) {
  const std::span<objects::AllocationResult> given = given_by(node);
  std::vector<objects::AllocationResult> result(std::make_move_iterator(given.begin()),
                                                std::make_move_iterator(given.end()));
  forget(node);
  return result;
}

std::string ClaimState::binding_error() const {
  constexpr std::size_t kMaxConsumers = 256;  // validation of status.reservedFor in pkg/apis/resource
  for (const objects::ResourceClaim* const claim : claims_) {
    const std::size_t users = claim->reserved_for.size();
    if (claim->allocation && users >= kMaxConsumers && !is_reserved(*claim)) {
      return fmt::format(
          "running PreBind plugin \"DynamicResources\": add reservation to claim {}/{}: ResourceClaim.resource.k8s.io "
          "\"{}\" is invalid: status.reservedFor: Too many: {}: must have at most {} items",
          claim->namespace_name, claim->name, claim->name, users + 1, kMaxConsumers);
    }
  }
  return {};
}

}  // namespace gpusched::kubescheduler
