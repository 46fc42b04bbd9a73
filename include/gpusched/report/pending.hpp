#pragma once

#include <cstdint>
#include <span>

#include "gpusched/explain/explain.hpp"
#include "gpusched/explain/workload.hpp"
#include "gpusched/kubescheduler/prediction.hpp"
#include "gpusched/kubescheduler/rules.hpp"
#include "gpusched/kubescheduler/snapshot.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// A pod that was asked about, and what becomes of it. Pods that the scheduler cannot tell apart share the answer.
struct PendingAnswer {
  const objects::Pod* pod = nullptr;
  const kubescheduler::Prediction* prediction = nullptr;
  const explain::Explanation* explanation = nullptr;
};

/// What `nodes` lists: every node, or groups of nodes with the same reasons.
enum class NodeList : std::uint8_t { kNodes, kGroups };

/// The PendingReport of one pod. `snapshot` is the cluster that the prediction was made for: the figures behind
/// "Insufficient ..." and "Too many pods" and the taints in the way are read off it.
[[nodiscard]] Document pending_report(const kubescheduler::Snapshot& snapshot,
                                      const kubescheduler::SchedulerRules& rules, const PendingAnswer& answer,
                                      NodeList nodes);

/// A List of PendingReports, with `causes`: what keeps how many of them, and `missingPods`: workloads with too few.
[[nodiscard]] Document pending_reports(const kubescheduler::Snapshot& snapshot,
                                       const kubescheduler::SchedulerRules& rules,
                                       std::span<const PendingAnswer> answers, NodeList nodes,
                                       std::span<const explain::Finding> missing_pods = {});

/// The WorkloadReport: what a workload says, and the PendingReports of its pods without a node.
[[nodiscard]] Document workload_report(const kubescheduler::Snapshot& snapshot,
                                       const kubescheduler::SchedulerRules& rules,
                                       const explain::WorkloadAnswer& workload, std::span<const PendingAnswer> answers,
                                       NodeList nodes);

}  // namespace gpusched::report
