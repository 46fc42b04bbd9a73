#include "dra/block_search.hpp"

#include <bit>

namespace gpusched::dra {

namespace {

/// Positions of a block before this one.
std::uint64_t before(std::uint32_t position) {
  return position >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << position) - 1;
}

/// Sums of what blocks look like are mixed well; what is added tells the stage and the number still to choose.
Hash128 key_of(std::uint32_t leaf, std::uint32_t remaining, const Hash128& total) {
  const std::uint64_t word = (std::uint64_t{leaf} << 32U) | remaining;
  return mixed({total.a ^ (word * 0x9e37'79b9'7f4a'7c15U), total.b + (word + 1) * 0xc2b2'ae3d'27d4'eb4fU});
}

}  // namespace

BlockSearch::BlockSearch(const Problem& problem, std::uint64_t max_calls)
    : problem_(problem), max_calls_(max_calls), states_(problem), now_(states_.initial()) {}

SearchResult BlockSearch::run() {
  const Part part = enter_claim(0);
  SearchResult result;
  result.outcome = part.outcome;
  result.steps = part.steps;
  result.calls = calls_;
  if (part.outcome == SearchOutcome::kSuccess) result.takings = takings_;
  return result;
}

BlockSearch::Part BlockSearch::enter_claim(std::uint32_t claim) {
  if (claim < problem_.claims.size()) return enter_request(claim, problem_.claims[claim].first_request);
  ++calls_;
  return {SearchOutcome::kSuccess, 1};
}

BlockSearch::Part BlockSearch::enter_request(std::uint32_t claim, std::uint32_t request) {
  if (++calls_ > max_calls_) return {SearchOutcome::kExhausted, 0};
  const Problem::Claim& numbers = problem_.claims[claim];
  Part part;
  if (request == numbers.first_request + numbers.request_count) {
    part = enter_claim(claim + 1);
  } else {
    const std::uint32_t leaf = problem_.requests[request].first_leaf;
    part = go_on(leaf, 0, start_of(leaf));
  }
  part.steps = add_steps(part.steps, 1);
  return part;
}

BlockSearch::Place BlockSearch::start_of(std::uint32_t leaf) {
  Place place;
  for (const std::uint32_t state : now_) place.total += states_.hash(states_.view(state, leaf), 0);
  return place;
}

BlockSearch::Part BlockSearch::enter_leaf(std::uint32_t leaf, std::uint32_t devices, const Place& place) {
  if (++calls_ > max_calls_) return {SearchOutcome::kExhausted, 0};
  Part part = go_on(leaf, devices, place);
  part.steps = add_steps(part.steps, 1);
  return part;
}

BlockSearch::Part BlockSearch::go_on(std::uint32_t number, std::uint32_t devices, const Place& place) {
  const Problem::Leaf& leaf = problem_.leaves[number];
  if (devices >= leaf.count) return enter_request(leaf.claim, leaf.request + 1);
  return loop(number, devices, place);
}

// As Search::loop_remembering: what is remembered is the rest of the loop from a device on; of a request for one device
// only the first such rest.
BlockSearch::Part BlockSearch::loop(std::uint32_t leaf, std::uint32_t devices, Place place) {
  const std::uint32_t remaining = problem_.leaves[leaf].count - devices;
  const bool first_only = problem_.leaves[leaf].count == 1;
  const std::size_t first_visit = visits_.size();
  for (; place.block < now_.size(); ++place.block, place.position = 0) {
    const BlockStates::View view = states_.view(now_[place.block], leaf);
    std::uint64_t left = view.takeable & ~before(place.position);
    std::uint32_t passed = states_.takeable_before(view, place.position);
    for (; left != 0; left &= left - 1, ++passed) {
      Hash128 key;
      if (!first_only || visits_.size() == first_visit) {
        key = key_of(leaf, remaining, place.total);
        if (const Steps* const known = failures_.find(key)) {
          return finish(first_visit, SearchOutcome::kFailure, *known);
        }
      }
      place.position = static_cast<std::uint32_t>(std::countr_zero(left));
      const Part part = take(leaf, devices, place, passed);
      visits_.push_back({key, part.steps});
      if (part.outcome != SearchOutcome::kFailure) return finish(first_visit, part.outcome, 0);
      place.total += states_.hash(view, passed + 1);
      place.total -= states_.hash(view, passed);
    }
  }
  return finish(first_visit, SearchOutcome::kFailure, 0);
}

/// `passed`: how many devices of the block the leaf could have taken before this one.
BlockSearch::Part BlockSearch::take(std::uint32_t leaf, std::uint32_t devices, const Place& place,
                                    std::uint32_t passed) {
  const std::uint32_t state = now_[place.block];
  const std::uint32_t next = states_.after_taking(state, place.position);
  Place rest{place.block, place.position + 1, place.total};
  rest.total -= states_.hash(states_.view(state, leaf), passed);
  const BlockStates::View& view = states_.view(next, leaf);
  rest.total += states_.hash(view, states_.takeable_before(view, rest.position));
  now_[place.block] = next;
  takings_.push_back({leaf, problem_.blocks[place.block].devices[place.position]});
  const Part part = enter_leaf(leaf, devices + 1, rest);
  if (part.outcome == SearchOutcome::kSuccess) return part;
  takings_.pop_back();
  now_[place.block] = state;
  return part;
}

// The last visit of a success, or of a search without budget, is not remembered; all add to the steps.
BlockSearch::Part BlockSearch::finish(std::size_t first_visit, SearchOutcome outcome, Steps tail) {
  while (visits_.size() > first_visit) {
    const Visit& visit = visits_.back();
    tail = add_steps(tail, visit.steps);
    if (outcome == SearchOutcome::kFailure && visit.key != Hash128{}) failures_.insert(visit.key, tail);
    visits_.pop_back();
  }
  return {outcome, tail};
}

}  // namespace gpusched::dra
