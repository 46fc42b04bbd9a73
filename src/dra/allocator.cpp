#include "gpusched/dra/allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dra/allocation_result.hpp"
#include "dra/question.hpp"
#include "dra/search.hpp"

namespace gpusched::dra {

struct Allocator::State {
  explicit State(const AllocatorInput& input) : cluster(input) {}
  ClusterFacts cluster;
};

namespace {

/// Equal devices may be exchanged, unless their order shows in an answer; amounts below zero could bring devices back.
SearchOptions search_options(const Problem& problem, const AllocateOptions& options) {
  SearchOptions search;
  search.remember = options.method != SearchMethod::kPlain && !problem.negative_amounts;
  search.ordered = options.method == SearchMethod::kOrdered || problem.limit_reachable || problem.order_shows;
  return search;
}

/// A bound must not skip an error, nor change where the limit of devices ends a loop.
bool bounds_are_safe(const Problem& problem) {
  if (problem.any_error || problem.limit_reachable || problem.negative_amounts) return false;
  return std::ranges::none_of(problem.leaves,
                              [](const Problem::Leaf& leaf) { return leaf.all && !leaf.checks.empty(); });
}

/// The search goes one call deep per request; the API allows 32 requests of 8 subrequests in a claim.
constexpr std::size_t kMaxLeaves = 2000;

std::string error_text(const Question& question, const ClusterFacts& cluster,
                       std::span<const objects::ResourceClaim* const> claims, const SearchResult& result) {
  const auto [leaf, device] = result.failed;
  if (result.violation) {
    const Question::DeviceRef& ref = question.devices[device];
    const objects::ResourceSliceSpec& slice = cluster.slices.slice(ref.slice).spec;
    return fmt::format(
        "claim {}, request {}: cannot add device {}/{}/{} because a claim constraint would not be satisfied",
        name_of(*claims[question.problem.leaves[leaf].claim]), question.leaves[leaf].bare_name(), slice.driver,
        slice.pool.name, slice.devices[ref.index].name);
  }
  if (const auto error = question.selection_errors.find({leaf, device}); error != question.selection_errors.end()) {
    return error->second;
  }
  for (const Problem::Check& check : question.problem.leaves[leaf].checks) {
    const auto error = question.value_errors.find({check.table, device});
    if (error != question.value_errors.end()) return error->second;
  }
  return "";
}

SearchResult search_both_ways(const Problem& problem, const AllocateOptions& options, bool& at_least) {
  SearchOptions search = search_options(problem, options);
  const bool bounded = bounds_are_safe(problem) && options.method == SearchMethod::kBest;
  SearchResult counted;
  std::uint64_t spent = 0;
  if (options.count_steps || !bounded) {
    search.max_calls = bounded ? options.max_calls / 2 : options.max_calls;
    counted = Search(problem, search).run();
    spent = counted.calls;
    at_least = counted.outcome == SearchOutcome::kExhausted;
    if (!at_least || !bounded) return counted;
  }
  search.bounds = true;
  search.max_calls = options.max_calls - std::min(spent, options.max_calls);
  SearchResult answered = Search(problem, search).run();
  answered.steps = counted.steps;
  answered.calls += spent;
  at_least = true;
  return answered;
}

}  // namespace

std::string_view name_of(AllocationOutcome outcome) {
  constexpr std::array<std::string_view, 5> kNames = {"allocated", "does-not-fit", "node-error", "error", "undecided"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Allocator::Allocator(const AllocatorInput& input) : state_(std::make_unique<State>(input)) {}
Allocator::~Allocator() = default;

Implementation Allocator::implementation() const {
  return state_->cluster.implementation;
}

AllocationAnswer Allocator::allocate(const NodeFacts& node, std::span<const objects::ResourceClaim* const> claims,
                                     const AllocateOptions& options) {
  AllocationAnswer answer;
  ClusterFacts& cluster = state_->cluster;
  std::expected<Question, std::string> question = QuestionCompiler(cluster, node, claims).run();
  if (!question) {
    answer.outcome = AllocationOutcome::kError;
    answer.error = std::move(question.error());
    return answer;
  }
  if (question->problem.leaves.size() > kMaxLeaves || claims.size() > kMaxLeaves) {
    answer.outcome = AllocationOutcome::kUndecided;
    return answer;
  }
  const SearchResult found = search_both_ways(question->problem, options, answer.steps_at_least);
  answer.steps = found.steps;
  answer.calls = found.calls;
  switch (found.outcome) {
    case SearchOutcome::kExhausted:
      answer.outcome = AllocationOutcome::kUndecided;
      break;
    case SearchOutcome::kError:
      answer.outcome = AllocationOutcome::kError;
      answer.error = error_text(*question, cluster, claims, found);
      break;
    case SearchOutcome::kTooMany:
      answer.outcome = AllocationOutcome::kError;
      answer.error = "allocation max size exceeded";
      break;
    case SearchOutcome::kFailure:
      answer.outcome = AllocationOutcome::kDoesNotFit;
      if (std::ranges::any_of(question->pools, &Pool::invalid)) {
        answer.outcome = AllocationOutcome::kNodeError;
        answer.error = "invalid resource pools were encountered";
      }
      break;
    case SearchOutcome::kSuccess: {
      auto results = allocation_results(cluster, *question, found.takings, claims, node, options.seed);
      answer.outcome = results ? AllocationOutcome::kAllocated : AllocationOutcome::kError;
      if (results) {
        answer.allocations = std::move(*results);
      } else {
        answer.error = std::move(results.error());
      }
      break;
    }
  }
  return answer;
}

}  // namespace gpusched::dra
