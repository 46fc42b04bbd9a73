#include "gpusched/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "explain/devices.hpp"
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
void find_stale(const Snapshot& snapshot, const objects::Pod& pod, const kubescheduler::SchedulerRules& rules,
                const Prediction& prediction, std::vector<Finding>& findings) {
  const objects::PodCondition* const condition = find_condition(pod.status, "PodScheduled");
  if (condition == nullptr || condition->status != "False") {
    return;
  }
  // Rules are rare and easily left out when a dump is made; without them tainted devices look free.
  const bool rules_missing = !prediction.claims.empty() && rules.device_taint_rules && rules.dra.device_taints &&
                             snapshot.objects().device_taint_rules.empty();
  findings.push_back(
      {"stale dump", "",
       fmt::format("it fits on {} now; its condition, which still says no, is older than what made room{}",
                   prediction.node, rules_missing ? ", or a DeviceTaintRule that the dump lacks keeps it out" : "")});
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

Explainer::~Explainer() = default;

Explanation Explainer::explain(const objects::Pod& pod, const Prediction& prediction, const Surroundings& around) {
  Explanation explanation = explain(pod, prediction);
  if (!around.pod_group.empty()) {
    find_group(around.pod_group, explanation.findings);
  }
  if (!explanation.findings.empty() && explanation.findings.front().verdict == "waiting for a claim") {
    find_missing_templates(pod, around.claim_templates, explanation.findings);
  }
  return explanation;
}

Explanation Explainer::explain(const objects::Pod& pod, const Prediction& prediction) {
  Explanation explanation;
  std::vector<Finding>& findings = explanation.findings;
  std::vector<Fix> claim_changes;
  Survey survey;
  if (facts_ == nullptr) {
    facts_ = std::make_unique<ClusterFacts>(snapshot_);
  }
  if (prediction.verdict == Verdict::kScheduled) {
    find_stale(snapshot_, pod, options_.rules, prediction, findings);
    const NodeState& node = snapshot_.node(snapshot_.find_node(prediction.node));
    find_silent_drivers(snapshot_, prediction, node, findings);
    find_unpublished(snapshot_, prediction, findings);
    const std::size_t before = findings.size();
    find_sharing(snapshot_, pod, node, findings);
    if (findings.size() > before) {
      FixSearch fixes({snapshot_, pod, options_, survey, *facts_}, trial_);
      fixes.avoid_sharing();
      explanation.fixes = fixes.take_fixes();
    }
    return explanation;
  }
  const bool refused = prediction.verdict == Verdict::kUnschedulable;
  if ((refused || prediction.verdict == Verdict::kError) && prediction.pre_filter.empty()) {
    survey = survey_nodes(snapshot_, pod, options_, *facts_);
    survey.looked_at_nodes = survey.looked_at_nodes && refused;
    explanation.refused = std::move(survey.refused);
  }
  const Question question{snapshot_, pod, options_, survey, *facts_};
  FixSearch fixes(question, trial_);
  if (!survey.looked_at_nodes) {
    findings.push_back(verdict_before_nodes(pod, prediction));
    if (findings.back().verdict == "waiting for a volume") {
      find_volumes(question, findings);
    }
    fixes.search_before_nodes(prediction);
  } else {
    const bool preempts = !prediction.nominated_node.empty();
    findings.push_back(preempts                ? verdict_on_preemption(prediction)
                       : lacks_devices(survey) ? verdict_on_devices(question, trial_)
                                               : verdict_by_nodes(snapshot_, survey));
    find_pools(question, findings);
    find_one_step_away(question, findings);
    find_hidden(question, findings);
    find_half_placed(question, findings);
    find_holders(question, findings);
    find_near_misses(question, findings);
    find_traps(question, findings);
    findings.insert(findings.end(), facts_->operator_states.begin(), facts_->operator_states.end());
    if (!preempts) {
      fixes.search(findings.front());
      if (lacks_devices(survey)) {
        find_devices(question, findings, claim_changes);
      }
    }
  }
  explanation.fixes = fixes.take_fixes();
  // What gives the pod all that it asked for comes before claims that ask for less; more nodes, and what has a catch,
  // after both.
  const auto comes_last = [](const Fix& fix) {
    return fix.has_catch || std::ranges::any_of(fix.plan.cluster, [](const whatif::ClusterEdit& edit) {
             return std::holds_alternative<whatif::AddNodes>(edit);
           });
  };
  explanation.fixes.insert(std::ranges::find_if(explanation.fixes, comes_last),
                           std::make_move_iterator(claim_changes.begin()),
                           std::make_move_iterator(claim_changes.end()));
  for (Finding& finding : fixes.take_findings()) {
    findings.push_back(std::move(finding));
  }
  return explanation;
}

}  // namespace gpusched::explain
