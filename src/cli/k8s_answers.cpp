#include "cli/k8s_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/kubescheduler/pod_series.hpp"

namespace gpusched::cli {

namespace {

using kubescheduler::PodIndex;
using kubescheduler::PodTurn;
using kubescheduler::Snapshot;

std::string full_name(const objects::Pod& pod) {
  return pod.meta.namespace_name + "/" + pod.meta.name;
}

/// What the input says of a pod beside its object.
explain::Surroundings around(const Question& question, const objects::Pod& pod) {
  const auto group = question.groups.find(pod.meta.namespace_name + "/" + pod.meta.name);
  return {group == question.groups.end() ? std::string_view() : std::string_view(group->second),
          question.input.claim_templates};
}

/// By pod of the question: where it stands in the snapshot.
std::vector<PodIndex> places_of(const Snapshot& snapshot, const Question& question) {
  std::unordered_map<std::string, PodIndex> places;
  for (std::size_t i = 0; i < snapshot.pods().size(); ++i) {
    places.emplace(full_name(*snapshot.pod(PodIndex(i)).object), PodIndex(i));
  }
  std::vector<PodIndex> result;
  std::ranges::transform(question.pods, std::back_inserter(result),
                         [&](const objects::Pod& pod) { return places.at(full_name(pod)); });
  return result;
}

kubescheduler::Prediction placed(const Snapshot& snapshot, PodTurn turn) {
  kubescheduler::Prediction prediction;
  prediction.node = snapshot.node(turn.node).name();
  prediction.best_nodes = {prediction.node};
  prediction.claims = std::move(turn.claims);
  for (const PodIndex victim : turn.victims) {
    prediction.nominated_node = prediction.node;
    prediction.victims.push_back(full_name(*snapshot.pod(victim).object));
  }
  return prediction;
}

explain::Explanation explain_place(const kubescheduler::Prediction& prediction) {
  explain::Explanation explanation;
  if (!prediction.victims.empty()) {
    explanation.findings.push_back({"preempts", "", fmt::format("{} leaves for it", join(prediction.victims, ", "))});
  }
  return explanation;
}

}  // namespace

Answers answer_pods(const kubescheduler::Snapshot& snapshot, const Question& question,
                    const kubescheduler::PredictOptions& options) {
  Answers answers;
  explain::Explainer explainer(snapshot, options);
  for (std::size_t i = 0; i < question.pods.size(); ++i) {
    const objects::Pod& pod = question.pods[i];
    report::PendingAnswer answer{&pod, nullptr, nullptr};
    if (const std::size_t first = question.same_as[i]; first != i) {
      answer.prediction = answers.by_pod[first].prediction;
      answer.explanation = answers.by_pod[first].explanation;
    } else {
      answer.prediction = &answers.predictions.emplace_back(kubescheduler::predict(snapshot, pod, options));
    }
    // What the pod's own condition says matters once it fits.
    if (answer.explanation == nullptr || answer.prediction->verdict == kubescheduler::Verdict::kScheduled) {
      answer.explanation =
          &answers.explanations.emplace_back(explainer.explain(pod, *answer.prediction, around(question, pod)));
    }
    answers.by_pod.push_back(answer);
  }
  if (!question.start.empty()) {
    std::vector<explain::Finding>& findings = answers.explanations.front().findings;
    findings.insert(findings.begin(), question.start.begin(), question.start.end());
  }
  return answers;
}

Answers answer_in_turn(Snapshot& snapshot, const Question& question, const kubescheduler::PredictOptions& options) {
  std::vector<PodTurn> turns = schedule_in_turn(snapshot, places_of(snapshot, question), options);
  Answers answers;
  explain::Explainer explainer(snapshot, options);
  std::unordered_map<std::size_t, report::PendingAnswer> refused;  // by the first pod of the kind
  for (std::size_t i = 0; i < question.pods.size(); ++i) {
    const objects::Pod& pod = question.pods[i];
    report::PendingAnswer answer{&pod, nullptr, nullptr};
    if (turns[i].node.valid()) {
      answer.prediction = &answers.predictions.emplace_back(placed(snapshot, std::move(turns[i])));
      answer.explanation = &answers.explanations.emplace_back(explain_place(*answer.prediction));
    } else if (const auto known = refused.find(question.same_as[i]); known != refused.end()) {
      answer.prediction = known->second.prediction;
      answer.explanation = known->second.explanation;
    } else {
      answer.prediction = &answers.predictions.emplace_back(kubescheduler::predict(snapshot, pod, options));
      answer.explanation =
          &answers.explanations.emplace_back(explainer.explain(pod, *answer.prediction, around(question, pod)));
      refused.emplace(question.same_as[i], answer);
    }
    answers.by_pod.push_back(answer);
  }
  return answers;
}

void add_asked_pods(const Question& question, objects::ClusterObjects& cluster) {
  std::set<std::string> known;
  std::ranges::transform(cluster.pods, std::inserter(known, known.end()), full_name);
  std::ranges::copy_if(question.pods, std::back_inserter(cluster.pods),
                       [&](const objects::Pod& pod) { return known.insert(full_name(pod)).second; });
}

}  // namespace gpusched::cli
