#include "gpusched/chain/pools.hpp"

#include <algorithm>

#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

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

}  // namespace gpusched::chain
