#pragma once

#include <string>
#include <vector>

#include "kubescheduler/filters.hpp"

namespace gpusched::kubescheduler {

/// What would have to go from one node. Source: kube-scheduler 1.37, defaultpreemption, SelectVictimsOnNode.
struct VictimSelection {
  Status status;                  ///< why the node cannot be a candidate; kSuccess for a candidate
  std::vector<PodIndex> victims;  ///< by importance
  std::int64_t violations = 0;    ///< of disruption budgets
};

[[nodiscard]] VictimSelection select_victims(Cycle& cycle, Filters& filters, NodeIndex node);

/// Higher priority first, then longer running; a pod that has not started is the youngest.
[[nodiscard]] bool more_important(const objects::Pod& a, const objects::Pod& b);

}  // namespace gpusched::kubescheduler
