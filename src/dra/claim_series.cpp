#include "gpusched/dra/claim_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
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
  ClaimOutcome allocate(const objects::ResourceClaim& claim);
  void refuse(const objects::ResourceClaim& claim, ClaimOutcome& outcome);
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
  std::vector<Refusal> refusals_;  // since the last allocation: the same request gets the same answer
};

void Series::hold(const objects::ResourceClaim& claim, const objects::AllocationResult& allocation) {
  held_.add(allocation, input_.features.consumable_capacity);
  holders_.push_back({name_of(claim), &allocations_.emplace_back(allocation)});
  refusals_.clear();
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
  if (input_.explain) outcome.why_not = std::make_shared<const WhyNot>(explain_refusal(question, claims));
  refusals_.push_back({&claim, outcome.reason, outcome.why_not});
}

ClaimOutcome Series::allocate(const objects::ResourceClaim& claim) {
  ClaimOutcome outcome;
  Allocator allocator({input_.features, input_.slices, input_.classes, held_, selectors()});
  const objects::ResourceClaim* const claims[] = {&claim};
  std::string node_error;
  for (std::size_t n = 0; n < input_.nodes.size(); ++n) {
    AllocationAnswer answer = allocator.allocate(input_.nodes[n], claims, input_.search);
    switch (answer.outcome) {
      case AllocationOutcome::kAllocated:
        outcome.node = n;
        outcome.allocation = std::move(answer.allocations.front());
        outcome.undecided = false;
        return outcome;
      case AllocationOutcome::kError:
        outcome.reason = std::move(answer.error);
        return outcome;
      case AllocationOutcome::kNodeError:
        node_error = std::move(answer.error);
        break;
      case AllocationOutcome::kUndecided:
        outcome.undecided = true;
        break;
      case AllocationOutcome::kDoesNotFit:
        break;
    }
  }
  if (outcome.undecided) {
    outcome.reason = "undecided: the search reached its step budget";
  } else if (!node_error.empty()) {
    outcome.reason = node_error;
  } else {
    refuse(claim, outcome);
  }
  return outcome;
}

ClaimSeries Series::run() {
  for (const objects::ResourceClaim& claim : input_.claims) {
    if (claim.allocation) hold(claim, *claim.allocation);
  }
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
  return series;
}

}  // namespace

ClaimSeries allocate_in_series(const ClaimSeriesInput& input) {
  return Series(input).run();
}

}  // namespace gpusched::dra
