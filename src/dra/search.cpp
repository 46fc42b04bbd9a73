#include "dra/search.hpp"

#include <algorithm>

namespace gpusched::dra {

namespace {

using Look = SearchState::Look;
using AllLook = SearchState::AllLook;

bool ends_search(SearchOutcome outcome) {
  return outcome >= SearchOutcome::kSuccess;
}

}  // namespace

Search::Search(const Problem& problem, const SearchOptions& options)
    : problem_(problem), options_(options), state_(problem), eligible_(problem.leaves.size()) {
  if (options.remember) keys_.emplace(problem, state_, options.ordered);
  for (std::size_t l = 0; l < problem.leaves.size(); ++l) {
    const std::vector<Problem::Status>& status = problem.leaves[l].status;
    eligible_[l].reserve(status.size());
    for (std::uint32_t d = 0; d < status.size(); ++d) {
      if (status[d] != Problem::Status::kNever) eligible_[l].push_back(d);
    }
  }
}

SearchResult Search::run() {
  while (!state_.takings().empty()) state_.give_back();
  calls_ = 0;
  failed_ = {};
  violation_ = false;
  const Part part = enter_claim(0);
  SearchResult result;
  result.outcome = part.outcome;
  result.steps = part.steps;
  result.calls = calls_;
  if (part.outcome == SearchOutcome::kSuccess) result.takings = state_.takings();
  result.failed = failed_;
  result.violation = violation_;
  return result;
}

Search::Part Search::enter_claim(std::uint32_t claim) {
  if (claim < problem_.claims.size()) return enter_request(claim, problem_.claims[claim].first_request);
  ++calls_;
  return {SearchOutcome::kSuccess, 1};
}

Search::Part Search::enter_request(std::uint32_t claim, std::uint32_t request) {
  if (++calls_ > options_.max_calls) return {SearchOutcome::kExhausted, 0};
  const Problem::Claim& numbers = problem_.claims[claim];
  Part part;
  if (request == numbers.first_request + numbers.request_count) {
    part = enter_claim(claim + 1);
    if (part.outcome == SearchOutcome::kTooMany) part.outcome = SearchOutcome::kFailure;
  } else {
    part = try_request(request);
  }
  part.steps = add_steps(part.steps, 1);
  return part;
}

// Requests without choices of their own are remembered as a whole; others inside their loop.
Search::Part Search::try_request(std::uint32_t number) {
  const Problem::Request& request = problem_.requests[number];
  const bool whole = request.has_subrequests || problem_.leaves[request.first_leaf].all;
  Hash128 key;
  if (options_.remember && whole) {
    keys_->open_request(number);
    key = keys_->key(0);
    keys_->close();
    if (const Failure* const known = memo_.find(key)) return known->part;
  }
  const Part part = request.has_subrequests ? try_subrequests(request) : go_on(request.first_leaf, 0, 0);
  if (options_.remember && whole && !ends_search(part.outcome)) memo_.insert(key, {part});
  return part;
}

Search::Part Search::try_subrequests(const Problem::Request& request) {
  Part all{SearchOutcome::kTooMany, 0};
  for (std::uint32_t l = request.first_leaf; l < request.first_leaf + request.leaf_count; ++l) {
    const Part part = enter_leaf(l, 0, 0);
    all.steps = add_steps(all.steps, part.steps);
    if (part.outcome != SearchOutcome::kTooMany) all.outcome = part.outcome;
    if (ends_search(part.outcome)) return all;
  }
  return all;
}

Search::Part Search::enter_leaf(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start) {
  if (++calls_ > options_.max_calls) return {SearchOutcome::kExhausted, 0};
  Part part = go_on(leaf, devices, start);
  part.steps = add_steps(part.steps, 1);
  return part;
}

Search::Part Search::go_on(std::uint32_t number, std::uint32_t devices, std::uint32_t start) {
  const Problem::Leaf& leaf = problem_.leaves[number];
  if (leaf.all && leaf.count == 0) return {SearchOutcome::kFailure, 0};
  if (devices >= leaf.count) return enter_request(leaf.claim, leaf.request + 1);
  // The claim may hold more than the limit already when a later subrequest is tried.
  if (leaf.count - devices + state_.chosen(leaf.claim) > kMaxDevicesPerClaim) return {SearchOutcome::kTooMany, 0};
  if (options_.bounds && hopeless(number, leaf.count - devices, start)) return {SearchOutcome::kFailure, 0};
  if (leaf.all) return take_all(number, devices);
  if (problem_.permutations) return permute(number, devices);
  return options_.remember ? loop_remembering(number, devices, start) : loop(number, devices, start);
}

Search::Part Search::take_all(std::uint32_t number, std::uint32_t index) {
  const std::uint32_t device = problem_.leaves[number].all_devices[index];
  switch (state_.look_all(problem_.leaves[number], index)) {
    case AllLook::kNo:
      return {SearchOutcome::kFailure, 0};
    case AllLook::kViolation:
      return fail_at(number, device, true);
    case AllLook::kError:
      return fail_at(number, device, false);
    case AllLook::kTake:
      return take(number, device, index);
  }
  return {};
}

Search::Part Search::take(std::uint32_t leaf, std::uint32_t device, std::uint32_t devices) {
  state_.take(leaf, device);
  const Part part = enter_leaf(leaf, devices + 1, problem_.permutations ? 0 : device + 1);
  if (part.outcome != SearchOutcome::kSuccess) state_.give_back();
  return part;
}

Search::Part Search::fail_at(std::uint32_t leaf, std::uint32_t device, bool violation) {
  failed_ = {leaf, device};
  violation_ = violation;
  return {SearchOutcome::kError, 0};
}

Search::Part Search::loop(std::uint32_t number, std::uint32_t devices, std::uint32_t start) {
  const Problem::Leaf& leaf = problem_.leaves[number];
  const std::vector<std::uint32_t>& eligible = eligible_[number];
  Part all;
  for (auto d = std::ranges::lower_bound(eligible, start); d != eligible.end(); ++d) {
    const Look look = state_.look(leaf, *d);
    if (look == Look::kNo) continue;
    const Part part = look == Look::kError ? fail_at(number, *d, false) : take(number, *d, devices);
    all.steps = add_steps(all.steps, part.steps);
    all.outcome = part.outcome;
    if (part.outcome != SearchOutcome::kFailure) return all;
  }
  return all;
}

void Search::open(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start) {
  if (devices > 0 && start > 0) {
    keys_->open_next(start - 1);
  } else {
    keys_->open_leaf(leaf, start);
  }
}

// What is remembered is not the call but the rest of its loop from a device on: that many devices which are alike make
// few states. Of a request for one device only the first is: the rest is remembered by what comes after it.
Search::Part Search::loop_remembering(std::uint32_t number, std::uint32_t devices, std::uint32_t start) {
  const Problem::Leaf& leaf = problem_.leaves[number];
  const std::vector<std::uint32_t>& eligible = eligible_[number];
  const bool first_only = leaf.count == 1;
  const std::size_t base = visits_.size();
  Part all;
  Steps tail = 0;
  open(number, devices, start);
  for (auto d = std::ranges::lower_bound(eligible, start); d != eligible.end(); ++d) {
    const Look look = state_.look(leaf, *d);
    if (look == Look::kNo) continue;
    if (look == Look::kError) {
      all = fail_at(number, *d, false);
      break;
    }
    const bool keyed = !first_only || visits_.size() == base;
    const Hash128 key = keyed ? keys_->key(leaf.count - devices) : Hash128{};
    if (keyed) {
      if (const Failure* const known = memo_.find(key)) {
        all.outcome = known->part.outcome;
        tail = known->part.steps;
        break;
      }
    }
    const Part part = take(number, *d, devices);
    all.outcome = part.outcome;
    visits_.push_back({key, part.steps});
    if (part.outcome != SearchOutcome::kFailure) break;
    if (!first_only) keys_->pass(*d);
  }
  keys_->close();
  // The last visit of an error or a success is not remembered; all add to the steps.
  const bool remember = !ends_search(all.outcome);
  while (visits_.size() > base) {
    tail = add_steps(tail, visits_.back().steps);
    if (remember && visits_.back().key != Hash128{}) memo_.insert(visits_.back().key, {{all.outcome, tail}});
    visits_.pop_back();
  }
  all.steps = tail;
  return all;
}

// The stable implementation starts each choice at the first device again.
Search::Part Search::permute(std::uint32_t number, std::uint32_t devices) {
  if (!options_.remember) return loop(number, devices, 0);
  keys_->open_leaf(number, 0);
  const Hash128 key = keys_->key(problem_.leaves[number].count - devices);
  keys_->close();
  if (const Failure* const known = memo_.find(key)) return known->part;
  const Part part = loop(number, devices, 0);
  if (!ends_search(part.outcome)) memo_.insert(key, {part});
  return part;
}

bool Search::hopeless(std::uint32_t number, std::uint32_t needed, std::uint32_t start) const {
  const Problem::Leaf& leaf = problem_.leaves[number];
  if (!leaf.all && !has_alive(number, needed, start)) return true;
  const Problem::Request& request = problem_.requests[leaf.request];
  for (std::uint32_t l = request.first_leaf + request.leaf_count; l < problem_.leaves.size(); ++l) {
    const Problem::Leaf& later = problem_.leaves[l];
    if (later.all || later.subrequest != Problem::kNone) continue;
    if (!has_alive(l, later.count, 0)) return true;
  }
  return false;
}

bool Search::has_alive(std::uint32_t number, std::uint32_t needed, std::uint32_t start) const {
  const std::vector<std::uint32_t>& eligible = eligible_[number];
  for (auto d = std::ranges::lower_bound(eligible, start); needed != 0 && d != eligible.end(); ++d) {
    if (state_.look(problem_.leaves[number], *d) != Look::kNo) --needed;
  }
  return needed == 0;
}

}  // namespace gpusched::dra
