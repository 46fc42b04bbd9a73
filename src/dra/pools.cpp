#include "gpusched/dra/pools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dra/node_match.hpp"

namespace gpusched::dra {

namespace {

using objects::Device;
using objects::ResourceSlice;
using Positions = SliceIndex::Positions;

bool uses_compatibility_groups(const ResourceSlice& slice) {
  return std::ranges::any_of(slice.spec.devices, [](const Device& device) {
    return std::ranges::any_of(device.consumes_counters,
                               [](const auto& consumption) { return !consumption.compatibility_groups.empty(); });
  });
}

bool has_binding_conditions(const Device& device) {
  return !device.binding_conditions.empty() || device.empty_binding_conditions;
}

class PoolGathering {
 public:
  PoolGathering(const SliceIndex& slices, const NodeFacts& node, const Features& features,
                Implementation implementation)
      : slices_(slices), node_(node), features_(features), stable_(implementation == Implementation::kStable) {}

  std::expected<std::vector<Pool>, std::string> run();

 private:
  std::expected<bool, std::string> relevant(const ResourceSlice& slice) const;
  void collect(std::size_t position);
  /// false: obsolete.
  bool gather(Pool& pool, Positions relevant) const;
  void build(Pool& pool, Positions relevant, const Positions& all) const;
  bool is_counter_slice(std::size_t position) const {
    return features_.partitionable_devices && !slices_.slice(position).spec.shared_counters.empty();
  }
  std::string check_names(const Positions& slices) const;
  std::string check_consumption(const Pool& pool, const Positions& slices) const;
  bool binds_late(const Pool& pool) const;

  const SliceIndex& slices_;
  const NodeFacts& node_;
  const Features& features_;
  bool stable_;
  using PoolName = std::pair<std::string_view, std::string_view>;  // driver and name
  std::map<PoolName, Positions> relevant_;                         // of the highest relevant generation
};

std::expected<bool, std::string> PoolGathering::relevant(const ResourceSlice& slice) const {
  const objects::ResourceSliceSpec& spec = slice.spec;
  if (!features_.partitionable_devices && (spec.per_device_node_selection || !spec.shared_counters.empty())) {
    return false;
  }
  if (!features_.compatibility_groups && uses_compatibility_groups(slice)) return false;
  if (stable_ && !spec.shared_counters.empty()) return true;
  if ((spec.node_name && !spec.node_name->empty()) || spec.all_nodes.value_or(false) || spec.node_selector) {
    std::expected<bool, std::string> match = node_matches(node_, spec.node_name, spec.all_nodes, spec.node_selector);
    if (!match) {
      return std::unexpected(
          fmt::format("failed to perform node selection for slice {}: {}", slice.name, match.error()));
    }
    return match;
  }
  if (!spec.per_device_node_selection.value_or(false)) return false;
  for (const Device& device : spec.devices) {
    std::expected<bool, std::string> match =
        node_matches(node_, device.node_name, device.all_nodes, device.node_selector);
    if (!match) {
      return std::unexpected(fmt::format("failed to perform node selection for device {} in slice {}: {}", device.name,
                                         slice.name, match.error()));
    }
    if (*match) return true;
  }
  return false;
}

void PoolGathering::collect(std::size_t position) {
  const objects::ResourceSliceSpec& spec = slices_.slice(position).spec;
  Positions& gathered = relevant_[{spec.driver, spec.pool.name}];
  if (!gathered.empty()) {
    const std::int64_t generation = slices_.slice(gathered.front()).spec.pool.generation;
    if (spec.pool.generation < generation) return;
    if (spec.pool.generation > generation) gathered.clear();
  }
  gathered.push_back(position);
}

bool PoolGathering::gather(Pool& pool, Positions relevant) const {
  const objects::ResourcePool& first = slices_.slice(relevant.front()).spec.pool;
  if (static_cast<std::int64_t>(relevant.size()) == first.resource_slice_count) {
    build(pool, std::move(relevant), {});
    return true;
  }
  Positions all;
  for (const std::size_t position : slices_.of_pool(pool.driver, pool.name)) {
    const ResourceSlice& slice = slices_.slice(position);
    if (slice.spec.pool.generation > first.generation) return false;
    if (slice.spec.pool.generation < first.generation) continue;
    if (!features_.compatibility_groups && uses_compatibility_groups(slice)) continue;
    all.push_back(position);
  }
  if (static_cast<std::int64_t>(all.size()) != first.resource_slice_count) {
    pool.incomplete = true;
    return true;
  }
  build(pool, std::move(relevant), all);
  return true;
}

void PoolGathering::build(Pool& pool, Positions relevant, const Positions& all) const {
  if (!stable_ && relevant.size() > 1) {
    std::ranges::stable_sort(relevant, {}, [&](std::size_t position) { return slices_.slice(position).name; });
  }
  Positions counter_slices;
  for (const std::size_t position : relevant) {
    (is_counter_slice(position) ? counter_slices : pool.device_slices).push_back(position);
  }
  const Positions& consuming = stable_ ? relevant : pool.device_slices;
  if (relevant.size() < all.size()) {
    std::set<std::string_view> names;
    for (const std::size_t position : relevant) names.insert(slices_.slice(position).name);
    for (const std::size_t position : all) {
      if (names.contains(slices_.slice(position).name)) continue;
      (!stable_ && is_counter_slice(position) ? counter_slices : pool.other_slices).push_back(position);
    }
  }
  pool.invalid_reason = check_names(pool.device_slices);
  if (!features_.partitionable_devices) {
    pool.other_slices.clear();
    return;
  }
  std::set<std::string_view> set_names;
  for (const std::size_t position : counter_slices) {
    for (const objects::CounterSet& set : slices_.slice(position).spec.shared_counters) {
      if (!set_names.insert(set.name).second && !pool.invalid()) {
        pool.invalid_reason = "duplicate counter set name " + set.name;
      }
      pool.counter_sets.push_back(&set);
    }
  }
  if (!pool.invalid()) pool.invalid_reason = check_consumption(pool, consuming);
  if (!pool.invalid()) pool.invalid_reason = check_consumption(pool, pool.other_slices);
}

// Names that grow, the shorter ones first, as drivers number their devices, need no set to be known as different.
std::string PoolGathering::check_names(const Positions& slices) const {
  std::string_view last;
  bool rising = true;
  for (const std::size_t position : slices) {
    for (const Device& device : slices_.slice(position).spec.devices) {
      rising = rising && (device.name.size() != last.size() ? device.name.size() > last.size() : device.name > last);
      last = device.name;
    }
  }
  if (rising) return "";
  std::set<std::string_view> names;
  for (const std::size_t position : slices) {
    for (const Device& device : slices_.slice(position).spec.devices) {
      if (!names.insert(device.name).second) return "duplicate device name " + device.name;
    }
  }
  return "";
}

std::string PoolGathering::check_consumption(const Pool& pool, const Positions& slices) const {
  for (const std::size_t position : slices) {
    for (const Device& device : slices_.slice(position).spec.devices) {
      for (const objects::CounterConsumption& consumption : device.consumes_counters) {
        const auto set = std::ranges::find(pool.counter_sets, consumption.counter_set,
                                           [](const objects::CounterSet* s) -> const std::string& { return s->name; });
        if (set == pool.counter_sets.end()) return fmt::format("counter set {} not found", consumption.counter_set);
        for (const auto& [name, amount] : consumption.counters) {
          if (objects::find((*set)->counters, name) == nullptr) {
            return fmt::format("counter {} not found in counter set {}", name, (*set)->name);
          }
        }
      }
    }
  }
  return "";
}

bool PoolGathering::binds_late(const Pool& pool) const {
  if (stable_ || !pool.usable()) return false;
  return std::ranges::any_of(pool.device_slices, [&](std::size_t position) {
    return std::ranges::any_of(slices_.slice(position).spec.devices, has_binding_conditions);
  });
}

std::expected<std::vector<Pool>, std::string> PoolGathering::run() {
  Positions positions;
  if (stable_) {
    // The stable implementation walks all slices in the order of the list.
    for (std::size_t i = 0; i < slices_.size(); ++i) positions.push_back(i);
  } else {
    positions = slices_.for_node(node_.name);
  }
  for (const std::size_t position : positions) {
    const std::expected<bool, std::string> match = relevant(slices_.slice(position));
    if (!match) return std::unexpected(match.error());
    if (*match) collect(position);
  }
  std::vector<Pool> pools, late;
  for (auto& [id, positions_of_pool] : relevant_) {
    Pool pool;
    pool.driver = id.first;
    pool.name = id.second;
    if (!gather(pool, std::move(positions_of_pool))) continue;
    (binds_late(pool) ? late : pools).push_back(std::move(pool));
  }
  std::ranges::move(late, std::back_inserter(pools));
  return pools;
}

}  // namespace

SliceIndex::SliceIndex(std::span<const ResourceSlice> slices)
    : slices_(slices), next_on_node_(slices.size(), kNone), next_of_pool_(slices.size(), kNone) {
  on_node_.reserve(slices.size());
  pools_.reserve(slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const objects::ResourceSliceSpec& spec = slices[i].spec;
    append(pools_[{spec.driver, spec.pool.name}], next_of_pool_, i);
    if (spec.node_name && !spec.node_name->empty()) {
      append(on_node_[*spec.node_name], next_on_node_, i);
    } else {
      shared_.push_back(i);
    }
  }
}

std::size_t SliceIndex::PoolIdHash::operator()(const PoolId& id) const {
  const std::hash<std::string_view> hash;
  return hash(id.driver) * 31 + hash(id.pool);
}

void SliceIndex::append(Chain& chain, Next& next, std::size_t position) {
  (chain.first == kNone ? chain.first : next[chain.last]) = position;
  chain.last = position;
}

void SliceIndex::collect(const Chain& chain, const Next& next, Positions& positions) {
  for (std::size_t i = chain.first; i != kNone; i = next[i]) positions.push_back(i);
}

Positions SliceIndex::for_node(const std::string& node) const {
  Positions positions;
  if (const auto own = on_node_.find(node); own != on_node_.end()) collect(own->second, next_on_node_, positions);
  positions.insert(positions.end(), shared_.begin(), shared_.end());
  return positions;
}

Positions SliceIndex::of_pool(std::string_view driver, std::string_view pool) const {
  Positions positions;
  collect(pools_.at({driver, pool}), next_of_pool_, positions);
  return positions;
}

std::expected<std::vector<Pool>, std::string> gather_pools(const SliceIndex& slices, const NodeFacts& node,
                                                           const Features& features, Implementation implementation) {
  return PoolGathering(slices, node, features, implementation).run();
}

}  // namespace gpusched::dra
