#include "kubescheduler/series_claims.hpp"

#include <algorithm>
#include <functional>

namespace gpusched::kubescheduler {

std::size_t SeriesClaims::HashPool::operator()(const PoolName& name) const {
  const std::hash<std::string_view> hash;
  return hash(name.first) * 31 + hash(name.second);
}

std::vector<objects::ResourceClaim>& SeriesClaims::claims() {
  if (claims_ == nullptr) {
    claims_ = std::make_shared<std::vector<objects::ResourceClaim>>(snapshot_.resource_claims());
    snapshot_.replace_claims(claims_);
  }
  return *claims_;
}

std::shared_ptr<ClaimDevices> SeriesClaims::devices() {
  if (devices_ == nullptr && options_.selectors != nullptr && options_.rules.dynamic_resources) {
    devices_ = make_claim_devices(snapshot_, options_.rules, *options_.selectors, false);
  }
  return devices_;
}

ClaimIndices SeriesClaims::indices_of(std::span<const ClaimAllocation> allocations) {
  ClaimIndices indices;
  for (const ClaimAllocation& each : allocations) {
    const auto* const known = snapshot_.find_resource_claim(each.namespace_name, each.claim);
    if (known != nullptr) {
      indices.push_back(static_cast<std::size_t>(known - snapshot_.resource_claims().data()));
      continue;
    }
    indices.push_back(claims().size());
    objects::ResourceClaim& added = claims().emplace_back();
    added.name = each.claim;
    added.namespace_name = each.namespace_name;
    added.for_extended_resources = true;
  }
  return indices;
}

bool SeriesClaims::is_only_for(NodeIndex node, const objects::AllocationResult& allocation) {
  if (!only_node_) {
    only_node_.emplace();
    for (const objects::ResourceSlice& slice : snapshot_.objects().resource_slices) {
      const NodeIndex of_slice = snapshot_.find_node(slice.spec.node_name.value_or(""));
      const auto [entry, is_new] = only_node_->try_emplace({slice.spec.driver, slice.spec.pool.name}, of_slice);
      if (!is_new && entry->second != of_slice) {
        entry->second = NodeIndex();
      }
    }
  }
  return std::ranges::all_of(allocation.results, [&](const objects::DeviceRequestAllocationResult& result) {
    const auto found = only_node_->find({result.driver, result.pool});
    return found != only_node_->end() && found->second.valid() && found->second == node;
  });
}

bool SeriesClaims::give(const objects::ObjectMeta& pod, NodeIndex node, std::span<const ClaimAllocation> allocations,
                        const ClaimIndices& indices) {
  bool others_see_it = false;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    objects::ResourceClaim& claim = claims()[indices[i]];
    if (!claim.allocation) {
      claim.allocation = allocations[i].allocation;
      devices()->hold(*claim.allocation, options_.rules.dra.consumable_capacity);
      others_see_it = others_see_it || !is_only_for(node, *claim.allocation);
    }
    claim.reserved_for.push_back({"", "pods", pod.name, pod.uid});
  }
  return others_see_it;
}

bool SeriesClaims::release(const objects::ObjectMeta& pod) {
  const auto is_its = [&](const objects::ClaimConsumerReference& user) {
    return user.uid == pod.uid && user.name == pod.name;  // pods of files may have no uid
  };
  const auto holds = [&](const objects::ResourceClaim& claim) {
    return claim.namespace_name == pod.namespace_name && std::ranges::any_of(claim.reserved_for, is_its);
  };
  if (std::ranges::none_of(snapshot_.resource_claims(), holds)) {
    return false;
  }
  for (objects::ResourceClaim& claim : claims()) {
    if (holds(claim)) {
      std::erase_if(claim.reserved_for, is_its);
      if (claim.reserved_for.empty()) {
        claim.allocation.reset();
      }
    }
  }
  devices_ = nullptr;
  return true;
}

}  // namespace gpusched::kubescheduler
