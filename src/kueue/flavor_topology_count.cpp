#include <fmt/format.h>

#include <algorithm>

#include "kueue/flavor_topology.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

std::int64_t amount_of(const ResourceRow& row, StringId resource) {
  const auto entry = std::ranges::lower_bound(row, resource, {}, &ResourceAmount::resource);
  return entry != row.end() && entry->resource == resource ? entry->amount : kAbsent;
}

// Takes amounts away from the room for a demand, in the demand's order.
template <class AmountOf>
void take(const PodDemand& demand, AmountOf&& amount, std::span<std::int64_t> room) {
  for (std::size_t i = 0; i < room.size(); ++i) {
    const std::int64_t taken = amount(demand.entries[i].resource);
    if (taken != kAbsent) room[i] = wrap_sub(room[i] == kAbsent ? std::int64_t{0} : room[i], taken);
  }
}

std::int32_t slices_below(const TopologyTree& tree, std::span<const DomainState> states, DomainIndex domain,
                          std::size_t level, const SliceLayer& layer) {
  DomainRange range{domain, domain + 1};
  for (; level < layer.level; ++level) range = tree.children_of(range);
  std::int32_t slices = 0;
  for (DomainIndex index = range.begin; index < range.end; ++index) {
    slices = wrap_add(slices, states[index].state / layer.size);
  }
  return slices;
}

}  // namespace

void FlavorTopology::Data::count(Class& workers, const Class* leader, const AssumedUsage& assumed, bool empty) {
  const Verdicts& excluded = verdicts(workers.filter);
  ClassCounts& counts = workers.counts[empty ? 1 : 0];
  cached_ -= counts.states().size();
  counts.update(tree_, workers.rules, workers.demand, capacity_, excluded, empty);
  cached_ += counts.states().size();
  states_.assign(counts.states().begin(), counts.states().end());
  limited_.assign(counts.limited().begin(), counts.limited().end());
  sum_preference(excluded.preference);
  if (leader == nullptr && assumed.empty()) return;

  for (std::uint32_t leaf = 0; leaf < capacity_.leaves(); ++leaf) {
    const ResourceRow* const taken = assumed.find(leaf);
    if (excluded.excluded[leaf] != 0 || (leader == nullptr && taken == nullptr)) continue;
    const PodCount alone = count_leaf(leaf, workers, leader, taken, empty);
    if (counts.limiting(leaf) != PodCount::kNothing) --limited_[counts.limiting(leaf)];
    if (alone.pods == 0) ++limited_[alone.limiting];
  }
  count_up(tree_, workers.rules, 0, tree_.levels[0], true, states_);
}

void FlavorTopology::Data::sum_preference(std::span<const std::int64_t> by_leaf) {
  preference_.clear();
  if (by_leaf.empty()) return;
  preference_.resize(tree_.size());
  std::ranges::copy(by_leaf, preference_.begin() + tree_.leaves().begin);
  for (DomainIndex domain = static_cast<DomainIndex>(tree_.size()); domain-- > tree_.levels[0].end;) {
    preference_[tree_.parent[domain]] += preference_[domain];
  }
}

PodCount FlavorTopology::Data::count_leaf(std::uint32_t leaf, const Class& workers, const Class* leader,
                                          const ResourceRow* taken, bool empty) {
  const auto find_room = [&](const PodDemand& demand, std::vector<std::int64_t>& room) {
    room.clear();
    for (const PodDemand::Entry& entry : demand.entries) {
      room.push_back((empty ? capacity_.free(entry.column) : capacity_.room(entry.column))[leaf]);
    }
    if (taken != nullptr) take(demand, [&](StringId resource) { return amount_of(*taken, resource); }, room);
  };
  find_room(workers.demand, room_);
  const PodCount alone = count_pods(workers.demand, room_);
  DomainState& state = states_[tree_.leaves().begin + leaf];
  state.state = state.state_with_leader = alone.pods;
  if (leader == nullptr) return alone;
  find_room(leader->demand, leader_room_);
  if (count_pods(leader->demand, leader_room_).pods <= 0) return alone;
  state.leader_state = 1;
  take(workers.demand, [&](StringId resource) { return leader->demand.amount(resource); }, room_);
  state.state_with_leader = count_pods(workers.demand, room_).pods;
  return alone;
}

std::string FlavorTopology::Data::sentence(const Misfit& misfit, const Class& workers, std::int32_t pods) const {
  if (!misfit.text.empty()) return misfit.text;
  Exclusions exclusions{&filters_[workers.filter].verdicts, {}, capacity_.leaves()};
  for (std::size_t i = 0; i < limited_.size(); ++i) {
    if (limited_[i] == 0) continue;
    exclusions.by_resource.emplace_back(resource_names_[workers.demand.entries[i].resource], limited_[i]);
  }
  const std::string excluded = exclusion_text(exclusions);
  if (!workers.rules.layers.empty()) return layers_sentence(misfit.level, workers.rules, pods) + excluded;
  const std::string_view unit = workers.rules.slice_size == 1 ? "pod" : "slice";
  if (misfit.fit == 0) {
    return fmt::format("topology \"{}\" doesn't allow to fit any of {} {}(s){}", topology_name_, misfit.total, unit,
                       excluded);
  }
  return fmt::format("topology \"{}\" allows to fit only {} out of {} {}(s){}", topology_name_, misfit.fit,
                     misfit.total, unit, excluded);
}

// Of requests with several layers of slices Kueue tells how far the best domain would take each.
std::string FlavorTopology::Data::layers_sentence(std::size_t level, const SearchRules& rules,
                                                  std::int32_t pods) const {
  std::string text = fmt::format("topology \"{}\" doesn't allow to fit", topology_name_);
  const DomainRange range = tree_.levels[level];
  DomainIndex best = range.begin;
  for (DomainIndex domain = range.begin; domain < range.end; ++domain) {
    if (states_[domain].slice_state > states_[best].slice_state) best = domain;
  }
  for (const SliceLayer& layer : rules.layers) {
    const std::int32_t fit = layer.level < level ? 0 : slices_below(tree_, states_, best, level, layer);
    text += fmt::format("; {}/{} slice(s) fit on level {}", fit, pods / layer.size, levels_[layer.level]);
  }
  return text;
}

}  // namespace gpusched::kueue
