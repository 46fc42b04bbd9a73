#include <algorithm>

#include "kueue/topology_search.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

// From the chosen domains down to the leaves. Above the slice level the children of all chosen domains are one pool; at
// and below it, and after balanced placement, each domain hands its own pods to its own children.
Domains TopologySearch::distribute(DomainSet found, bool balanced) {
  Domains chosen = fill(found.domains, demand_, rules_.slice_size, true);
  const std::size_t lowest = tree_.levels.size() - 1;
  std::size_t level = found.level;
  for (; !balanced && level < std::min(lowest, rules_.slice_level); ++level) {
    chosen = fill(sorted(children(chosen)), demand_, rules_.slice_size, true);
  }
  for (; level < lowest; ++level) {
    std::int32_t size = rules_.slice_size;
    if (level >= rules_.slice_level) size = std::max(1, rules_.inner_size_at(level + 1));
    Domains next;
    for (const DomainIndex domain : chosen) {
      const Domains below = sorted(children(std::span(&domain, 1)));
      if (size > 1) {  // the slices that were counted are those of the outermost layer
        for (const DomainIndex child : below) {
          states_[child].slice_state = states_[child].state / size;
          states_[child].slice_state_with_leader = states_[child].state_with_leader / size;
        }
      }
      const SearchDemand share{states_[domain].state, states_[domain].leader_state};
      std::ranges::copy(fill(below, share, size, size > 1), std::back_inserter(next));
    }
    chosen = std::move(next);
  }
  return chosen;
}

// When the domains do not hold everything, which optimistic counts with a leader make possible, nobody gets anything
// and nobody is told: that is what 0.17 does.
Domains TopologySearch::fill(const Domains& sorted, SearchDemand demand, std::int32_t slice_size, bool by_slices) {
  auto value = by_slices ? &DomainState::slice_state : &DomainState::state;
  const std::int32_t unit = by_slices ? slice_size : 1;
  std::int32_t remaining = demand.pods / unit;
  std::int32_t leaders = demand.leaders;
  Domains result;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::span rest = std::span(sorted).subspan(i);
    if (leaders > 0) {
      if (fill_with_leader(rest, remaining, leaders, unit, by_slices, result)) return result;
      continue;
    }
    DomainIndex domain = rest.front();
    if (!rules_.least_free && states_[domain].*value >= remaining) domain = best_fit(rest, remaining, value);
    DomainState& state = states_[domain];
    state.leader_state = 0;
    result.push_back(domain);
    if (state.*value >= remaining) {
      state.*value = remaining;
      state.state = wrap_mul(remaining, unit);
      return result;
    }
    state.state = wrap_mul(state.*value, unit);
    remaining = wrap_sub(remaining, state.*value);
  }
  return {};
}

// One domain while the leader has no place; true when it takes all that is left.
bool TopologySearch::fill_with_leader(std::span<const DomainIndex> rest, std::int32_t& remaining, std::int32_t& leaders,
                                      std::int32_t unit, bool by_slices, Domains& result) {
  const auto with_leader = by_slices ? &DomainState::slice_state_with_leader : &DomainState::state_with_leader;
  const auto value = by_slices ? &DomainState::slice_state : &DomainState::state;
  const auto suffices = [&](const DomainState& state) {
    return state.*with_leader >= remaining && state.leader_state >= leaders;
  };
  DomainIndex domain = rest.front();
  if (!rules_.least_free && suffices(states_[domain])) domain = best_fit(rest, remaining, with_leader);
  result.push_back(domain);
  DomainState& state = states_[domain];
  if (suffices(state)) {
    state.*value = remaining;
    state.leader_state = leaders;
    state.state = wrap_mul(remaining, unit);
    return true;
  }
  if (by_slices) {
    state.*with_leader = std::min(state.*with_leader, remaining);
    state.leader_state = std::min(state.leader_state, leaders);
    state.state = wrap_mul(state.*with_leader, unit);
    leaders = wrap_sub(leaders, state.leader_state);
    remaining = wrap_sub(remaining, state.*with_leader);
    return false;
  }
  // Below the slices the domain keeps its leaderless count, and its counts are cut by what is left after it.
  remaining = wrap_sub(remaining, state.*with_leader);
  leaders = wrap_sub(leaders, state.leader_state);
  state.*with_leader = std::min(state.*with_leader, remaining);
  state.leader_state = std::min(state.leader_state, leaders);
  return false;
}

}  // namespace gpusched::kueue
