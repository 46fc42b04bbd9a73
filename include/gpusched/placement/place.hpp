#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/placement/consequences.hpp"
#include "gpusched/placement/placer.hpp"
#include "gpusched/topology/all_reduce.hpp"

namespace gpusched::placement {

/// What happened to one pod. A pod that is evicted and placed again has one entry for each time.
struct PodOutcome {
  PodId pod;
  NodeId node;  ///< where it was placed; invalid: Pending
  std::vector<GpuShare> shares;
  std::vector<Consequence> consequences;
  std::optional<topology::AllReduceBound> all_reduce;
  ReasonGroups reasons;        ///< Pending: the nodes by reason; else null
  std::vector<PodId> victims;  ///< evicted to make room for it
  PodId evicted_by;            ///< the pod that evicted it later; invalid: it stays
  bool requeued = false;       ///< a later try of a pod that was evicted
};

struct PlacementResult {
  std::vector<PodOutcome> pods;  ///< in the order in which they were tried

  /// Pods without a node at the end: Pending, or evicted and not placed again.
  [[nodiscard]] std::size_t unplaced() const;
  /// The other tried pods.
  [[nodiscard]] std::size_t placed() const;
};

/// Places unbound pods one after another on the usage, with preemption: a pod that fits nowhere evicts lower-priority
/// pods of one node (find_preemption). Evicted pods stay out unless options.requeue_evicted.
[[nodiscard]] PlacementResult place_pods(ClusterUsage& usage, std::span<const PodId> pods, const Options& options);

/// The order in which `place_pods` tries them; equal ones stay in input order.
[[nodiscard]] std::vector<PodId> placement_order(const ClusterUsage& usage, std::span<const PodId> pods, Order order);

/// `fill` stops here: far above the pods of any cluster, and reached in seconds.
inline constexpr std::size_t kMaxFill = 10'000'000;

struct FillResult {
  std::size_t count = 0;                                 ///< how many more pods of the class fit
  bool at_least = false;                                 ///< stopped at the limit: more than that may fit
  std::vector<std::pair<NodeId, std::size_t>> per_node;  ///< by node name, nodes with none left out
  ReasonGroups reasons;                                  ///< what stops the next one, or would on the full nodes
};

/// Adds pods of one class until none fits or `limit` do, without preemption; the usage comes back equal. Fails
/// ("fill-unbounded") for a class that uses nothing that any node runs out of.
[[nodiscard]] Result<FillResult> fill(ClusterUsage& usage, PodClassId pod_class, const Options& options,
                                      std::size_t limit = kMaxFill);

}  // namespace gpusched::placement
