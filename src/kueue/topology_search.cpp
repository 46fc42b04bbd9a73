#include "kueue/topology_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "kueue/topology_balanced.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

Domains all(DomainRange range) {
  Domains domains(range.size());
  std::iota(domains.begin(), domains.end(), range.begin);
  return domains;
}

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
    DomainQueue queue(all(range), order(demand_.leaders > 0));
    const DomainIndex top = top_domain(queue, slices);
    if (suffices(states_[top], slices)) return DomainSet{level, {top}};
    if (rules_.required) {
      if (const auto other = second_choice(queue, slices)) return DomainSet{level, {*other}};
      // LeastFreeCapacity sorts the largest last and, as it stands, counts its pods.
      const std::int32_t largest = rules_.least_free ? states_[queue.back()].state : states_[top].slice_state;
      return std::unexpected(Misfit{"", level, largest, slices});
    }
    if (level > 0 && !rules_.unconstrained) continue;
    auto domains = several_domains(std::move(queue), level, slices);
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
DomainIndex TopologySearch::top_domain(const DomainQueue& queue, std::int32_t slices) const {
  if (rules_.least_free) return queue.first_fit(slices, &DomainState::slice_state);
  if (!suffices(states_[queue.front()], slices)) return queue.front();
  return queue.best_fit(slices,
                        demand_.leaders > 0 ? &DomainState::slice_state_with_leader : &DomainState::slice_state);
}

// The most preferred domain may be too small where a less preferred one is not.
std::optional<DomainIndex> TopologySearch::second_choice(const DomainQueue& queue, std::int32_t slices) const {
  if (!rules_.look_further) return std::nullopt;
  const Domains domains = queue.sorted();
  const auto enough = [&](DomainIndex domain) { return suffices(states_[domain], slices); };
  const auto first = std::find_if(domains.begin() + 1, domains.end(), enough);
  if (first == domains.end()) return std::nullopt;
  return best_fit(std::span(first, domains.end()), slices,
                  demand_.leaders > 0 ? &DomainState::slice_state_with_leader : &DomainState::slice_state,
                  order(demand_.leaders > 0));
}

std::expected<Domains, Misfit> TopologySearch::several_domains(DomainQueue queue, std::size_t level,
                                                               std::int32_t slices) const {
  Domains result;
  std::int32_t remaining = slices;
  std::int32_t leaders = demand_.leaders;
  // Takes domains as long as `wanted` says so; the last one is the best fit.
  const auto take = [&](std::int32_t DomainState::* value, auto&& wanted) {
    for (; !queue.empty() && wanted(states_[queue.front()]); queue.pop()) {
      DomainIndex domain = queue.front();
      if (!rules_.least_free && states_[domain].*value >= remaining) domain = queue.best_fit(remaining, value);
      result.push_back(domain);
      remaining = wrap_sub(remaining, states_[domain].*value);
      leaders = wrap_sub(leaders, states_[domain].leader_state);
    }
  };
  if (leaders > 0) {
    take(&DomainState::slice_state_with_leader,
         [&](const DomainState& state) { return leaders > 0 && state.leader_state > 0; });
    if (leaders > 0) return std::unexpected(Misfit{"", level, wrap_sub(demand_.leaders, leaders), slices});
    queue = DomainQueue(std::move(queue).take(), order(false));
  } else if (rules_.least_free && level + 1 == tree_.levels.size()) {
    // Leaves without room would all come first, and get nothing.
    Domains leaves = std::move(queue).take();
    std::erase_if(leaves, [&](DomainIndex leaf) { return states_[leaf].slice_state == 0; });
    queue = DomainQueue(std::move(leaves), order(false));
  }
  take(&DomainState::slice_state, [&](const DomainState&) { return remaining > 0; });
  if (remaining > 0) return std::unexpected(Misfit{"", level, wrap_sub(slices, remaining), slices});
  return result;
}

Domains TopologySearch::children(std::span<const DomainIndex> domains) const {
  Domains result;
  for (const DomainIndex domain : domains) {
    const DomainRange range = tree_.children[domain];
    for (DomainIndex child = range.begin; child < range.end; ++child) result.push_back(child);
  }
  return result;
}

Domains TopologySearch::sorted(Domains domains, bool with_leader) const {
  std::ranges::sort(domains, order(with_leader));
  return domains;
}

bool DomainOrder::operator()(DomainIndex a, DomainIndex b) const {
  const DomainState& x = states[a];
  const DomainState& y = states[b];
  if (with_leader && x.leader_state != y.leader_state) return x.leader_state > y.leader_state;
  if (!preference.empty() && preference[a] != preference[b]) return preference[a] > preference[b];
  if (with_leader) {
    if (x.slice_state_with_leader != y.slice_state_with_leader) {
      return (x.slice_state_with_leader < y.slice_state_with_leader) == ascending;
    }
    return std::tie(x.state_with_leader, a) < std::tie(y.state_with_leader, b);
  }
  if (x.slice_state != y.slice_state) return (x.slice_state < y.slice_state) == ascending;
  return std::tie(x.state, a) < std::tie(y.state, b);
}

DomainIndex best_fit(std::span<const DomainIndex> sorted, std::int32_t needed, std::int32_t DomainState::* value,
                     const DomainOrder& order) {
  DomainIndex best = sorted.front();
  for (const DomainIndex domain : sorted) {
    if (!order.preference.empty() && order.preference[domain] != order.preference[sorted.front()]) break;
    const std::int32_t here = order.states[domain].*value;
    if (here >= needed && here < order.states[best].*value) best = domain;
  }
  return best;
}

DomainQueue::DomainQueue(Domains domains, DomainOrder order) : order_(order), domains_(std::move(domains)) {
  std::ranges::make_heap(domains_, [&](DomainIndex a, DomainIndex b) { return order_(b, a); });
}

void DomainQueue::pop() {
  std::ranges::pop_heap(domains_, [&](DomainIndex a, DomainIndex b) { return order_(b, a); });
  domains_.pop_back();
}

DomainIndex DomainQueue::best_fit(std::int32_t needed, std::int32_t DomainState::* value) const {
  if (!order_.preference.empty()) return gpusched::kueue::best_fit(sorted(), needed, value, order_);
  DomainIndex best = front();
  for (const DomainIndex domain : domains_) {
    const std::int32_t here = order_.states[domain].*value;
    const std::int32_t least = order_.states[best].*value;
    if (here >= needed && (here < least || (here == least && order_(domain, best)))) best = domain;
  }
  return best;
}

DomainIndex DomainQueue::first_fit(std::int32_t needed, std::int32_t DomainState::* value) const {
  DomainIndex best = front();
  for (const DomainIndex domain : domains_) {
    if (order_.states[domain].*value < needed) continue;
    if (order_.states[best].*value < needed || order_(domain, best)) best = domain;
  }
  return best;
}

Domains DomainQueue::sorted() const {
  Domains domains = domains_;
  std::ranges::sort(domains, order_);
  return domains;
}

DomainIndex DomainQueue::back() const {
  return *std::ranges::max_element(domains_, order_);
}

}  // namespace gpusched::kueue
