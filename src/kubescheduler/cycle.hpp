#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/kubescheduler/prediction.hpp"
#include "gpusched/kubescheduler/snapshot.hpp"
#include "kubescheduler/extended_resources.hpp"

namespace gpusched::kubescheduler {

class DynamicResources;
struct ClaimDevices;

/// Reason texts of one status, kept once by the cycle.
using Reasons = std::vector<std::string>;

/// A filter's answer. Small, because there is one per node.
struct Status {
  StatusCode code = StatusCode::kSuccess;
  std::uint8_t plugin = 0;           ///< position among the cycle's filters, set by whoever runs them
  const Reasons* reasons = nullptr;  ///< not null unless the code is kSuccess; one text for an error

  [[nodiscard]] bool ok() const { return code == StatusCode::kSuccess; }
};

class ReasonTable {
 public:
  [[nodiscard]] const Reasons* intern(Reasons reasons);
  [[nodiscard]] Status unschedulable(std::string reason) { return make(StatusCode::kUnschedulable, std::move(reason)); }
  [[nodiscard]] Status unresolvable(std::string reason) { return make(StatusCode::kUnresolvable, std::move(reason)); }
  [[nodiscard]] Status error(std::string text) { return make(StatusCode::kError, std::move(text)); }

 private:
  [[nodiscard]] Status make(StatusCode code, std::string reason) { return {code, 0, intern({std::move(reason)})}; }
  std::map<Reasons, std::unique_ptr<const Reasons>> table_;
};

/// A pod more or less than the snapshot has on the node: nominated pods, and victims in a preemption.
struct PodChange {
  const PodState* pod = nullptr;
  std::int32_t count = 0;  ///< 1 or -1
};

/// A node as a filter sees it.
struct NodeView {
  NodeIndex index;
  const NodeState& node;
  const NodeUsage& usage;              ///< with the changes
  std::span<const PodChange> changes;  ///< against the snapshot

  [[nodiscard]] const objects::Node& object() const { return *node.object; }
};

/// One attempt to schedule one pod: what all plugins share.
struct Cycle {
  const Snapshot& snapshot;
  const objects::Pod& pod;
  const PredictOptions& options;
  const SchedulerRules& rules;
  PodState state;  ///< of the pod
  ReasonTable reasons;
  ExtendedResourceClasses extended_resources;
  dra::SelectorEvaluator* selectors = nullptr;          ///< not null when there are claims or device classes
  std::shared_ptr<DynamicResources> dynamic_resources;  ///< once its PreFilter has run
  std::shared_ptr<ClaimDevices> devices;                ///< those of a series; nullptr: the cycle makes its own
};

[[nodiscard]] Cycle make_cycle(const Snapshot& snapshot, const objects::Pod& pod, const PredictOptions& options,
                               dra::SelectorEvaluator* selectors, std::shared_ptr<ClaimDevices> devices = nullptr);

/// Whether something keeps the pod from being tried at all: gates, another scheduler, a claim that is missing.
[[nodiscard]] bool is_kept_from_queue(const Cycle& cycle);

/// What becomes of the cycle's pod.
[[nodiscard]] Prediction predict(Cycle cycle);

/// A plugin's filter with what its PreFilter found. Source of the split: kube-scheduler's framework.
class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  [[nodiscard]] virtual Status filter(const NodeView& view) = 0;
};

/// No filter: the plugin skips the pod. A status that is not kSuccess refuses it for all nodes.
struct PreFiltered {
  Status status;
  std::unique_ptr<FilterPlugin> filter;
  bool names_nodes = false;
  std::vector<std::string> node_names;  ///< the only nodes to look at when names_nodes
};

/// A plugin's score with what its PreScore found. `normalize` makes the raw scores of all nodes 0 to 100.
class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  [[nodiscard]] virtual std::int64_t score(NodeIndex node) = 0;
  virtual void normalize(std::span<const NodeIndex> nodes, std::span<std::int64_t> scores) {
    (void)nodes;
    (void)scores;
  }
};

/// 100 · score / maximum, or the rest to 100 when `reverse`. Source: helper.DefaultNormalizeScore.
void normalize_by_maximum(std::span<std::int64_t> scores, bool reverse);

}  // namespace gpusched::kubescheduler
