#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::scoring {

/// One resource of a node before and after a pod comes, in the unit of its ResourceId.
struct ResourceBalance {
  std::int64_t requested_with = 0;     ///< by the node's pods and the incoming pod together
  std::int64_t requested_without = 0;  ///< by the node's pods
  std::int64_t allocatable = 0;        ///< 0 or less: the resource is left out
};

/// What is scored. kube-scheduler changed it with 1.36.
enum class BalanceForm : std::uint8_t {
  kAfterPlacement,  ///< up to 1.35: the balance that the node has with the pod, 50 to 100
  kImprovement,     ///< since 1.36: what the pod does to the balance; 75 when it changes nothing, 50 to 100
};

/// NodeResourcesBalancedAllocation's score, higher when the pod leaves the used fractions of the resources close
/// together. With f = min(1, requested / allocatable) per resource, σ their population standard deviation and
/// b = ⌊(1 − σ) · 100⌋ it is b(with), or 50 + (50 + b(with) − b(without)) / 2 rounded toward zero, depending on `form`.
/// Floating point (IEEE double, in the order of the resources), because the scheduler's own is.
[[nodiscard]] std::int64_t balanced_allocation_score(std::span<const ResourceBalance> balances,
                                                     BalanceForm form = BalanceForm::kImprovement);

/// The score of a node for a pod that is not on it yet, over true requests. None when the pod asks for none of the
/// resources: the plugin then skips the pod. Scalar resources that the pod does not ask for are left out.
[[nodiscard]] std::optional<std::int64_t> balanced_allocation_score(std::span<const ResourceId> resources,
                                                                    const ClusterUsage& usage, NodeId node,
                                                                    const PodClass& pod,
                                                                    BalanceForm form = BalanceForm::kImprovement);

}  // namespace gpusched::scoring
