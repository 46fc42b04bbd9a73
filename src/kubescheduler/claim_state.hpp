#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpusched/dra/pools.hpp"
#include "kubescheduler/claim_devices.hpp"
#include "kubescheduler/dynamic_resources.hpp"
#include "kubescheduler/pod_claims.hpp"

namespace gpusched::kubescheduler {

/// A node's answer; it does not depend on the pods there, so it is found once.
struct NodeOutcome {
  Status status;
  bool allocates = false;  ///< something is to be allocated, and the node has it
  /// What the node gives to the claims that are not allocated, in their order; made when somebody asks for it.
  std::optional<std::vector<objects::AllocationResult>> given;
};

/// The pod's claims in one cycle, and what nodes answer to them.
class ClaimState final : public DynamicResources {
 public:
  explicit ClaimState(Cycle& cycle) : cycle_(cycle) {}

  /// Everything that can be found out before the nodes; a status that is not kSuccess refuses the pod.
  Status prepare();
  [[nodiscard]] bool empty() const { return claims_.empty(); }
  Status filter(NodeIndex node);
  [[nodiscard]] std::int64_t score(NodeIndex node);

  PostFilter post_filter() override;
  std::vector<ClaimAllocation> allocations(NodeIndex node) override;
  [[nodiscard]] std::string binding_error() const override;
  [[nodiscard]] bool undecided() const override { return undecided_; }

  // For a series, in which other pods of the kind come after the cycle's.
  /// Keeps the claims as they are now, without devices.
  void keep_claims();
  /// From now on a node that passes the filter also tells what it gives, as it will be asked for that soon.
  void give_with_answers() { gives_with_answers_ = true; }
  /// The claim that the scheduler would make for extended resources is among the claims.
  [[nodiscard]] bool has_extended_claim() const { return extended_claim_ != nullptr; }
  /// Whether the devices are those of the series.
  [[nodiscard]] bool shares_devices() const { return devices_ == nullptr || devices_ == cycle_.devices; }
  /// The node has changed.
  void forget(NodeIndex node) { outcomes_.erase(node.value); }
  /// What a node that passed the filter gives, in the order of the claims. It is not known any more afterwards.
  [[nodiscard]] std::vector<objects::AllocationResult> take_from(NodeIndex node);

 private:
  /// Requests of a claim that exists only on this node.
  struct NodeClaim {
    bool exists = false;
    objects::ResourceClaim claim;
  };

  void find_extended_resources();
  Status check_claim(const objects::ResourceClaim& claim, bool extended);
  void make_allocator(const ClaimList& claims);
  [[nodiscard]] std::span<objects::AllocationResult> given_by(NodeIndex node);
  NodeOutcome find_outcome(NodeIndex node);
  Status extended_claim_on(const NodeState& node, NodeClaim& node_claim);
  NodeOutcome allocate(const NodeState& node, const NodeClaim& node_claim, bool with_results);
  [[nodiscard]] bool is_extended(const objects::ResourceClaim* claim) const {
    return claim == extended_claim_ && claim != nullptr;
  }
  [[nodiscard]] bool is_reserved(const objects::ResourceClaim& claim) const {
    return std::ranges::any_of(claim.reserved_for,
                               [&](const auto& consumer) { return consumer.uid == cycle_.pod.meta.uid; });
  }
  [[nodiscard]] bool made_now() const { return extended_claim_ == &new_claim_; }

  Cycle& cycle_;
  ClaimList claims_;  // those of the pod, then the one for extended resources; empty until all are in order
  const objects::ResourceClaim* extended_claim_ = nullptr;
  objects::ResourceClaim new_claim_;
  objects::Named<std::int64_t> scalars_;        // that the pod requests, when one of them has a device class
  std::set<std::size_t> unavailable_;           // claims that are allocated where some node is not
  std::optional<dra::SliceIndex> slice_index_;  // when an older allocator fails on invalid pools
  std::deque<objects::ResourceClaim> kept_claims_;
  std::shared_ptr<ClaimDevices> devices_;  // when something is to be allocated
  std::unordered_map<std::uint32_t, NodeOutcome> outcomes_;
  bool undecided_ = false, gives_with_answers_ = false;
};

}  // namespace gpusched::kubescheduler
