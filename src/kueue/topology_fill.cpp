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
    chosen = fill_children(children(chosen), demand_, rules_.slice_size, true);
  }
  for (; level < lowest; ++level) {
    std::int32_t size = rules_.slice_size;
    if (level >= rules_.slice_level) size = std::max(1, rules_.inner_size_at(level + 1));
    Domains next;
    for (const DomainIndex domain : chosen) {
      const SearchDemand share{states_[domain].state, states_[domain].leader_state};
      Domains below = children(std::span(&domain, 1));
      below = size > 1 ? fill_slices(std::move(below), share, size) : fill_children(std::move(below), share, 1, false);
      next.insert(next.end(), below.begin(), below.end());
    }
    chosen = std::move(next);
  }
  return chosen;
}

// Children that take slices of another size than the one that was counted. The order is still that of the old counts.
Domains TopologySearch::fill_slices(Domains children, SearchDemand demand, std::int32_t slice_size) {
  children = sorted(std::move(children), false);
  for (const DomainIndex child : children) {
    states_[child].slice_state = states_[child].state / slice_size;
    states_[child].slice_state_with_leader = states_[child].state_with_leader / slice_size;
  }
  return fill(children, demand, slice_size, true);
}

Domains TopologySearch::fill_children(Domains children, SearchDemand demand, std::int32_t slice_size, bool by_slices) {
  if (demand.leaders > 0) return fill(sorted(std::move(children), false), demand, slice_size, by_slices);
  const auto value = by_slices ? &DomainState::slice_state : &DomainState::state;
  const std::int32_t unit = by_slices ? slice_size : 1;
  std::int32_t remaining = demand.pods / unit;
  Domains result;
  for (DomainQueue queue(std::move(children), order(false)); !queue.empty();) {
    DomainIndex domain = queue.front();
    if (!rules_.least_free && states_[domain].*value >= remaining) domain = queue.best_fit(remaining, value);
    queue.pop();  // before the counts change that it is sorted by
    if (fill_one(domain, remaining, unit, value, result)) return result;
  }
  return {};
}

// When the domains do not hold everything, which optimistic counts with a leader make possible, nobody gets anything
// and nobody is told: that is what 0.17 does.
Domains TopologySearch::fill(const Domains& sorted, SearchDemand demand, std::int32_t slice_size, bool by_slices) {
  const auto value = by_slices ? &DomainState::slice_state : &DomainState::state;
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
    if (!rules_.least_free && states_[domain].*value >= remaining)
      domain = best_fit(rest, remaining, value, order(false));
    if (fill_one(domain, remaining, unit, value, result)) return result;
  }
  return {};
}

// True when the domain takes all that is left.
bool TopologySearch::fill_one(DomainIndex domain, std::int32_t& remaining, std::int32_t unit,
                              std::int32_t DomainState::* value, Domains& result) {
  DomainState& state = states_[domain];
  state.leader_state = 0;
  result.push_back(domain);
  const bool all = state.*value >= remaining;
  if (all) state.*value = remaining;
  state.state = wrap_mul(state.*value, unit);
  if (!all) remaining = wrap_sub(remaining, state.*value);
  return all;
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
  if (!rules_.least_free && suffices(states_[domain])) domain = best_fit(rest, remaining, with_leader, order(false));
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
