#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dra/capacity.hpp"
#include "dra/node_match.hpp"
#include "dra/question.hpp"
#include "dra/tolerations.hpp"

namespace gpusched::dra {

namespace {

// cel.EnhanceRuntimeError.
std::string with_hint(const std::string& error) {
  if (error.find("no such key:") == std::string::npos) return error;
  return error +
         ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for "
         "optional fields";
}

}  // namespace

QuestionCompiler::Checked QuestionCompiler::add_request(std::uint32_t claim, const objects::DeviceRequest& request,
                                                        std::int64_t& claim_devices) {
  const Features& features = cluster_.features;
  const std::string claim_name = name_of(*claims_[claim]);
  const std::string where = fmt::format("claim {}, request {}: ", claim_name, request.name);
  const bool has_subrequests = !request.first_available.empty();
  if (!features.prioritized_list && has_subrequests) {
    return std::unexpected(where + "has subrequests, but the DRAPrioritizedList feature is disabled");
  }
  // The stable implementation does not look at capacity requests.
  if (!features.consumable_capacity && cluster_.implementation != Implementation::kStable) {
    constexpr std::string_view kDisabled = "has capacity requests, but the DRAConsumableCapacity feature is disabled";
    if (request.exactly && request.exactly->capacity) return std::unexpected(where + std::string(kDisabled));
    for (const objects::DeviceSubRequest& subrequest : request.first_available) {
      if (!subrequest.requirements.capacity) continue;
      return std::unexpected(fmt::format("claim {}, subrequest {}: {}", claim_name, subrequest.name, kDisabled));
    }
  }
  Problem::Request& numbers = problem_.requests.emplace_back();
  numbers.claim = claim;
  numbers.first_leaf = static_cast<std::uint32_t>(problem_.leaves.size());
  numbers.has_subrequests = has_subrequests;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  if (!has_subrequests) {
    if (!request.exactly) return std::unexpected(where + "unknown request type");  // the real allocator crashes
    if (Checked added = add_leaf(claim, request, nullptr, fewest); !added) return added;
  }
  for (const objects::DeviceSubRequest& subrequest : request.first_available) {
    std::int64_t devices = 0;
    if (Checked added = add_leaf(claim, request, &subrequest, devices); !added) return added;
    fewest = std::min(fewest, devices);
  }
  problem_.requests.back().leaf_count =
      static_cast<std::uint32_t>(problem_.leaves.size()) - problem_.requests.back().first_leaf;
  if (fewest > static_cast<std::int64_t>(kMaxDevicesPerClaim) - claim_devices) {
    return std::unexpected(
        fmt::format("{}adding {} devices exceeds the claim limit of {}, with {} already accounted for", where, fewest,
                    kMaxDevicesPerClaim, claim_devices));
  }
  claim_devices += fewest;
  return {};
}

QuestionCompiler::Checked QuestionCompiler::add_leaf(std::uint32_t claim, const objects::DeviceRequest& request,
                                                     const objects::DeviceSubRequest* subrequest,
                                                     std::int64_t& devices) {
  Question::LeafNames names;
  names.request = &request;
  names.subrequest = subrequest;
  names.requirements = subrequest != nullptr ? &subrequest->requirements : &*request.exactly;
  const std::string claim_name = name_of(*claims_[claim]);
  const std::string where = fmt::format("claim {}, request {}", claim_name, names.bare_name());
  if (Checked valid = validate(where, names); !valid) return valid;
  names.device_class = cluster_.find_class(names.requirements->device_class_name);

  for (const objects::DeviceSelector& selector : names.device_class->selectors) {
    names.class_selectors.push_back(cluster_.selectors.compile(selector.cel.value_or("")));
  }
  for (const objects::DeviceSelector& selector : names.requirements->selectors) {
    names.own_selectors.push_back(cluster_.selectors.compile(selector.cel.value_or("")));
  }
  Problem::Leaf leaf;
  leaf.claim = claim;
  leaf.request = static_cast<std::uint32_t>(problem_.requests.size() - 1);
  if (subrequest != nullptr) {
    leaf.subrequest = static_cast<std::uint32_t>(problem_.leaves.size()) - problem_.requests.back().first_leaf;
  }
  leaf.admin = subrequest == nullptr && names.requirements->admin_access.value_or(false);
  if (names.requirements->allocation_mode == "ExactCount") {
    devices = names.requirements->count;
    leaf.count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(devices, 0, Problem::kNone - 1));
    judge_devices(claim_name, names, leaf);
  } else {
    leaf.all = true;
    if (Checked gathered = gather_all(claim_name, names, leaf); !gathered) return gathered;
    devices = static_cast<std::int64_t>(leaf.all_devices.size());
    leaf.count = static_cast<std::uint32_t>(devices);
  }
  problem_.leaves.push_back(std::move(leaf));
  question_.leaves.push_back(std::move(names));
  return {};
}

QuestionCompiler::Checked QuestionCompiler::validate(const std::string& where, const Question::LeafNames& names) const {
  const objects::DeviceRequirements& wanted = *names.requirements;
  const bool derives = cluster_.implementation == Implementation::kExperimental && cluster_.features.derived_attributes;
  if (!wanted.derived_attributes.empty() && !derives) {
    return std::unexpected(where + ": cannot handle request with derived attributes, the feature is disabled");
  }
  for (std::size_t i = 0; i < wanted.selectors.size(); ++i) {
    if (wanted.selectors[i].cel) continue;
    return std::unexpected(
        fmt::format("{}, selector #{}: CEL expression empty (unsupported selector type?)", where, i));
  }
  if (!cluster_.features.admin_access && names.subrequest == nullptr && wanted.admin_access) {
    return std::unexpected(where + ": admin access is requested, but the feature is disabled");
  }
  if (wanted.device_class_name.empty()) {
    return std::unexpected(where + ": missing device class name (unsupported request type?)");
  }
  if (cluster_.find_class(wanted.device_class_name) == nullptr) {
    return std::unexpected(
        fmt::format("{}: could not retrieve device class {}: deviceclass.resource.k8s.io \"{}\" not found", where,
                    wanted.device_class_name, wanted.device_class_name));
  }
  if (wanted.allocation_mode != "ExactCount" && wanted.allocation_mode != "All") {
    return std::unexpected(fmt::format("{}: unsupported count mode {}", where, wanted.allocation_mode));
  }
  return {};
}

QuestionCompiler::Checked QuestionCompiler::gather_all(const std::string& claim, const Question::LeafNames& names,
                                                       Problem::Leaf& leaf) {
  const std::string where = fmt::format("claim {}, request {}: ", claim, names.bare_name());
  leaf.needs.assign(question_.devices.size(), Problem::kNone);
  std::vector<Judgement> judgements(explain_ ? question_.devices.size() : 0);
  for (std::uint32_t p = 0; p < question_.pools.size(); ++p) {
    const Pool& pool = question_.pools[p];
    if (!pool.usable()) {
      return std::unexpected(fmt::format("{}asks for all devices, but resource pool {}/{} is currently {}", where,
                                         pool.driver, pool.name, pool.incomplete ? "being updated" : "invalid"));
    }
    for (std::uint32_t d = devices_.first_of_pool[p]; d < devices_.first_of_pool[p + 1]; ++d) {
      Selection selection = select(claim, names, d);
      if (!selection.error.empty()) return std::unexpected(std::move(selection.error));
      if (explain_) judgements[d] = selection.judgement;
      if (!selection.selectable()) continue;
      if (cluster_.features.consumable_capacity) {
        CapacityNeed need =
            capacity_need(names.requirements->capacity, api(d).capacity, cluster_.features.fractional_capacity_range);
        if (!need.error.empty()) {
          return std::unexpected(fmt::format("{}checking capacity for device {}: {}", where, api(d).name, need.error));
        }
        bool fits = need.possible;
        for (std::size_t i = 0; fits && i < need.amounts.size(); ++i) {
          fits = need.amounts[i] <= api(d).capacity[i].second.value;
        }
        if (!fits) {
          if (explain_) judgements[d].hurdle = Hurdle::kCapacity;
          continue;
        }
      }
      leaf.all_devices.push_back(d);
      // Capacity that is held already counts when the device is taken, after constraints.
      const Hurdle hurdle = blocked(names, d);
      leaf.all_fails.push_back(hurdle != Hurdle::kNone ? 1 : 0);
      if (explain_) judgements[d].hurdle = hurdle;
      add_needs(names, d, leaf);
    }
  }
  if (explain_) question_.judgements.push_back(std::move(judgements));
  return {};
}

void QuestionCompiler::judge_devices(const std::string& claim, const Question::LeafNames& names, Problem::Leaf& leaf) {
  leaf.needs.assign(question_.devices.size(), Problem::kNone);
  leaf.status.reserve(question_.devices.size());
  if (explain_) question_.judgements.emplace_back();
  for (std::uint32_t d = 0; d < question_.devices.size(); ++d) {
    const Judged judged = judge(claim, names, d, leaf);
    leaf.status.push_back(judged.status);
    if (explain_) question_.judgements.back().push_back(judged.judgement);
  }
}

QuestionCompiler::Judged QuestionCompiler::judge(const std::string& claim, const Question::LeafNames& names,
                                                 std::uint32_t device, Problem::Leaf& leaf) {
  const std::pair key{static_cast<std::uint32_t>(problem_.leaves.size()), device};
  Selection selection = select(claim, names, device);
  if (!selection.error.empty()) {
    question_.selection_errors[key] = std::move(selection.error);
    return {Status::kError, selection.judgement};
  }
  if (!selection.selectable()) return {Status::kNever, selection.judgement};
  if (cluster_.features.consumable_capacity) {
    const CapacityNeed need =
        capacity_need(names.requirements->capacity, api(device).capacity, cluster_.features.fractional_capacity_range);
    if (!need.error.empty()) {
      question_.selection_errors[key] = fmt::format("claim {}, request {}: checking capacity for device {}: {}", claim,
                                                    names.bare_name(), id_of(device), need.error);
      return {Status::kError, {Hurdle::kCapacity}};
    }
    if (!need.possible) return {Status::kNever, {Hurdle::kCapacity}};
    const DeviceRef& ref = question_.devices[device];
    const objects::Named<Quantity>* const held = cluster_.facts(ref.slice, ref.index).consumed;
    for (std::size_t i = 0; i < need.amounts.size(); ++i) {
      const auto& [name, capacity] = api(device).capacity[i];
      Quantity total = need.amounts[i];
      if (const Quantity* const part = held != nullptr ? objects::find(*held, name) : nullptr) total.add(*part);
      if (total > capacity.value) return {Status::kNever, {Hurdle::kCapacity}};
    }
  }
  if (const Hurdle hurdle = blocked(names, device); hurdle != Hurdle::kNone) return {Status::kNever, {hurdle}};
  add_needs(names, device, leaf);
  return {Status::kPossible, {}};
}

QuestionCompiler::Selection QuestionCompiler::select(const std::string& claim, const Question::LeafNames& names,
                                                     std::uint32_t device) {
  Selection selection;
  const objects::Device& candidate = api(device);
  if (!cluster_.features.device_binding_and_status && !candidate.binding_conditions.empty()) {
    selection.judgement.hurdle = Hurdle::kBindingConditions;
    return selection;
  }
  if (!selectors_match(Hurdle::kClassSelector, names.device_class->name, names.class_selectors, device, selection) ||
      !selectors_match(Hurdle::kOwnSelector, claim, names.own_selectors, device, selection)) {
    return selection;
  }
  if (slice_of(question_.devices[device]).spec.per_device_node_selection.value_or(false)) {
    const auto match = node_matches(node_, candidate.node_name, candidate.all_nodes, candidate.node_selector);
    if (!match) selection.error = match.error();
    if (!match.value_or(false)) selection.judgement.hurdle = Hurdle::kOtherNode;
  }
  return selection;
}

bool QuestionCompiler::selectors_match(Hurdle hurdle, const std::string& name, std::span<const std::size_t> selectors,
                                       std::uint32_t device, Selection& selection) {
  SelectorEvaluator& evaluator = cluster_.selectors;
  const std::string_view kind = hurdle == Hurdle::kClassSelector ? "class " : "claim ";
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const auto fail = [&] { selection.judgement = {hurdle, static_cast<std::uint32_t>(i)}; };
    if (const std::string& error = evaluator.compile_error(selectors[i]); !error.empty()) {
      selection.error = fmt::format("{}{}: selector #{}: CEL compile error: {}", kind, name, i, error);
      fail();
      return false;
    }
    const DeviceRef& ref = question_.devices[device];
    const SelectorEvaluator::Outcome& outcome =
        evaluator.evaluate(selectors[i], cluster_.number_of(ref.slice, ref.index));
    if (!outcome.error.empty()) {
      selection.error = fmt::format("{}{}: selector #{} on device {}: CEL runtime error: {}", kind, name, i,
                                    id_of(device), with_hint(outcome.error));
    }
    if (outcome.error.empty() && outcome.match) continue;
    fail();
    return false;
  }
  return true;
}

// The reasons between capacity and constraints that no taking changes.
Hurdle QuestionCompiler::blocked(const Question::LeafNames& names, std::uint32_t device) const {
  const objects::Device& candidate = api(device);
  const DeviceRef& ref = question_.devices[device];
  if (cluster_.implementation == Implementation::kExperimental && !slice_of(ref).spec.skip_node_operations.empty()) {
    constexpr std::string_view kFeature = "DRAOptionalNodeOperations";
    if (!cluster_.features.optional_node_operations ||
        std::ranges::find(node_.declared_features, kFeature) == node_.declared_features.end()) {
      return Hurdle::kNodeOperations;
    }
  }
  if (!candidate.consumes_counters.empty()) {
    if (!cluster_.features.partitionable_devices) return Hurdle::kPartition;
    const Problem::Device& state = problem_.devices[device];
    if (over_committed_[ref.pool] && !(state.multiple && state.shared)) return Hurdle::kCounters;
  }
  const bool tainted =
      cluster_.features.device_taints && untolerated(candidate.taints, names.requirements->tolerations) != nullptr;
  return tainted ? Hurdle::kTaint : Hurdle::kNone;
}

void QuestionCompiler::add_needs(const Question::LeafNames& names, std::uint32_t device, Problem::Leaf& leaf) {
  const objects::Device& candidate = api(device);
  Problem::Device& state = problem_.devices[device];
  if (!state.multiple || candidate.capacity.empty()) {
    if (!leaf.all || candidate.capacity.empty() || !cluster_.features.consumable_capacity) return;
  }
  if (state.capacity_count == 0) {
    const DeviceRef& ref = question_.devices[device];
    const objects::Named<Quantity>* const held = cluster_.facts(ref.slice, ref.index).consumed;
    state.first_capacity = static_cast<std::uint32_t>(problem_.capacity_left.size());
    state.capacity_count = static_cast<std::uint32_t>(candidate.capacity.size());
    for (const auto& [name, capacity] : candidate.capacity) {
      const Quantity* const part = held != nullptr ? objects::find(*held, name) : nullptr;
      problem_.capacity_left.push_back(to_amount(capacity.value) - (part != nullptr ? to_amount(*part) : 0));
    }
  }
  const CapacityNeed need =
      capacity_need(names.requirements->capacity, candidate.capacity, cluster_.features.fractional_capacity_range);
  std::vector<Amount> amounts;
  for (const Quantity& amount : need.amounts) amounts.push_back(to_amount(amount));
  // Equal needs share their place, so that leaves which ask the same are recognised.
  const auto same = std::ranges::search(problem_.needs, amounts);
  leaf.needs[device] = static_cast<std::uint32_t>(same.begin() - problem_.needs.begin());
  if (same.empty()) problem_.needs.insert(problem_.needs.end(), amounts.begin(), amounts.end());
}

}  // namespace gpusched::dra
