#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/whatif/cluster_edit.hpp"
#include "gpusched/whatif/pod_edit.hpp"
#include "gpusched/whatif/trial.hpp"

/// The truth behind a scheduler's message: whether to wait or to change something, and what.
namespace gpusched::explain {

/// One thing to know about a pod. The first of a list is the dominant verdict, the others say more.
struct Finding {
  /// Of the first: "never fits", "busy", "fragmented", "blocked", "waiting for a claim", "waiting for a volume",
  /// "waiting for a gate", "another scheduler", "stale dump", …. Of others: "pool", "one step away", "hidden",
  /// "held by", "near miss", "trap", "operator", "will not help", ….
  std::string verdict;
  std::string by;    ///< of "blocked": taint, cordon, selector, affinity, spread, …; else ""
  std::string text;  ///< one line
};

/// Changes that belong together.
struct Plan {
  std::vector<whatif::PodEdit> pod;
  std::vector<whatif::ClusterEdit> cluster;
};

/// A change with which the pod schedules; it was tried.
struct Fix {
  std::string change;      ///< an order: "add the toleration nvidia.com/gpu=present:NoSchedule"
  std::string effect;      ///< "schedules on dgx-a"
  Plan plan;               ///< what was tried; without edits for a change of a claim
  bool has_catch = false;  ///< it schedules, but on GPUs that pods share; the effect says so
};

/// Nodes that kube-scheduler refuses for the same reasons.
struct RefusedNodes {
  std::vector<std::string> reasons;  ///< those of the first plugin that refuses
  std::size_t count = 0;
  std::vector<std::string> examples;  ///< the first of them
};

struct Explanation {
  std::vector<Finding> findings;
  /// Words put right, rules of the pod dropped, a GPU repartitioned; pods that end, move or go; a higher priority; less
  /// asked for; other claims; more nodes. Of each kind the smallest; those with a catch last.
  std::vector<Fix> fixes;
  std::vector<RefusedNodes> refused;  ///< in the order of the first nodes; only when the pod does not schedule
};

/// What stands around a pod in a dump and not in the scheduler's snapshot. Both are borrowed.
struct Surroundings {
  std::string_view pod_group;  ///< spec.schedulingGroup.podGroupName; "": none
  std::span<const objects::ResourceClaimTemplate> claim_templates;
};

struct ClusterFacts;

/// Explains pods of one cluster. Keeps a copy of the snapshot on which fixes are tried.
class Explainer {
 public:
  /// Borrows both.
  Explainer(const kubescheduler::Snapshot& snapshot, const kubescheduler::PredictOptions& options);
  ~Explainer();
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  /// `prediction` is that of the pod on the snapshot. A pod that schedules gets findings only when there is something
  /// to beware of.
  [[nodiscard]] Explanation explain(const objects::Pod& pod, const kubescheduler::Prediction& prediction);
  [[nodiscard]] Explanation explain(const objects::Pod& pod, const kubescheduler::Prediction& prediction,
                                    const Surroundings& around);

 private:
  const kubescheduler::Snapshot& snapshot_;
  kubescheduler::PredictOptions options_;
  whatif::Trial trial_;
  std::unique_ptr<ClusterFacts> facts_;  // once a pod does not fit
};

}  // namespace gpusched::explain
