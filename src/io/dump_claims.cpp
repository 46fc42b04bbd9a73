#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/dump_model.hpp"

// Devices that claims hold: unlike the device plugin's counts, an allocation names them.
namespace gpusched::io {

void DumpModel::remember_devices(const GpuGroup& group, NodeId node, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < std::min(group.devices.size(), count); ++i) {
    for (const std::string& device : group.devices[i]) {
      device_gpus_.insert_or_assign(
          fmt::format("{}/{}", group.driver, device),
          DeviceGpu{node, static_cast<std::uint16_t>(first + i), group.mig != MigStrategy::kNone});
    }
  }
}

/// The bound pods that a claim is reserved for; none when one of its pods is not there, as then nobody can say when the
/// last one is gone.
std::vector<std::size_t> DumpModel::users_of(const objects::ResourceClaim& claim,
                                             const std::map<StringId, std::size_t>& bound) const {
  std::vector<std::size_t> users;
  for (const auto& user : claim.reserved_for) {
    const auto found =
        bound.find(model_.builder_.shape().strings.find(fmt::format("{}/{}", claim.namespace_name, user.name)));
    if (found == bound.end()) {
      return {};
    }
    users.push_back(found->second);
  }
  return users;
}

void DumpModel::read_claims() {
  if (devices_.claims().empty()) {
    return;
  }
  std::map<StringId, std::size_t> bound;  // by name of the pod
  for (std::size_t i = 0; i < model_.bound_.size(); ++i) {
    bound.emplace(model_.bound_[i].name, i);
  }
  std::set<std::pair<NodeId, std::uint16_t>> taken;  // devices of one GPU hold it once
  for (const objects::ResourceClaim& claim : devices_.claims()) {
    if (!claim.allocation) {
      continue;
    }
    std::map<NodeId, std::vector<std::uint16_t>> gpus;
    for (const objects::DeviceRequestAllocationResult& result : claim.allocation->results) {
      const auto found = device_gpus_.find(fmt::format("{}/{}/{}", result.driver, result.pool, result.device));
      if (found != device_gpus_.end() && !result.admin_access.value_or(false) &&
          (found->second.instance || taken.insert({found->second.node, found->second.gpu}).second)) {
        gpus[found->second.node].push_back(found->second.gpu);
      }
    }
    const std::vector<std::size_t> users = users_of(claim, bound);
    for (auto& [node, held] : gpus) {
      if (users.size() == 1 && claim.reserved_for.size() == 1) {
        std::vector<std::uint16_t>& all = model_.bound_[users.front()].claimed;
        all.insert(all.end(), held.begin(), held.end());
      } else {
        model_.claimed_.push_back({node,
                                   model_.builder_.text(fmt::format("claim {}/{}", claim.namespace_name, claim.name)),
                                   text_or_none(claim.namespace_name), held, users});
      }
    }
  }
}

}  // namespace gpusched::io
