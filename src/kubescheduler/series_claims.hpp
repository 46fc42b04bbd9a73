#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubescheduler/claim_devices.hpp"
#include "kubescheduler/pod_kinds.hpp"

namespace gpusched::kubescheduler {

/// The ResourceClaims of a snapshot while pods get theirs one after another. The snapshot has copies of them from the
/// first change on.
class SeriesClaims {
 public:
  /// Both are borrowed; `options.selectors` is not null when there are claims or device classes.
  SeriesClaims(Snapshot& snapshot, const PredictOptions& options) : snapshot_(snapshot), options_(options) {}

  /// Who holds what now, for the cycles of the series; nullptr when the scheduler knows no devices.
  [[nodiscard]] std::shared_ptr<ClaimDevices> devices();

  /// Where claims that a cycle allocated or reserved are. One that it made for extended resources is added.
  [[nodiscard]] ClaimIndices indices_of(std::span<const ClaimAllocation> claims);

  /// Allocates and reserves claims for a pod that goes to the node. True: pods on other nodes can tell, because the
  /// devices are not the node's alone.
  [[nodiscard]] bool give(const objects::ObjectMeta& pod, NodeIndex node, std::span<const ClaimAllocation> allocations,
                          const ClaimIndices& claims);

  /// A pod has gone: claims that nobody else uses are free. False when there was nothing to do.
  [[nodiscard]] bool release(const objects::ObjectMeta& pod);

 private:
  using PoolName = std::pair<std::string_view, std::string_view>;  // driver, pool
  struct HashPool {
    std::size_t operator()(const PoolName& name) const;
  };

  [[nodiscard]] std::vector<objects::ResourceClaim>& claims();
  [[nodiscard]] bool is_only_for(NodeIndex node, const objects::AllocationResult& allocation);

  Snapshot& snapshot_;
  const PredictOptions& options_;
  std::shared_ptr<std::vector<objects::ResourceClaim>> claims_;
  std::shared_ptr<ClaimDevices> devices_;
  /// By pool the node that alone can reach it, or none. The names are those of the snapshot's slices.
  std::optional<std::unordered_map<PoolName, NodeIndex, HashPool>> only_node_;
};

}  // namespace gpusched::kubescheduler
