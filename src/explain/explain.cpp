#include "gpusched/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/findings.hpp"
#include "explain/fixes.hpp"
#include "explain/verdict.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::explain {

using kubescheduler::Prediction;
using kubescheduler::Verdict;

namespace {

/// The scheduler would place the pod, but the dump says that it could not: something has changed since, or the dump was
/// not taken at one moment.
void find_stale(const objects::Pod& pod, const Prediction& prediction, std::vector<Finding>& findings) {
  const objects::PodCondition* const condition = find_condition(pod.status, "PodScheduled");
  if (condition != nullptr && condition->status == "False") {
    findings.push_back(
        {"stale dump", "",
         fmt::format("it fits on {} now, but its condition still says: {}", prediction.node, condition->message)});
  }
}

bool lacks_devices(const Survey& survey) {
  return std::ranges::any_of(survey.groups, [&](const NodeGroup& group) {
    return group.distance == survey.groups.front().distance && group.has(Step::kDevices);
  });
}

/// kube-scheduler says the same of devices that others hold and of devices that do not exist.
Finding verdict_on_devices(const objects::Pod& pod, const kubescheduler::PredictOptions& options,
                           whatif::Trial& trial) {
  if (trial.snapshot().objects().resource_slices.empty()) {
    return {"never fits", "", "the dump has no ResourceSlices: no driver publishes devices, or they were not gathered"};
  }
  const std::size_t mark = trial.mark();
  trial.free_all_claims();
  kubescheduler::PredictOptions brief = options;
  brief.node_answers = false;
  const bool fits_when_free = kubescheduler::predict(trial.snapshot(), pod, brief).verdict == Verdict::kScheduled;
  trial.revert(mark);
  return fits_when_free
             ? Finding{"busy", "",
                       "the devices that the pod's claims need are held by other claims; it fits when they "
                       "are freed"}
             : Finding{"never fits", "",
                       "no node has devices for the pod's claims, not even if no other claim held any: their classes, "
                       "selectors and constraints do not go together with what the slices offer"};
}

/// Preemption makes room without anybody's help.
Finding verdict_on_preemption(const Prediction& prediction) {
  return {"busy", "",
          fmt::format("kube-scheduler makes room itself: it evicts {} from {}, then the pod fits there",
                      prediction.victims.empty() ? "pods that terminate already" : join(prediction.victims, ", "),
                      prediction.nominated_node)};
}

}  // namespace

Explainer::Explainer(const kubescheduler::Snapshot& snapshot, const kubescheduler::PredictOptions& options)
    : snapshot_(snapshot), options_(options), trial_(snapshot) {}

Explanation Explainer::explain(const objects::Pod& pod, const Prediction& prediction) {
  Explanation explanation;
  std::vector<Finding>& findings = explanation.findings;
  Survey survey;
  if (prediction.verdict == Verdict::kScheduled) {
    find_stale(pod, prediction, findings);
    const std::size_t before = findings.size();
    find_sharing(snapshot_, pod, snapshot_.node(snapshot_.find_node(prediction.node)), findings);
    if (findings.size() > before) {
      FixSearch fixes({snapshot_, pod, options_, survey}, trial_);
      fixes.avoid_sharing();
      explanation.fixes = fixes.take_fixes();
    }
    return explanation;
  }
  const bool refused = prediction.verdict == Verdict::kUnschedulable;
  if ((refused || prediction.verdict == Verdict::kError) && prediction.pre_filter.empty()) {
    survey = survey_nodes(snapshot_, pod, options_);
    survey.looked_at_nodes = survey.looked_at_nodes && refused;
    explanation.refused = std::move(survey.refused);
  }
  const Question question{snapshot_, pod, options_, survey};
  FixSearch fixes(question, trial_);
  if (!survey.looked_at_nodes) {
    findings.push_back(verdict_before_nodes(pod, prediction));
    fixes.search_before_nodes(prediction);
  } else {
    const bool preempts = !prediction.nominated_node.empty();
    findings.push_back(preempts                ? verdict_on_preemption(prediction)
                       : lacks_devices(survey) ? verdict_on_devices(pod, options_, trial_)
                                               : verdict_by_nodes(snapshot_, survey));
    find_pools(question, findings);
    find_one_step_away(question, findings);
    find_hidden(question, findings);
    find_holders(question, findings);
    find_near_misses(question, findings);
    find_traps(question, findings);
    find_operator_states(question, findings);
    if (!preempts) {
      fixes.search(findings.front());
    }
  }
  explanation.fixes = fixes.take_fixes();
  for (Finding& finding : fixes.take_findings()) {
    findings.push_back(std::move(finding));
  }
  return explanation;
}

}  // namespace gpusched::explain
