#include "kubescheduler/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "kubescheduler/dynamic_resources.hpp"
#include "kubescheduler/preemption.hpp"

namespace gpusched::kubescheduler {

namespace {

std::string full_name(const objects::Pod& pod) {
  return pod.meta.namespace_name + "/" + pod.meta.name;
}

/// Pods that would be deleted. One that terminates already counts as a victim but is left alone.
std::vector<std::string> deleted_pods(const Cycle& cycle, const std::vector<PodIndex>& victims) {
  std::vector<std::string> names;
  for (const PodIndex index : victims) {
    const objects::Pod& pod = *cycle.snapshot.pod(index).object;
    if (!pod.meta.deletion_timestamp || cycle.rules.terminating_victims_deleted) {
      names.push_back(full_name(pod));
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> run_post_filter(Cycle& cycle, Filters& filters, std::span<const Status> statuses,
                                         Prediction& prediction) {
  const objects::SchedulerProfile& profile = profile_of(cycle);
  std::vector<std::string> reasons;
  if (is_active(profile, objects::ExtensionPoint::kPostFilter, "DynamicResources")) {
    if (!cycle.rules.dynamic_resources) {
      if (cycle.rules.dra_post_filter_text) {
        reasons.emplace_back("plugin disabled");
      }
    } else if (cycle.dynamic_resources == nullptr) {
      return {"not found"};  // PreFilter ended before this plugin, which then fails
    } else {
      DynamicResources::PostFilter claims = cycle.dynamic_resources->post_filter();
      reasons = std::move(claims.reasons);
      prediction.deallocated = std::move(claims.deallocated);
      prediction.deleted_claims = std::move(claims.deleted_claims);
    }
  }
  if (!is_active(profile, objects::ExtensionPoint::kPostFilter, "DefaultPreemption")) {
    return {join(reasons, ", ")};
  }
  const PreemptionResult result = preempt(cycle, filters, statuses);
  if (result.outcome == PreemptionResult::Outcome::kError) {
    return {result.text};
  }
  if (result.outcome == PreemptionResult::Outcome::kNone) {
    reasons.push_back(result.text);
    return {join(reasons, ", ")};
  }
  std::vector<std::string> texts;
  for (const PreemptionResult::Candidate& candidate : result.candidates) {
    prediction.preemptions.push_back({candidate.node, deleted_pods(cycle, candidate.victims)});
    if (cycle.rules.preemption_success_text) {
      texts.push_back(fmt::format("preemption: found a potential placement for pod on node {}, preempting {} victims",
                                  candidate.node, candidate.victims.size()));
    }
  }
  prediction.nominated_node = prediction.preemptions.front().node;
  prediction.victims = prediction.preemptions.front().victims;
  if (texts.empty()) {
    texts.emplace_back();
  }
  return texts;
}

}  // namespace gpusched::kubescheduler
