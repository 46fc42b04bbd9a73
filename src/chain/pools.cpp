#include "gpusched/chain/pools.hpp"

#include <algorithm>

#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

StopPolicy policy_of(std::string_view name) {
  using enum StopPolicy;
  for (const StopPolicy policy : {kNone, kHold, kHoldAndDrain}) {
    if (name_of(policy) == name) return policy;
  }
  return kUnset;
}

bool is_feature(std::string_view key) {
  return key.starts_with(kGeneralPrefix) || key.starts_with(kAcceleratorPrefix);
}

}  // namespace

PoolIdentity pool_of(const FlavorKey& key, bool aware) {
  return {aware ? key.general_key : std::string(kGenericGroup), key.accelerator_key, key.os, key.arch};
}

std::string catalog_name(const PoolIdentity& identity) {
  const bool aware = identity.general_group != kGenericGroup;
  if (!identity.acceleratable()) return "gpustack--" + identity.general_group;
  return (aware ? "gpustack--" + identity.general_group + "--" : "gpustack--") + identity.accelerator_group;
}

std::string pool_name(const PoolIdentity& identity) {
  return catalog_name(identity).append("-").append(identity.os).append("-").append(identity.arch);
}

LabelMap schedule_labels(const PoolIdentity& identity) {
  LabelMap labels;
  labels[std::string(kAcceleratable)] = identity.acceleratable() ? "true" : "false";
  if (!identity.os.empty()) labels[std::string(kOs)] = identity.os;
  if (!identity.arch.empty()) labels[std::string(kArch)] = identity.arch;
  if (identity.acceleratable()) labels[std::string(kAcceleratorPrefix).append(identity.accelerator_group)] = "true";
  if (identity.general_group != kGenericGroup && !identity.general_group.empty()) {
    labels[std::string(kGeneralPrefix).append(identity.general_group)] = "true";
  }
  return labels;
}

bool owns(const LabelMap& schedule, const LabelMap& flavor) {
  LabelMap wanted;
  bool discriminates = false;
  for (const auto& [key, value] : schedule) {
    const bool feature = is_feature(key) && value == "true";
    if (!feature && key != kOs && key != kArch && key != kAcceleratable) continue;
    discriminates = discriminates || feature || key == kAcceleratable;
    wanted.emplace(key, value);
  }
  return discriminates && selects(wanted, flavor);
}

LiveQueue live_queue(const objects::OperatorQueue& queue) {
  const auto note = [&](std::string_view key) -> std::string_view {
    const std::string* const value = objects::find(queue.meta.annotations, key);
    return value == nullptr ? std::string_view() : std::string_view(*value);
  };
  LiveQueue live;
  live.meta = queue.meta;
  QueueState& state = live.state;
  state.exists = true;
  state.deleting = queue.meta.deletion_timestamp.has_value();
  state.groups = queue.has_groups;
  state.policy = policy_of(queue.stop_policy.value_or(""));
  state.marker = note(kEmptyPlanHold) == "true";
  const std::string_view phase = note(kMigrationPhase);
  if (phase == name_of(MigrationPhase::kDraining)) state.phase = MigrationPhase::kDraining;
  if (phase == name_of(MigrationPhase::kSwitched)) state.phase = MigrationPhase::kSwitched;
  state.saved = policy_of(note(kMigrationStopPolicy));
  state.reserved = queue.reserves;
  live.status_current = !queue.active_generation || *queue.active_generation == queue.generation;
  state.stopped_seen = live.status_current && !queue.active && queue.active_reason == "Stopped";
  live.tas_queue = note(kTasQueue) == "true";
  live.migration_consistent = (phase.empty() && note(kMigrationStopPolicy).empty()) ||
                              (state.phase != MigrationPhase::kNone && !note(kMigrationStopPolicy).empty());
  live.resources = queue.covered_resources;
  for (const objects::OperatorQueue::Flavor& flavor : queue.flavors)
    live.flavors.push_back({flavor.name, flavor.nominal});
  live.busy = queue.busy_flavors;
  live.reported = queue.reported_flavors;
  live.reserved_cpu_milli = queue.reserved_cpu_milli;
  return live;
}

}  // namespace gpusched::chain
