#include "dra/node_funnel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "dra/capacity.hpp"
#include "dra/device_values.hpp"
#include "dra/tolerations.hpp"

namespace gpusched::dra {

namespace {

constexpr std::size_t kMaxCauses = 4;

/// The checks of a funnel: a device in use, then every hurdle, with a place of its own for each selector.
struct Check {
  Hurdle hurdle = Hurdle::kNone;  // kNone: in use
  std::uint32_t selector = 0;

  auto operator<=>(const Check&) const = default;
};

std::string name_of(const Check& check, const std::string& device_class) {
  switch (check.hurdle) {
    case Hurdle::kNone:
      return "in use";
    case Hurdle::kBindingConditions:
      return "binding conditions";
    case Hurdle::kClassSelector:
      return fmt::format("selector #{} of class {}", check.selector, device_class);
    case Hurdle::kOwnSelector:
      return fmt::format("selector #{}", check.selector);
    case Hurdle::kOtherNode:
      return "other nodes only";
    case Hurdle::kCapacity:
      return "capacity";
    case Hurdle::kNodeOperations:
      return "node operations";
    case Hurdle::kPartition:
    case Hurdle::kCounters:
      return "counters";
    case Hurdle::kTaint:
      return "tainted";
  }
  return "";
}

std::string text_of(const objects::DeviceTaint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value, taint.effect);
}

/// An amount in billionths, as the engine counts.
std::string text_of(Amount amount) {
  constexpr Amount kUnit = 1'000'000'000;
  return Quantity::from_int64(static_cast<std::int64_t>(amount / kUnit), QuantityFormat::kBinarySi).to_string();
}

std::vector<DeviceLoss::Cause> most_frequent(std::map<std::string, DeviceLoss::Cause>& by_text) {
  std::vector<DeviceLoss::Cause> causes;
  for (auto& [text, cause] : by_text) causes.push_back(std::move(cause));
  std::ranges::stable_sort(causes, [](const auto& a, const auto& b) { return a.devices > b.devices; });
  if (causes.size() > kMaxCauses) causes.resize(kMaxCauses);
  return causes;
}

}  // namespace

const objects::ResourceSliceSpec& NodeFunnel::slice(const Question& question, std::uint32_t device) const {
  return cluster_.slices.slice(question.devices[device].slice).spec;
}

const objects::Device& NodeFunnel::api(const Question& question, std::uint32_t device) const {
  return slice(question, device).devices[question.devices[device].index];
}

NodeWhyNot NodeFunnel::explain(std::size_t number, const NodeFacts& node, Evidence& evidence) {
  NodeWhyNot why;
  why.pools = pool_problems(node);
  const std::expected<Question, std::string> question = QuestionCompiler(cluster_, node, claims_).run(true);
  if (!question) {
    why.conclusion = question.error();
    return why;
  }
  for (std::uint32_t l = 0; l < question->leaves.size(); ++l) {
    why.requests.push_back(funnel(*question, l, evidence));
    for (std::uint32_t d = 0; d < question->devices.size(); ++d) {
      if (!question->problem.devices[d].in_use || question->judgements[l][d].hurdle != Hurdle::kNone) continue;
      DeviceId id{slice(*question, d).driver, slice(*question, d).pool.name, api(*question, d).name};
      std::vector<DeviceId>& held = evidence.held[number];
      if (std::ranges::find(held, id) == held.end()) held.push_back(std::move(id));
    }
  }
  add_constraints(*question, why);
  return why;
}

RequestFunnel NodeFunnel::funnel(const Question& question, std::uint32_t number, Evidence& evidence) {
  const Problem::Leaf& leaf = question.problem.leaves[number];
  const Question::LeafNames& names = question.leaves[number];
  const LeafPlace place{leaf.claim, leaf.request - question.problem.claims[leaf.claim].first_request, leaf.subrequest};
  RequestFunnel funnel;
  funnel.claim = leaf.claim;
  funnel.request = names.full_name();
  funnel.device_class = names.device_class->name;
  funnel.wanted = leaf.count;
  funnel.all = leaf.all;
  funnel.published = static_cast<std::uint32_t>(question.devices.size());
  std::map<Check, Causes> lost;
  for (std::uint32_t d = 0; d < question.devices.size(); ++d) {
    const Judgement& judgement = question.judgements[number][d];
    const bool matches = judgement.hurdle == Hurdle::kNone || judgement.hurdle > Hurdle::kOwnSelector;
    evidence.matched[place] |= matches;
    const bool in_use = question.problem.devices[d].in_use && !leaf.admin;
    const bool scarce = judgement.hurdle == Hurdle::kNone && !scarce_counter(question, d).empty();
    if (judgement.hurdle == Hurdle::kNone && !in_use && !scarce) {
      ++funnel.left;
      continue;
    }
    if (!in_use && judgement.hurdle == Hurdle::kTaint) {
      const objects::DeviceTaint& taint = *untolerated(api(question, d).taints, names.requirements->tolerations);
      std::vector<objects::DeviceTaint>& taints = evidence.taints[place];
      const auto same = [&](const objects::DeviceTaint& t) { return text_of(t) == text_of(taint); };
      if (std::ranges::none_of(taints, same)) taints.push_back(taint);
    }
    Check check{judgement.hurdle, judgement.selector};
    if (scarce) check.hurdle = Hurdle::kCounters;
    if (in_use) check = {};
    Causes& causes = lost[check];
    ++causes.devices;
    if (in_use) {
      causes.matching += judgement.hurdle == Hurdle::kNone ? 1U : 0U;
      continue;
    }
    const std::string text = cause(question, number, d, {check.hurdle, check.selector});
    DeviceLoss::Cause& cause = causes.by_text[text];
    if (cause.devices++ == 0) cause = {text, 1, api(question, d).name};
  }
  for (auto& [check, causes] : lost) {
    DeviceLoss& loss = funnel.losses.emplace_back();
    loss.check = name_of(check, funnel.device_class);
    loss.devices = causes.devices;
    loss.matching = causes.matching;
    loss.causes = most_frequent(causes.by_text);
    if (check.hurdle == Hurdle::kClassSelector) {
      loss.expression = names.device_class->selectors[check.selector].cel.value_or("");
    }
    if (check.hurdle == Hurdle::kOwnSelector) {
      loss.expression = names.requirements->selectors[check.selector].cel.value_or("");
    }
  }
  return funnel;
}

std::string NodeFunnel::cause(const Question& question, std::uint32_t number, std::uint32_t device,
                              const Judgement& judgement) {
  const Question::LeafNames& names = question.leaves[number];
  switch (judgement.hurdle) {
    case Hurdle::kClassSelector:
    case Hurdle::kOwnSelector: {
      const bool of_class = judgement.hurdle == Hurdle::kClassSelector;
      const auto& selectors = of_class ? names.device_class->selectors : names.requirements->selectors;
      const auto& numbers = of_class ? names.class_selectors : names.own_selectors;
      const DeviceRef& ref = question.devices[device];
      const auto [known, added] =
          known_reasons_.try_emplace({numbers[judgement.selector], cluster_.number_of(ref.slice, ref.index)});
      if (added) {
        known->second = reasons_.reason(selectors[judgement.selector].cel.value_or(""), slice(question, device).driver,
                                        api(question, device));
      }
      return known->second;
    }
    case Hurdle::kCapacity:
      return capacity_cause(question, number, device);
    case Hurdle::kPartition:
      return "partitions need the feature DRAPartitionableDevices";
    case Hurdle::kCounters: {
      const std::string scarce = scarce_counter(question, device);
      return scarce.empty() ? "a counter of the pool is over-committed" : scarce;
    }
    case Hurdle::kTaint:
      return text_of(*untolerated(api(question, device).taints, names.requirements->tolerations));
    case Hurdle::kBindingConditions:
      return "binding conditions need the feature DRADeviceBindingConditions";
    case Hurdle::kNodeOperations:
      return "the node does not declare DRAOptionalNodeOperations";
    case Hurdle::kNone:
    case Hurdle::kOtherNode:
      break;
  }
  return "";
}

/// The first counter that has less left than the device draws.
std::string NodeFunnel::scarce_counter(const Question& question, std::uint32_t number) const {
  const Problem& problem = question.problem;
  const Problem::Device& device = problem.devices[number];
  if (device.multiple && device.shared) return "";
  for (const Problem::CounterUse& use : problem.uses_of(device)) {
    const Amount left = problem.counter_left[use.counter];
    if (use.amount <= left) continue;
    return fmt::format("{}: {} needed, {} left", question.counter_names[use.counter], text_of(use.amount),
                       text_of(left));
  }
  return "";
}

std::string NodeFunnel::capacity_cause(const Question& question, std::uint32_t number, std::uint32_t device) const {
  const objects::Device& candidate = api(question, device);
  const auto& wanted = question.leaves[number].requirements->capacity;
  const CapacityNeed need = capacity_need(wanted, candidate.capacity, cluster_.features.fractional_capacity_range);
  if (!need.error.empty()) return need.error;
  if (wanted) {
    for (const auto& [name, amount] : wanted->requests) {
      if (objects::find(candidate.capacity, name) == nullptr) return fmt::format("no capacity {}", name);
    }
  }
  if (!need.possible) return "the request policy of a capacity does not allow the amount";
  const DeviceRef& ref = question.devices[device];
  const objects::Named<Quantity>* const held = cluster_.facts(ref.slice, ref.index).consumed;
  for (std::size_t i = 0; i < need.amounts.size(); ++i) {
    const auto& [name, capacity] = candidate.capacity[i];
    Quantity free = capacity.value;
    if (const Quantity* const part = held != nullptr ? objects::find(*held, name) : nullptr) free.sub(*part);
    if (need.amounts[i] <= free) continue;
    return fmt::format("{}: {} needed, {} of {} free", name, need.amounts[i].to_string(), free.to_string(),
                       capacity.value.to_string());
  }
  return "";
}

void NodeFunnel::add_constraints(const Question& question, NodeWhyNot& why) const {
  const Problem& problem = question.problem;
  std::vector<std::uint32_t> number_in_claim(claims_.size(), 0);
  for (std::uint32_t c = 0; c < problem.constraints.size(); ++c) {
    const std::uint32_t claim = problem.constraints[c].claim;
    const objects::DeviceConstraint& constraint = claims_[claim]->devices.constraints[number_in_claim[claim]++];
    ConstraintView& view = why.constraints.emplace_back();
    view.claim = claim;
    const std::string& attribute =
        constraint.match_attribute ? *constraint.match_attribute : constraint.distinct_attribute.value_or("");
    view.text = (constraint.match_attribute ? "matchAttribute " : "distinctAttribute ") + attribute;
    std::map<std::string, std::vector<std::string>> groups;
    for (std::uint32_t d = 0; d < question.devices.size(); ++d) {
      bool concerned = false;
      for (std::uint32_t l = 0; l < problem.leaves.size() && !concerned; ++l) {
        const bool checked = std::ranges::find(problem.leaves[l].checks, c, &Problem::Check::constraint) !=
                             problem.leaves[l].checks.end();
        const bool in_use = problem.devices[d].in_use && !problem.leaves[l].admin;
        concerned = checked && !in_use && question.judgements[l][d].hurdle == Hurdle::kNone;
      }
      if (!concerned) continue;
      const auto* const value = attribute_of(api(question, d), slice(question, d).driver, attribute);
      groups[value != nullptr ? dra::text_of(*value) : ""].push_back(api(question, d).name);
    }
    for (auto& [value, devices] : groups) view.groups.push_back({value, std::move(devices)});
  }
}

std::vector<std::string> NodeFunnel::pool_problems(const NodeFacts& node) const {
  std::vector<std::string> problems;
  const auto pools = gather_pools(cluster_.slices, node, cluster_.features, cluster_.implementation);
  if (!pools) return problems;
  for (const Pool& pool : *pools) {
    if (pool.usable()) continue;
    if (pool.invalid()) {
      problems.push_back(fmt::format("{}/{} is invalid: {}", pool.driver, pool.name, pool.invalid_reason));
      continue;
    }
    std::int64_t generation = 0, wanted = 0, there = 0;
    for (const std::size_t s : cluster_.slices.of_pool(pool.driver, pool.name)) {
      const objects::ResourcePool& part = cluster_.slices.slice(s).spec.pool;
      if (there == 0 || part.generation > generation) {
        generation = part.generation;
        wanted = part.resource_slice_count;
        there = 0;
      }
      there += part.generation == generation ? 1 : 0;
    }
    problems.push_back(fmt::format("{}/{} is incomplete: {} of {} slices of generation {} are there", pool.driver,
                                   pool.name, there, wanted, generation));
  }
  return problems;
}

}  // namespace gpusched::dra
