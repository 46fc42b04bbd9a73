#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gpusched/kubescheduler/rules.hpp"
#include "gpusched/kubescheduler/snapshot.hpp"
#include "gpusched/objects/pod.hpp"

namespace gpusched::report {

/// The facts behind the reasons of kube-scheduler: what is free of a resource that is short, the taints that the pod
/// does not tolerate.
class PendingDetail {
 public:
  PendingDetail(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                const objects::Pod& pod);

  /// One object with `reason` and what is behind it; null when there is no more to say than the reason itself.
  [[nodiscard]] nlohmann::ordered_json of(const std::string& node, const std::string& reason) const;

 private:
  [[nodiscard]] nlohmann::ordered_json amount(const kubescheduler::NodeState& node, const std::string& resource) const;
  [[nodiscard]] nlohmann::ordered_json pod_count(const kubescheduler::NodeState& node) const;
  [[nodiscard]] nlohmann::ordered_json taints(const kubescheduler::NodeState& node) const;
  [[nodiscard]] bool is_asked(const objects::Pod& pod) const;
  /// Preemption has nominated it for the node, and it is not less important: the scheduler counts it as if it ran
  /// there.
  [[nodiscard]] bool is_nominated_before(const objects::Pod& pod, const kubescheduler::NodeState& node) const;
  [[nodiscard]] std::int64_t nominated(const kubescheduler::NodeState& node,
                                       kubescheduler::ResourceIndex resource) const;
  [[nodiscard]] std::int64_t nominated_pods(const kubescheduler::NodeState& node) const;

  const kubescheduler::Snapshot& snapshot_;
  const kubescheduler::SchedulerRules& rules_;
  const objects::Pod& pod_;
  kubescheduler::PodState state_;
};

}  // namespace gpusched::report
