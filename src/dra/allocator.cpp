#include "gpusched/dra/allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "dra/allocation_result.hpp"
#include "dra/block_search.hpp"
#include "dra/known_answers.hpp"
#include "dra/question.hpp"
#include "dra/search.hpp"
#include "dra/step_bound.hpp"

namespace gpusched::dra {

struct Allocator::State {
  explicit State(const AllocatorInput& input) : cluster(input) {}

  KnownAnswers& answers_to(std::span<const objects::ResourceClaim* const> claims, const AllocateOptions& options);

  ClusterFacts cluster;
  std::deque<KnownAnswers> known;  // the latest question first
};

KnownAnswers& Allocator::State::answers_to(std::span<const objects::ResourceClaim* const> claims,
                                           const AllocateOptions& options) {
  constexpr std::size_t kMostQuestions = 16;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i].is_for(claims, options)) continue;
    return known[i];
  }
  if (known.size() == kMostQuestions) known.pop_back();
  return known.emplace_front(cluster, claims, options);
}

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
    const DeviceRef& ref = question.devices[device];
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

/// To learn whether the real search would time out; what has been counted until then is a lower bound.
constexpr std::uint64_t kCallsForTimeouts = 50'000;

/// Most questions are answered by the first devices that are looked at: what the real recursion itself says within so
/// many calls needs no memory of failures.
constexpr std::uint64_t kPlainCalls = 200;

/// The search that counts, by the cheapest way that is exact.
SearchResult search_counting(const Problem& problem, const SearchOptions& search, SearchMethod method) {
  const bool symmetric = search.remember && !search.ordered && method != SearchMethod::kSymmetric;
  if (symmetric && BlockStates::describe(problem)) return BlockSearch(problem, search.max_calls).run();
  return Search(problem, search).run();
}

/// `plain` is the search that does not remember: made here, kept for the next node with this problem.
SearchResult search_both_ways(const Problem& problem, const AllocateOptions& options, std::unique_ptr<Search>& plain,
                              bool& at_least) {
  if (options.method == SearchMethod::kBest) {
    if (!plain) {
      SearchOptions first;
      first.remember = false;
      first.max_calls = std::min(kPlainCalls, options.max_calls);
      plain = std::make_unique<Search>(problem, first);
    }
    SearchResult answered = plain->run();
    if (answered.outcome != SearchOutcome::kExhausted) return answered;
  }
  SearchOptions search = search_options(problem, options);
  const bool bounded = bounds_are_safe(problem) && options.method < SearchMethod::kOrdered;
  SearchResult counted;
  std::uint64_t spent = 0;
  const bool may_time_out =
      options.timeout_steps != 0 && step_bound(problem) > static_cast<double>(options.timeout_steps);
  if (options.count_steps || may_time_out || !bounded) {
    const std::uint64_t most = options.count_steps ? options.max_calls : kCallsForTimeouts;
    search.max_calls = bounded ? std::min(most, options.max_calls / 2) : options.max_calls;
    counted = search_counting(problem, search, options.method);
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

namespace {

/// The answer without what the search took, which stays in `takings`.
AllocationAnswer answer_of(const Question& question, const ClusterFacts& cluster,
                           std::span<const objects::ResourceClaim* const> claims, const AllocateOptions& options,
                           std::unique_ptr<Search>& plain, std::vector<SearchState::Taking>& takings) {
  AllocationAnswer answer;
  SearchResult found = search_both_ways(question.problem, options, plain, answer.steps_at_least);
  answer.steps = found.steps;
  answer.calls = found.calls;
  answer.times_out = options.timeout_steps != 0 && found.steps > options.timeout_steps;
  switch (found.outcome) {
    case SearchOutcome::kExhausted:
      answer.outcome = AllocationOutcome::kUndecided;
      break;
    case SearchOutcome::kError:
      answer.outcome = AllocationOutcome::kError;
      answer.error = error_text(question, cluster, claims, found);
      break;
    case SearchOutcome::kTooMany:
      answer.outcome = AllocationOutcome::kError;
      answer.error = "allocation max size exceeded";
      break;
    case SearchOutcome::kFailure:
      answer.outcome = AllocationOutcome::kDoesNotFit;
      if (std::ranges::any_of(question.pools, &Pool::invalid)) {
        answer.outcome = AllocationOutcome::kNodeError;
        answer.error = "invalid resource pools were encountered";
      }
      break;
    case SearchOutcome::kSuccess:
      answer.outcome = AllocationOutcome::kAllocated;
      takings = std::move(found.takings);
      break;
  }
  return answer;
}

/// Of a question whose answer is kept, what results are made of.
std::shared_ptr<const Question> only_for_results(const Question& question) {
  const Problem& problem = question.problem;
  auto made = std::make_shared<Question>();
  made->leaves = question.leaves;
  made->problem.claims = problem.claims;
  made->problem.requests = problem.requests;
  for (const Problem::Leaf& leaf : problem.leaves) {
    Problem::Leaf& copy = made->problem.leaves.emplace_back();
    copy.claim = leaf.claim;
    copy.request = leaf.request;
    copy.count = leaf.count;
    copy.all = leaf.all;
    copy.admin = leaf.admin;
  }
  return made;
}

AllocationAnswer failed(AllocationOutcome outcome, std::string error) {
  AllocationAnswer answer;
  answer.outcome = outcome;
  answer.error = std::move(error);
  return answer;
}

}  // namespace

AllocationAnswer Allocator::allocate(const NodeFacts& node, std::span<const objects::ResourceClaim* const> claims,
                                     const AllocateOptions& options) {
  ClusterFacts& cluster = state_->cluster;
  const NodeDevices& devices = cluster.node(node);
  KnownAnswers& answers = state_->answers_to(claims, options);
  const KnownAnswer* known = answers.find(devices);
  if (known == nullptr) {
    const auto copies = answers.claims_named(claims);
    KnownAnswers::Compiled* compiled = answers.find_compiled(devices);
    std::expected<Question, std::string> own;
    if (compiled == nullptr) {
      own = QuestionCompiler(cluster, node, copies).run();
      if (!own) return failed(AllocationOutcome::kError, std::move(own.error()));
      if (own->problem.leaves.size() > kMaxLeaves || claims.size() > kMaxLeaves) {
        return failed(AllocationOutcome::kUndecided, "");
      }
      compiled = answers.add_compiled(devices, *own);
    }
    const Question& question = compiled != nullptr ? compiled->question : *own;
    KnownAnswer found;
    std::unique_ptr<Search> plain;
    found.answer =
        answer_of(question, cluster, copies, options, compiled != nullptr ? compiled->plain : plain, found.takings);
    if (found.answer.outcome == AllocationOutcome::kError) return std::move(found.answer);
    if (found.answer.outcome == AllocationOutcome::kAllocated) {
      found.question = compiled != nullptr ? compiled->for_results : nullptr;
      if (!found.question) found.question = only_for_results(question);
      if (compiled != nullptr) compiled->for_results = found.question;
    }
    known = &answers.add(std::move(found));
  }
  AllocationAnswer answer = known->answer;
  if (answer.outcome != AllocationOutcome::kAllocated || !options.allocations) return answer;
  auto results =
      allocation_results(cluster, *known->question, devices.devices, known->takings, claims, node, options.seed);
  if (!results) {
    answer.outcome = AllocationOutcome::kError;
    answer.error = std::move(results.error());
    return answer;
  }
  answer.allocations = std::move(*results);
  return answer;
}

void Allocator::refresh(const objects::AllocationResult& allocation) {
  for (const objects::DeviceRequestAllocationResult& result : allocation.results) {
    state_->cluster.refresh({result.driver, result.pool, result.device});
  }
}

}  // namespace gpusched::dra
