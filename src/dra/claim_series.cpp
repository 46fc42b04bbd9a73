#include "gpusched/dra/claim_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "dra/claim_reason.hpp"

namespace gpusched::dra {

namespace {

/// Takes a selector that fails for one that does not match, and remembers which failed.
class LenientSelectors final : public SelectorEvaluator {
 public:
  explicit LenientSelectors(SelectorEvaluator& strict) : strict_(strict) {}

  std::size_t compile(std::string_view expression) override {
    const std::size_t number = strict_.compile(expression);
    expressions_.try_emplace(number, expression);
    return number;
  }
  const std::string& compile_error(std::size_t selector) const override { return strict_.compile_error(selector); }
  std::size_t add_device(std::string_view driver, const objects::Device& device) override {
    return strict_.add_device(driver, device);
  }
  const Outcome& evaluate(std::size_t selector, std::size_t device) override {
    const Outcome& outcome = strict_.evaluate(selector, device);
    if (outcome.error.empty()) return outcome;
    failures_.try_emplace(selector, outcome.error);
    return no_match_;
  }
  std::size_t compile_derived(std::string_view expression) override { return strict_.compile_derived(expression); }
  const std::string& derived_compile_error(std::size_t expression) const override {
    return strict_.derived_compile_error(expression);
  }
  const Derived& derive(std::size_t expression, std::size_t device) override {
    return strict_.derive(expression, device);
  }

  Diagnostics warnings() const {
    Diagnostics warnings;
    for (const auto& [selector, error] : failures_) {
      Diagnostic warning;
      warning.severity = Severity::kWarning;
      warning.code = "selector-fails";
      warning.message = fmt::format("the selector {} fails on some devices ({}); they are taken not to match",
                                    expressions_.at(selector), error);
      warning.hint = "kube-scheduler ends the allocation there; --strict does the same";
      warnings.push_back(std::move(warning));
    }
    return warnings;
  }

 private:
  SelectorEvaluator& strict_;
  std::map<std::size_t, std::string> expressions_;
  std::map<std::size_t, std::string> failures_;  // the first of each selector
  const Outcome no_match_;
};

class Series {
 public:
  explicit Series(const ClaimSeriesInput& input) : input_(input), lenient_(input.selectors), held_(input.held) {}

  ClaimSeries run();

 private:
  SelectorEvaluator& selectors() {
    if (input_.strict) return input_.selectors;
    return lenient_;
  }
  /// Nodes that have refused a claim go on to refuse those that want the same, because devices only become fewer.
  struct Kind {
    const objects::DeviceClaim* devices = nullptr;
    std::size_t next = 0;  // the nodes before have refused
    std::string node_error;
    FilterTimeout timeout;  // of the nodes before
  };
  Kind& kind_of(const objects::ResourceClaim& claim);
  ClaimOutcome allocate(const objects::ResourceClaim& claim);
  void refuse(const objects::ResourceClaim& claim, ClaimOutcome& outcome);
  Diagnostic timeout_warning(const ClaimOutcome& outcome) const;
  void hold(const objects::ResourceClaim& claim, const objects::AllocationResult& allocation);

  const ClaimSeriesInput& input_;
  LenientSelectors lenient_;
  InUse held_;
  std::deque<objects::AllocationResult> allocations_;
  std::vector<Holder> holders_;
  struct Refusal {
    const objects::ResourceClaim* claim;
    std::string reason;
    std::shared_ptr<const WhyNot> why_not;
  };
  std::optional<Allocator> allocator_;
  std::deque<Kind> kinds_;  // the newest first
  std::size_t explained_ = 0;
  std::vector<Refusal> refusals_;  // since the last allocation: the same request gets the same answer
};

void Series::hold(const objects::ResourceClaim& claim, const objects::AllocationResult& allocation) {
  held_.add(allocation, input_.features.consumable_capacity);
  holders_.push_back({name_of(claim), &allocations_.emplace_back(allocation)});
  refusals_.clear();
  if (allocator_) allocator_->refresh(allocation);
}

void Series::refuse(const objects::ResourceClaim& claim, ClaimOutcome& outcome) {
  const auto known =
      std::ranges::find_if(refusals_, [&](const Refusal& refusal) { return refusal.claim->devices == claim.devices; });
  if (known != refusals_.end()) {
    outcome.reason = known->reason;
    outcome.why_not = known->why_not;
    return;
  }
  const WhyNotInput question{input_.features, input_.slices, input_.classes, input_.nodes,
                             held_,           holders_,      selectors(),    input_.search};
  Trials trials(question);
  outcome.reason = "cannot allocate all claims: " + reason_against(trials, claim);
  const objects::ResourceClaim* const claims[] = {&claim};
  if (explained_ < input_.explanations) {
    ++explained_;
    outcome.why_not = std::make_shared<const WhyNot>(explain_refusal(question, claims));
  }
  refusals_.push_back({&claim, outcome.reason, outcome.why_not});
}

Series::Kind& Series::kind_of(const objects::ResourceClaim& claim) {
  constexpr std::size_t kMostKinds = 64;
  for (Kind& kind : kinds_) {
    if (*kind.devices == claim.devices) return kind;
  }
  if (kinds_.size() == kMostKinds) kinds_.pop_back();
  kinds_.emplace_front();
  kinds_.front().devices = &claim.devices;
  return kinds_.front();
}

void note_timeout(std::size_t node, const AllocationAnswer& answer, FilterTimeout& timeout) {
  if (!answer.times_out) return;
  if (timeout.count++ == 0) timeout.first = node;
  timeout.steps = std::max(timeout.steps, answer.steps);
}

ClaimOutcome Series::allocate(const objects::ResourceClaim& claim) {
  Kind& kind = kind_of(claim);
  ClaimOutcome outcome;
  outcome.timeout = kind.timeout;
  const objects::ResourceClaim* const claims[] = {&claim};
  std::string node_error = kind.node_error;
  for (std::size_t n = kind.next; n < input_.nodes.size(); ++n) {
    AllocationAnswer answer = allocator_->allocate(input_.nodes[n], claims, input_.search);
    note_timeout(n, answer, outcome.timeout);
    switch (answer.outcome) {
      case AllocationOutcome::kAllocated:
        outcome.node = n;
        outcome.allocation = std::move(answer.allocations.front());
        outcome.undecided = false;
        return outcome;
      case AllocationOutcome::kError:
        outcome.reason = std::move(answer.error);
        return outcome;
      case AllocationOutcome::kUndecided:
        outcome.undecided = true;
        break;
      case AllocationOutcome::kNodeError:
        node_error = std::move(answer.error);
        [[fallthrough]];
      case AllocationOutcome::kDoesNotFit:
        if (kind.next != n) break;
        kind.next = n + 1;
        kind.node_error = node_error;
        kind.timeout = outcome.timeout;
        break;
    }
  }
  if (outcome.undecided) {
    outcome.reason = "undecided: the search reached its step budget";
  } else {
    refuse(claim, outcome);
    if (!node_error.empty()) outcome.reason = node_error;
  }
  return outcome;
}

Diagnostic Series::timeout_warning(const ClaimOutcome& outcome) const {
  const std::string& node = input_.nodes[outcome.timeout.first].name;
  Diagnostic warning;
  warning.severity = Severity::kWarning;
  warning.code = "filter-timeout";
  warning.object = "claim " + name_of(input_.claims[outcome.claim]);
  warning.message =
      fmt::format("the real search takes {} steps or more on node {}{}: kube-scheduler would stop it after 10 s",
                  to_string(outcome.timeout.steps), node,
                  outcome.timeout.count > 1 ? fmt::format(" and {} more nodes", outcome.timeout.count - 1) : "");
  warning.hint = fmt::format("the pod would fail with \"node {}: timed out trying to allocate devices\"", node);
  return warning;
}

ClaimSeries Series::run() {
  for (const objects::ResourceClaim& claim : input_.claims) {
    if (claim.allocation) hold(claim, *claim.allocation);
  }
  allocator_.emplace(AllocatorInput{input_.features, input_.slices, input_.classes, held_, selectors()});
  ClaimSeries series;
  for (std::size_t c = 0; c < input_.claims.size(); ++c) {
    const objects::ResourceClaim& claim = input_.claims[c];
    ClaimOutcome outcome;
    if (claim.allocation) {
      outcome.already_allocated = true;
      outcome.allocation = claim.allocation;
    } else {
      outcome = allocate(claim);
      if (outcome.allocation) hold(claim, *outcome.allocation);
    }
    outcome.claim = c;
    series.claims.push_back(std::move(outcome));
  }
  series.warnings = lenient_.warnings();
  for (const ClaimOutcome& outcome : series.claims) {
    if (outcome.timeout.any()) series.warnings.push_back(timeout_warning(outcome));
  }
  return series;
}

}  // namespace

ClaimSeries allocate_in_series(const ClaimSeriesInput& input) {
  return Series(input).run();
}

}  // namespace gpusched::dra
