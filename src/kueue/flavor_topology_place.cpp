#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kueue/flavor_topology.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

void AssumedUsage::add(std::uint32_t leaf, const ResourceRow& per_pod, std::int32_t pods) {
  ResourceRow& row = by_leaf_[leaf];
  for (const ResourceAmount& entry : per_pod) {
    add_amount(row, entry.resource, wrap_mul(entry.amount, std::int64_t{pods}));
  }
}

const ResourceRow* AssumedUsage::find(std::uint32_t leaf) const {
  const auto entry = by_leaf_.find(leaf);
  return entry == by_leaf_.end() ? nullptr : &entry->second;
}

TopologyPlacement FlavorTopology::Data::place(std::span<const PodSetRequest> requests, bool simulate_empty) {
  TopologyPlacement placement;
  AssumedUsage assumed;
  for (const Group& group : groups(requests)) {
    forget_counts();
    std::string reason = place_group(group, simulate_empty, assumed, placement);
    if (reason.empty()) continue;
    placement.failure.emplace();
    placement.failure->reason = std::move(reason);
    for (const PodSetRequest& request : group.pod_sets) placement.failure->pod_sets.push_back(request.pod_set);
    break;
  }
  return placement;
}

// Kueue files a pod set without a group under its number, where a group of that name would join it.
std::vector<FlavorTopology::Data::Group> FlavorTopology::Data::groups(std::span<const PodSetRequest> requests) const {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Class& asked = classes_[requests[i].pod_set_class.index()];
    const auto [entry, added] = by_name.try_emplace(asked.group.value_or(std::to_string(i)), groups.size());
    if (added) groups.emplace_back();
    groups[entry->second].pod_sets.push_back(requests[i]);
  }
  return groups;
}

std::string FlavorTopology::Data::place_group(const Group& group, bool simulate_empty, AssumedUsage& assumed,
                                              TopologyPlacement& placement) {
  const PodSetRequest* workers = &group.pod_sets[0];
  const PodSetRequest* leader = group.pod_sets.size() > 1 ? &group.pod_sets[1] : nullptr;
  if (leader != nullptr && leader->count > workers->count) std::swap(workers, leader);

  Class& asked = classes_[workers->pod_set_class.index()];
  if (!asked.rules.refusal.empty()) return asked.rules.refusal;
  Class* const asked_beside = leader == nullptr ? nullptr : &classes_[leader->pod_set_class.index()];
  count(asked, asked_beside, assumed, simulate_empty);
  TopologySearch search({tree_, asked.rules, levels_, preference_}, {workers->count, leader == nullptr ? 0 : 1},
                        states_);
  auto leaves = search.run();
  if (!leaves) return sentence(leaves.error(), asked, workers->count);

  std::ranges::sort(*leaves);
  for (const PodSetRequest& request : group.pod_sets) {
    if (&request != workers && &request != leader) continue;
    placement.placed.push_back(
        {request.pod_set, &request == leader ? leader_domains(*leaves) : worker_domains(*leaves, leader != nullptr)});
    const ResourceRow& per_pod = classes_[request.pod_set_class.index()].per_pod;
    for (const DomainPods& entry : placement.placed.back().domains) {
      assumed.add(capacity_.leaf(entry.domain), per_pod, entry.pods);
    }
  }
  return "";
}

DomainAssignment FlavorTopology::Data::leader_domains(const Domains& leaves) const {
  DomainAssignment result;
  for (const DomainIndex leaf : leaves) {
    const DomainState& state = states_[leaf];
    if (state.leader_state > 0) result.push_back({capacity_.domain(leaf - tree_.leaves().begin), state.leader_state});
  }
  return result;
}

// Leaves short of room may count less than nothing; beside a leader Kueue drops them, else it books them.
DomainAssignment FlavorTopology::Data::worker_domains(const Domains& leaves, bool beside_leader) const {
  DomainAssignment result;
  for (const DomainIndex leaf : leaves) {
    const std::int32_t pods = states_[leaf].state;
    if (pods == 0 || (beside_leader && pods < 0)) continue;
    result.push_back({capacity_.domain(leaf - tree_.leaves().begin), pods});
  }
  return result;
}

}  // namespace gpusched::kueue
