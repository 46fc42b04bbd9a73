#include "chain/pool_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "gpusched/chain/names.hpp"
#include "gpusched/chain/unit_preset.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

constexpr std::size_t kMaxDisplayName = 64;

LabelMap to_map(const objects::Labels& labels) {
  LabelMap map;
  for (const auto& [key, value] : labels) map[key] = value;
  return map;
}

/// The accelerators of one model on one node.
struct CardsOfNode {
  std::uint32_t node = 0;
  const CardGroup* group = nullptr;
};

class PoolBuilder {
 public:
  PoolBuilder(const ChainInput& input, Chain& chain) : input_(input), chain_(chain) {
    for (const Flavor& flavor : chain.flavors) {
      flavor_labels_.push_back(flavor_labels(flavor));
      node_labels_.push_back(flavor_node_labels(flavor.key, input.settings));
      topology_names_.push_back("gpustack-" + flavor.key.profile);
    }
    for (const TopologyPlan& topology : chain.topologies) existing_topologies_.push_back(topology.name());
    std::ranges::sort(existing_topologies_);
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
      if (!chain.nodes[i].managed) continue;
      for (const CardGroup& group : chain.nodes[i].groups) {
        cards_[group.key].push_back({static_cast<std::uint32_t>(i), &group});
      }
    }
    for (const LiveQueue& queue : input.queues) live_.emplace(queue.meta.name, &queue);
  }

  void build() {
    author_types();
    adopt_types();
    adopt_queues();
    for (auto& [name, pool] : pools_) {
      pool.name = name;
      finish(pool);
      chain_.pools.push_back(std::move(pool));
    }
  }

 private:
  void author_types();
  void adopt_types();
  void adopt_queues();
  void describe(Pool& pool);
  void finish(Pool& pool);
  void find_flavors(Pool& pool);
  void plan(Pool& pool, const LiveQueue* live);
  [[nodiscard]] std::vector<const LabelMap*> pool_nodes(const Pool& pool) const;
  [[nodiscard]] Desired desired(const Pool& pool, const LiveQueue* live) const;
  void settle_queue(Pool& pool, const LiveQueue* live);
  void add_checks(Pool& pool);
  void view(Pool& pool, const LiveQueue* live);

  const ChainInput& input_;
  Chain& chain_;
  std::map<std::string, Pool> pools_;
  std::vector<LabelMap> flavor_labels_, node_labels_;  // by flavor
  std::vector<std::string> topology_names_;            // by flavor
  std::vector<std::string> existing_topologies_;
  std::unordered_map<std::string_view, std::vector<CardsOfNode>> cards_;  // by accelerator key
  std::unordered_map<std::string_view, const LiveQueue*> live_;
};

/// The flavor controller writes a type for each pool of its flavors, unless one of that name exists.
void PoolBuilder::author_types() {
  if (!input_.settings.derived_from_node) return;
  for (const Flavor& flavor : chain_.flavors) {
    const PoolIdentity identity = pool_of(flavor.key, input_.settings.aware_cpu_manufacturer);
    const auto [entry, added] = pools_.try_emplace(pool_name(identity));
    if (!added) continue;
    Pool& pool = entry->second;
    pool.identity = identity;
    pool.authored = true;
    const UnitResources unit =
        identity.acceleratable() ? accelerated_unit(flavor.model.manufacturer->name, flavor.model.product) : cpu_unit();
    pool.cpu = std::to_string(unit.cpu);
    pool.ram = fmt::format("{}Gi", unit.ram_gib);
    pool.local_storage = fmt::format("{}Gi", unit.storage_gib);
    pool.display_name = identity.acceleratable()                  ? flavor.model.product
                        : identity.general_group == kGenericGroup ? "CPU-only"
                                                                  : identity.general_group;
    pool.display_name.resize(std::min(pool.display_name.size(), kMaxDisplayName));
  }
}

void PoolBuilder::adopt_types() {
  for (const objects::InstanceType& type : input_.types) {
    Pool& pool = pools_[type.meta.name];
    const std::string* const derived = objects::find(type.meta.labels, kDerivedFromNode);
    pool.authored = derived != nullptr && *derived == "true";
    pool.identity = {type.general_group.empty() ? std::string(kGenericGroup) : type.general_group,
                     type.acceleratable ? type.accelerator_group : "", type.os, type.arch};
    pool.display_name = type.display_name;
    pool.cpu = type.cpu;
    pool.ram = type.ram;
    pool.local_storage = type.local_storage;
    pool.memory = type.memory;
    pool.state.inactive = type.inactive;
    pool.state.type_deleting = type.meta.deletion_timestamp.has_value();
    for (const objects::PartitionProfile& profile : type.profiles) {
      pool.profiles.push_back({profile.name, profile.memory_mib, profile.count});
    }
  }
}

/// A queue whose type is gone: only the quota controller looks after it.
void PoolBuilder::adopt_queues() {
  for (const LiveQueue& queue : input_.queues) {
    const LabelMap labels = to_map(queue.meta.labels);
    const auto type = labels.find(kObjectType);
    if (type == labels.end() || type->second != "instancetypes" || pools_.contains(queue.meta.name)) continue;
    Pool& pool = pools_[queue.meta.name];
    pool.type_exists = false;
    pool.identity.general_group = kGenericGroup;
    for (const auto& [key, value] : labels) {
      if (value != "true") continue;
      if (key.starts_with(kAcceleratorPrefix)) pool.identity.accelerator_group = key.substr(kAcceleratorPrefix.size());
      if (key.starts_with(kGeneralPrefix)) pool.identity.general_group = key.substr(kGeneralPrefix.size());
    }
    if (const auto os = labels.find(kOs); os != labels.end()) pool.identity.os = os->second;
    if (const auto arch = labels.find(kArch); arch != labels.end()) pool.identity.arch = arch->second;
  }
}

void PoolBuilder::find_flavors(Pool& pool) {
  const LabelMap schedule = schedule_labels(pool.identity);
  for (std::size_t i = 0; i < chain_.flavors.size(); ++i) {
    if (owns(schedule, flavor_labels_[i])) pool.flavors.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(pool.flavors, {}, [&](std::uint32_t flavor) {
    return std::tuple(chain_.flavors[flavor].key.count, std::string_view(chain_.flavors[flavor].name));
  });
  if (!pool.flavors.empty()) pool.model = chain_.flavors[pool.flavors.front()].model;
  if (pool.memory.empty()) pool.memory = pool.model.memory;
}

/// Nodes that must be counted by one of the pool's flavors.
std::vector<const LabelMap*> PoolBuilder::pool_nodes(const Pool& pool) const {
  std::vector<const LabelMap*> nodes;
  const PoolIdentity& identity = pool.identity;
  for (const NodeFacts& node : chain_.nodes) {
    if (!node.managed || node.os != identity.os || node.arch != identity.arch) continue;
    if (identity.general_group != kGenericGroup && node.general_key != identity.general_group) continue;
    const bool counts =
        identity.acceleratable()
            ? std::ranges::any_of(node.models,
                                  [&](const Model& m) { return m.key == identity.accelerator_group && m.count > 0; })
            : node.cores > 0 && (input_.settings.mixed_on_node || !node.accelerated());
    if (counts) nodes.push_back(&node.labels);
  }
  return nodes;
}

void PoolBuilder::plan(Pool& pool, const LiveQueue* live) {
  PlanWorld world;
  world.topologies.assign(existing_topologies_.begin(), existing_topologies_.end());
  world.nodes = pool_nodes(pool);
  if (live != nullptr) {
    world.existing_resources.assign(live->resources.begin(), live->resources.end());
    world.has_groups = live->state.groups;
    world.tas_queue = live->tas_queue;
    world.migration_consistent = live->migration_consistent;
  }
  std::vector<PlanFlavor> flavors;
  for (const std::uint32_t index : pool.flavors) {
    const Flavor& flavor = chain_.flavors[index];
    flavors.push_back({flavor.name, flavor.key.count, flavor.capacity, flavor.key.profile, topology_names_[index],
                       &node_labels_[index]});
  }
  const Manufacturer* const manufacturer = manufacturer_of_key(pool.identity.accelerator_group);
  const bool accelerated = pool.identity.acceleratable() && manufacturer != nullptr;
  pool.covered_resource = accelerated ? std::string(kCreditsPrefix).append(manufacturer->name) : "cpu";
  pool.plan = plan_quota(pool.covered_resource, accelerated ? kUnitsPerCard : 1, std::move(flavors), world);
}

Desired PoolBuilder::desired(const Pool& pool, const LiveQueue* live) const {
  Desired wanted;
  wanted.flavors = !pool.flavors.empty();
  wanted.plan_valid = pool.plan.problem == PlanProblem::kNone && !pool.plan.flavors.empty();
  if (live == nullptr) return wanted;
  wanted.changed = live->flavors != pool.plan.flavors;
  for (const FlavorQuota& listed : live->flavors) {
    if (std::ranges::find(pool.plan.flavors, listed.flavor, &FlavorQuota::flavor) != pool.plan.flavors.end()) continue;
    const bool busy = std::ranges::find(live->busy, listed.flavor) != live->busy.end() ||
                      std::ranges::find(live->reported, listed.flavor) == live->reported.end();
    const Dropped found = !live->status_current ? Dropped::kNotCurrent : busy ? Dropped::kBusy : Dropped::kIdle;
    if (wanted.dropped != Dropped::kBusy) wanted.dropped = found;
  }
  return wanted;
}

void PoolBuilder::settle_queue(Pool& pool, const LiveQueue* live) {
  QueueState start = live != nullptr ? live->state : QueueState{};
  start.exists = live != nullptr;
  start.inactive = pool.state.inactive;
  start.type_deleting = pool.state.type_deleting;
  start.type_missing = !pool.type_exists;
  Fixpoint fixpoint = settle(start, desired(pool, live), input_.settings.drain_when_no_flavors);
  pool.queue_existed = live != nullptr;
  pool.state = fixpoint.state;
  pool.writes = std::move(fixpoint.writes);
  pool.drained = fixpoint.drained;
  if (pool.state.groups) {
    const bool planned = pool.plan.problem == PlanProblem::kNone && !pool.plan.flavors.empty();
    pool.groups = planned ? pool.plan.flavors : live != nullptr ? live->flavors : std::vector<FlavorQuota>();
  }
  using enum StopPolicy;
  pool.phase = pool.state.policy == kHoldAndDrain ? (pool.state.reserved ? "Draining" : "Inactive")
               : pool.state.policy == kHold       ? "Inactive"
                                                  : "Active";
}

void PoolBuilder::add_checks(Pool& pool) {
  const auto active = [&](std::string_view name) {
    return std::ranges::any_of(chain_.checks,
                               [&](const LiveCheck& check) { return check.name == name && check.active; });
  };
  if (pool.identity.acceleratable() && input_.settings.derived_from_node && active(kNodeDevicesCheck)) {
    pool.checks.emplace_back(kNodeDevicesCheck);
  }
  if (active(kJointCheck)) pool.checks.emplace_back(kJointCheck);
}

/// Capability (profiles, slices) of the pool's accelerators, and what they can still give.
void PoolBuilder::view(Pool& pool, const LiveQueue* live) {
  const PoolIdentity& identity = pool.identity;
  std::vector<NodeCards> cards;
  std::map<std::string, OfferedProfile> offered;
  if (const auto found = cards_.find(identity.accelerator_group); identity.acceleratable() && found != cards_.end()) {
    for (const CardsOfNode& entry : found->second) {
      const NodeFacts& node = chain_.nodes[entry.node];
      if (node.os != identity.os || node.arch != identity.arch) continue;
      if (identity.general_group != kGenericGroup && node.general_key != identity.general_group) continue;
      cards.emplace_back(entry.group->cards);
      for (const Card& card : entry.group->cards) {
        pool.physical_count += card.spec->physical_count;
        if (is_sliceable(card)) {
          pool.sliceable = true;
          pool.logical_count += card.spec->logical_count;
          pool.cores_overcommit = pool.cores_overcommit || card.spec->cores_overcommit;
        }
        for (const objects::PartitionProfile& profile : card.spec->profiles) {
          const std::string name = published_profile(entry.group->group->manufacturer, profile.name);
          const Manufacturer* const manufacturer = find_manufacturer(entry.group->group->manufacturer);
          if (manufacturer == nullptr || !can_be_offered(*manufacturer, name)) continue;
          OfferedProfile& sum = offered.try_emplace(name, OfferedProfile{name, profile.memory_mib, 0}).first->second;
          sum.count += profile.count;
        }
      }
    }
  }
  if (!offered.empty()) {
    pool.profiles.clear();
    for (auto& [name, profile] : offered) pool.profiles.push_back(std::move(profile));
  }
  std::ranges::sort(pool.profiles, {}, &OfferedProfile::name);
  if (pool.state.policy == StopPolicy::kHoldAndDrain) return;  // a drained pool shows nothing
  const Manufacturer* const manufacturer = manufacturer_of_key(identity.accelerator_group);
  if (identity.acceleratable()) {
    pool.views = four_views(cards, manufacturer == nullptr ? std::string_view() : manufacturer->name);
    return;
  }
  std::int64_t nominal = 0;
  std::int64_t largest = 0;
  for (const FlavorQuota& flavor : pool.groups) nominal += flavor.nominal;
  for (const std::uint32_t index : pool.flavors) largest = std::max(largest, chain_.flavors[index].key.count);
  pool.cpu_view =
      cpu_view(nominal, largest, live == nullptr ? 0 : live->reserved_cpu_milli, input_.settings.resources_overcommit);
}

void PoolBuilder::finish(Pool& pool) {
  const auto found = live_.find(pool.name);
  const LiveQueue* const live = found == live_.end() ? nullptr : found->second;
  pool.local_queue = local_queue_name(pool.name);
  find_flavors(pool);
  plan(pool, live);
  settle_queue(pool, live);
  add_checks(pool);
  view(pool, live);
}

}  // namespace

void build_pools(const ChainInput& input, Chain& chain) {
  PoolBuilder(input, chain).build();
}

}  // namespace gpusched::chain
