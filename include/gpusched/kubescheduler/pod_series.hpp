#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/kubescheduler/prediction.hpp"
#include "gpusched/kubescheduler/snapshot.hpp"

namespace gpusched::kubescheduler {

/// What became of a Pending pod when it was its turn.
struct PodTurn {
  PodIndex pod;
  NodeIndex node;                       ///< where it is bound now; none: it stays Pending
  std::vector<ClaimAllocation> claims;  ///< that were allocated or reserved for it
  std::vector<PodIndex> victims;        ///< that preemption took away for it
};

/// Pods that come to kube-scheduler one after another: each is bound before the next is looked at, and holds its
/// resources and devices from then on. Of pods that look the same the first one's answers of the nodes are kept, and
/// only nodes that changed are asked again.
class PodSeries {
 public:
  /// `pods`: those that will have their turn. They are bound in `snapshot`, which is borrowed; nobody else may change
  /// it meanwhile.
  PodSeries(Snapshot& snapshot, std::span<const PodIndex> pods, const PredictOptions& options);
  ~PodSeries();
  PodSeries(const PodSeries&) = delete;
  PodSeries& operator=(const PodSeries&) = delete;

  /// A pod without a node. Victims of preemption leave at once, and the pod takes their place.
  PodTurn take(PodIndex pod);

  /// Whether the pod's last refusal holds as long as pods only come: nothing but resources and devices keeps it out.
  [[nodiscard]] bool stays_refused(PodIndex pod) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Gives every Pending pod of the list its turn, those of higher priority first, older ones before younger ones. Pods
/// that were refused come again when another one has found a place that could matter to them. The answers are in the
/// order of the list.
///
/// Source: kube-scheduler 1.37, queuesort.PrioritySort; back-off and waits are left out, and so are the controllers
/// that would make new pods in place of victims.
[[nodiscard]] std::vector<PodTurn> schedule_in_turn(Snapshot& snapshot, std::span<const PodIndex> pods,
                                                    const PredictOptions& options);

}  // namespace gpusched::kubescheduler
