#include "kueue/topology_class.hpp"

#include <algorithm>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

// Most amounts fit into 32 bits, where processors divide several times faster.
std::int64_t divide(std::int64_t room, std::int64_t amount) {
  const auto high = static_cast<std::uint64_t>(room) | static_cast<std::uint64_t>(amount);
  if (high >> 32U == 0) return static_cast<std::uint32_t>(room) / static_cast<std::uint32_t>(amount);
  return room / amount;
}

// Sets the count of a leaf and passes the change on to the domains above it.
void count_leaf(const TopologyTree& tree, const SearchRules& rules, std::size_t leaf, std::int32_t pods,
                std::span<DomainState> states) {
  std::size_t level = tree.levels.size() - 1;
  DomainIndex domain = tree.leaves().begin + static_cast<DomainIndex>(leaf);
  std::int32_t slices = level == rules.slice_level ? pods / rules.slice_size : 0;
  for (;; --level) {
    DomainState& state = states[domain];
    const DomainState before = state;
    state.state = state.state_with_leader = pods;
    state.slice_state = state.slice_state_with_leader = slices;
    if (level == 0 || (before.state == pods && before.slice_state == slices)) return;
    domain = tree.parent[domain];
    const std::int32_t unit = std::max(1, rules.inner_size_at(level));
    pods = wrap_add(states[domain].state, wrap_sub(pods / unit * unit, before.state / unit * unit));
    slices = level - 1 == rules.slice_level
                 ? pods / rules.slice_size
                 : wrap_add(states[domain].slice_state, wrap_sub(slices, before.slice_state));
  }
}

}  // namespace

PodDemand pod_demand(const ResourceRow& per_pod, StringId pods, const StringTable& names) {
  PodDemand demand;
  for (const ResourceAmount& entry : per_pod) demand.entries.push_back({entry.resource, entry.amount, 0});
  const auto own = std::ranges::find(demand.entries, pods, &PodDemand::Entry::resource);
  if (own == demand.entries.end()) {
    demand.entries.push_back({pods, 1, 0});
  } else {
    own->amount = wrap_add(own->amount, std::int64_t{1});
  }
  std::ranges::sort(demand.entries, {}, [&](const PodDemand::Entry& entry) { return names[entry.resource]; });
  return demand;
}

std::int64_t PodDemand::amount(StringId resource) const {
  const auto entry = std::ranges::find(entries, resource, &Entry::resource);
  return entry == entries.end() ? kAbsent : entry->amount;
}

PodCount count_pods(const PodDemand& demand, std::span<const std::int64_t> room) {
  PodCount least;
  for (std::uint32_t i = 0; i < demand.entries.size(); ++i) {
    const std::int64_t amount = demand.entries[i].amount;
    if (room[i] == kAbsent && amount != 0) return {0, i};
    const std::int32_t pods =
        amount == 0 ? std::numeric_limits<std::int32_t>::max() : static_cast<std::int32_t>(divide(room[i], amount));
    if (least.limiting == PodCount::kNothing || pods < least.pods) least = {pods, i};
  }
  return least;
}

void ClassCounts::update(const TopologyTree& tree, const SearchRules& rules, const PodDemand& demand,
                         const TopologyCapacity& capacity, const Verdicts& verdicts, bool empty) {
  std::vector<std::span<const std::int64_t>> columns;
  for (const PodDemand::Entry& entry : demand.entries) {
    columns.push_back(empty ? capacity.free(entry.column) : capacity.room(entry.column));
  }
  std::vector<std::int64_t> room(columns.size());
  const auto count = [&](std::size_t leaf) {
    if (verdicts.excluded[leaf] != 0) return PodCount{};
    for (std::size_t i = 0; i < columns.size(); ++i) room[i] = columns[i][leaf];
    return count_pods(demand, room);
  };
  const bool current = empty ? leaves_epoch_ == capacity.leaves_epoch() : epoch_ == capacity.epoch();
  if (current) {
    if (empty) return;
    for (const std::uint32_t leaf : capacity.changes().subspan(seen_)) {
      const PodCount now = count(leaf);
      set_limiting(leaf, now);
      count_leaf(tree, rules, leaf, now.pods, states_);
    }
  } else {
    states_.assign(tree.size(), {});
    limiting_.assign(capacity.leaves(), PodCount::kNothing);
    limited_.assign(columns.size(), 0);
    for (std::size_t leaf = 0; leaf < capacity.leaves(); ++leaf) {
      const PodCount now = count(leaf);
      set_limiting(leaf, now);
      DomainState& state = states_[tree.leaves().begin + leaf];
      state.state = state.state_with_leader = now.pods;
    }
    count_up(tree, rules, 0, tree.levels[0], true, states_);
  }
  leaves_epoch_ = capacity.leaves_epoch();
  epoch_ = capacity.epoch();
  seen_ = capacity.changes().size();
}

void ClassCounts::set_limiting(std::size_t leaf, const PodCount& count) {
  const std::uint32_t now = count.pods == 0 ? count.limiting : PodCount::kNothing;
  std::uint32_t& before = limiting_[leaf];
  if (before == now) return;
  if (before != PodCount::kNothing) --limited_[before];
  if (now != PodCount::kNothing) ++limited_[now];
  before = now;
}

}  // namespace gpusched::kueue
