#include "gpusched/explain/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/explain/message.hpp"

namespace gpusched::explain {

namespace {

using kubescheduler::Prediction;
using kubescheduler::SchedulerVersion;
using kubescheduler::Snapshot;

bool is_predicted(const Prediction& prediction, const objects::PodCondition& recorded) {
  if (prediction.reason != recorded.reason) {
    return false;
  }
  return prediction.messages.empty()
             ? prediction.message == recorded.message
             : std::ranges::find(prediction.messages, recorded.message) != prediction.messages.end();
}

struct Release {
  std::string_view name;
  SchedulerVersion version;
};

/// The releases whose texts differ. Source: SchedulerRules.
constexpr std::array kReleases = {Release{"1.37", {37, SchedulerVersion::kNewestPatch}},
                                  Release{"1.36", {36, SchedulerVersion::kNewestPatch}},
                                  Release{"1.35", {35, SchedulerVersion::kNewestPatch}},
                                  Release{"1.34", {34, SchedulerVersion::kNewestPatch}}, Release{"1.34.0", {34, 0}}};

/// The release whose scheduler would have written this; "" when none.
std::string_view other_release(const Snapshot& snapshot, const objects::Pod& pod, const objects::PodCondition& recorded,
                               kubescheduler::PredictOptions options) {
  for (const Release& release : kReleases) {
    options.rules = kubescheduler::rules_for(release.version);
    options.selectors = nullptr;  // it remembers outcomes of the features that it was made for
    if (is_predicted(kubescheduler::predict(snapshot, pod, options), recorded)) {
      return release.name;
    }
  }
  return {};
}

std::string cause_of(const Snapshot& snapshot, const objects::Pod& pod, const objects::PodCondition& recorded,
                     const Prediction& prediction, const kubescheduler::PredictOptions& options) {
  const SchedulingMessage message = parse_message(recorded.message);
  if (message.source != "kube-scheduler") {
    return message.source == "unknown"
               ? std::string(
                     "another scheduler, or a PodGroup: the recorded text is none that kube-scheduler writes for "
                     "a pod alone")
               : "another scheduler: the recorded text is that of " + message.source;
  }
  const auto nodes = static_cast<std::int64_t>(snapshot.nodes().size());
  if (message.nodes && *message.nodes != nodes) {
    return fmt::format("stale or partial dump: the recorded text counts {} nodes, the dump has {}", *message.nodes,
                       nodes);
  }
  if (const std::string_view release = other_release(snapshot, pod, recorded, options); !release.empty()) {
    return fmt::format("another release: --k8s-version {} gives the recorded text", release);
  }
  if (prediction.verdict == kubescheduler::Verdict::kScheduled) {
    return "stale dump: it fits now, and the scheduler has not tried again when the dump was taken";
  }
  const SchedulingMessage predicted = parse_message(prediction.message);
  if (message.reasons == predicted.reasons && message.pre_filter == predicted.pre_filter) {
    return "only the preemption part differs: priorities, disruption budgets or terminating pods changed, or are not "
           "in "
           "the dump";
  }
  return "stale dump (pods or nodes changed after the condition was written), another scheduler profile "
         "(--scheduler-config), or an error here";
}

}  // namespace

Verification verify(const Snapshot& snapshot, std::span<const objects::Pod> pods,
                    const kubescheduler::PredictOptions& options) {
  kubescheduler::PredictOptions brief = options;
  brief.node_answers = false;
  brief.scores = false;
  Verification verification;
  for (const objects::Pod& pod : pods) {
    const objects::PodCondition* const recorded = find_condition(pod.status, "PodScheduled");
    if (recorded == nullptr || recorded->status != "False") {
      ++verification.without;
      continue;
    }
    ++verification.compared;
    const Prediction prediction = kubescheduler::predict(snapshot, pod, brief);
    if (is_predicted(prediction, *recorded)) {
      ++verification.equal;
      continue;
    }
    verification.differences.push_back({pod.meta.namespace_name + "/" + pod.meta.name, recorded->message,
                                        std::string(name_of(prediction.verdict)), prediction.message,
                                        cause_of(snapshot, pod, *recorded, prediction, brief)});
  }
  return verification;
}

}  // namespace gpusched::explain
