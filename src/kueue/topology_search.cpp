#include "kueue/topology_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "kueue/topology_balanced.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

Domains all(DomainRange range) {
  Domains domains(range.size());
  std::iota(domains.begin(), domains.end(), range.begin);
  return domains;
}

}  // namespace

std::expected<Domains, Misfit> TopologySearch::run() {
  if (rules_.balanced) {
    BalancedPlacement balanced(*this);
    auto found = balanced.find();
    if (!found) return std::unexpected(Misfit{.text = std::move(found.error())});
    if (*found) return distribute(std::move(**found), true);
  }
  auto found = find_fitting_level();
  if (!found) return std::unexpected(std::move(found.error()));
  return distribute(std::move(*found), false);
}

std::expected<DomainSet, Misfit> TopologySearch::find_fitting_level() const {
  const std::int32_t slices = demand_.pods / rules_.slice_size;
  for (std::size_t level = rules_.level;; --level) {
    const DomainRange range = tree_.levels[level];
    if (range.empty()) {
      return std::unexpected(Misfit{.text = fmt::format("no topology domains at level: {}", levels_[level])});
    }
    Domains by_leader = sorted_with_leader(all(range));
    const DomainIndex top = top_domain(by_leader, slices);
    if (suffices(states_[top], slices)) return DomainSet{level, {top}};
    if (rules_.required) {
      // LeastFreeCapacity sorts the largest last and, as it stands, counts its pods.
      const std::int32_t largest = rules_.least_free ? states_[by_leader.back()].state : states_[top].slice_state;
      return std::unexpected(Misfit{"", level, largest, slices});
    }
    if (level > 0 && !rules_.unconstrained) continue;
    auto domains = several_domains(std::move(by_leader), level, slices);
    if (!domains) return std::unexpected(std::move(domains.error()));
    return DomainSet{level, std::move(*domains)};
  }
}

bool TopologySearch::suffices(const DomainState& state, std::int32_t slices) const {
  if (rules_.least_free && state.slice_state >= slices) return true;
  if (rules_.least_free && rules_.required) return false;
  return state.slice_state_with_leader >= slices && state.leader_state >= demand_.leaders;
}

// The domain to take if one is enough. The best fit for slices may have no room for the leader: then none is enough.
DomainIndex TopologySearch::top_domain(const Domains& sorted_by_leader, std::int32_t slices) const {
  if (rules_.least_free) {
    const auto enough = [&](DomainIndex domain) { return states_[domain].slice_state >= slices; };
    const auto first = std::ranges::find_if(sorted_by_leader, enough);
    return first == sorted_by_leader.end() ? sorted_by_leader.front() : *first;
  }
  if (!suffices(states_[sorted_by_leader.front()], slices)) return sorted_by_leader.front();
  return best_fit(sorted_by_leader, slices,
                  demand_.leaders > 0 ? &DomainState::slice_state_with_leader : &DomainState::slice_state);
}

std::expected<Domains, Misfit> TopologySearch::several_domains(Domains sorted_by_leader, std::size_t level,
                                                               std::int32_t slices) const {
  Domains result;
  std::int32_t remaining = slices;
  std::int32_t leaders = demand_.leaders;
  std::size_t used = 0;
  for (; leaders > 0 && used < sorted_by_leader.size() && states_[sorted_by_leader[used]].leader_state > 0; ++used) {
    DomainIndex domain = sorted_by_leader[used];
    if (!rules_.least_free && states_[domain].slice_state_with_leader >= remaining) {
      domain = best_fit(std::span(sorted_by_leader).subspan(used), remaining, &DomainState::slice_state_with_leader);
    }
    result.push_back(domain);
    leaders = wrap_sub(leaders, states_[domain].leader_state);
    remaining = wrap_sub(remaining, states_[domain].slice_state_with_leader);
  }
  if (leaders > 0) return std::unexpected(Misfit{"", level, wrap_sub(demand_.leaders, leaders), slices});

  sorted_by_leader.erase(sorted_by_leader.begin(), sorted_by_leader.begin() + static_cast<std::ptrdiff_t>(used));
  const Domains rest = sorted(std::move(sorted_by_leader));
  for (std::size_t i = 0; remaining > 0 && i < rest.size(); ++i) {
    DomainIndex domain = rest[i];
    if (!rules_.least_free && states_[domain].slice_state >= remaining) {
      domain = best_fit(std::span(rest).subspan(i), remaining, &DomainState::slice_state);
    }
    result.push_back(domain);
    remaining = wrap_sub(remaining, states_[domain].slice_state);
  }
  if (remaining > 0) return std::unexpected(Misfit{"", level, wrap_sub(slices, remaining), slices});
  return result;
}

DomainIndex TopologySearch::best_fit(std::span<const DomainIndex> domains, std::int32_t needed,
                                     std::int32_t DomainState::* value) const {
  DomainIndex best = domains.front();
  for (const DomainIndex domain : domains) {
    const std::int32_t here = states_[domain].*value;
    if (here >= needed && here < states_[best].*value) best = domain;
  }
  return best;
}

Domains TopologySearch::children(std::span<const DomainIndex> domains) const {
  Domains result;
  for (const DomainIndex domain : domains) {
    const DomainRange range = tree_.children[domain];
    for (DomainIndex child = range.begin; child < range.end; ++child) result.push_back(child);
  }
  return result;
}

// BestFit: most slices first; LeastFreeCapacity: fewest. Among equals the one with the fewest spare pods.
Domains TopologySearch::sorted(Domains domains) const {
  const bool ascending = rules_.least_free;
  std::ranges::sort(domains, [&](DomainIndex a, DomainIndex b) {
    const DomainState& x = states_[a];
    const DomainState& y = states_[b];
    if (x.slice_state != y.slice_state) return (x.slice_state < y.slice_state) == ascending;
    return std::tie(x.state, a) < std::tie(y.state, b);
  });
  return domains;
}

Domains TopologySearch::sorted_with_leader(Domains domains) const {
  const bool ascending = rules_.least_free;
  std::ranges::sort(domains, [&](DomainIndex a, DomainIndex b) {
    const DomainState& x = states_[a];
    const DomainState& y = states_[b];
    if (x.leader_state != y.leader_state) return x.leader_state > y.leader_state;
    if (x.slice_state_with_leader != y.slice_state_with_leader) {
      return (x.slice_state_with_leader < y.slice_state_with_leader) == ascending;
    }
    return std::tie(x.state_with_leader, a) < std::tie(y.state_with_leader, b);
  });
  return domains;
}

}  // namespace gpusched::kueue
