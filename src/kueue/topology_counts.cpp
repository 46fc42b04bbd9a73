#include "kueue/topology_counts.hpp"

#include <algorithm>
#include <limits>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

// What a leader costs at most little is taken from the sums: the cheapest place among the children decides, even if the
// leader does not fit there. That is Kueue's optimism, not a rule of ours.
void count_domain(DomainRange children, std::int32_t inner_size, std::span<DomainState> states, DomainState& domain) {
  std::int32_t pods = 0;
  std::int32_t slices = 0;
  std::int32_t leader = 0;
  std::int32_t least_pods = std::numeric_limits<std::int32_t>::max();
  std::int32_t least_slices = std::numeric_limits<std::int32_t>::max();
  for (DomainIndex index = children.begin; index < children.end; ++index) {
    const DomainState& child = states[index];
    std::int32_t state = child.state;
    std::int32_t with_leader = child.state_with_leader;
    if (inner_size > 0) {
      state = state / inner_size * inner_size;
      with_leader = with_leader / inner_size * inner_size;
    }
    pods = wrap_add(pods, state);
    slices = wrap_add(slices, child.slice_state);
    least_pods = std::min(least_pods, wrap_sub(state, with_leader));
    least_slices = std::min(least_slices, wrap_sub(child.slice_state, child.slice_state_with_leader));
    leader = std::max(leader, child.leader_state);
  }
  domain.state = pods;
  domain.state_with_leader = wrap_sub(pods, least_pods);
  domain.leader_state = leader;
  domain.slice_state = slices;
  domain.slice_state_with_leader = wrap_sub(slices, least_slices);
}

}  // namespace

void count_up(const TopologyTree& tree, const SearchRules& rules, std::size_t level, DomainRange domains,
              bool round_inner, std::span<DomainState> states) {
  if (domains.empty()) return;
  const std::size_t lowest = tree.levels.size() - 1;
  if (level < lowest) {
    count_up(tree, rules, level + 1, tree.children_of(domains), round_inner, states);
    const std::int32_t inner_size = round_inner ? rules.inner_size_at(level + 1) : 0;
    for (DomainIndex index = domains.begin; index < domains.end; ++index) {
      count_domain(tree.children[index], inner_size, states, states[index]);
    }
  }
  if (level != rules.slice_level) return;
  for (DomainIndex index = domains.begin; index < domains.end; ++index) {
    states[index].slice_state = states[index].state / rules.slice_size;
    states[index].slice_state_with_leader = states[index].state_with_leader / rules.slice_size;
  }
}

}  // namespace gpusched::kueue
