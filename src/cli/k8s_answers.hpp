#pragma once

#include <deque>
#include <vector>

#include "cli/asked_pods.hpp"
#include "gpusched/explain/explain.hpp"
#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/report/pending.hpp"

namespace gpusched::cli {

/// Answers by pod; equal pods share theirs.
struct Answers {
  std::deque<kubescheduler::Prediction> predictions;
  std::deque<explain::Explanation> explanations;
  std::vector<report::PendingAnswer> by_pod;
};

/// What becomes of each pod on the cluster as it is.
[[nodiscard]] Answers answer_pods(const kubescheduler::Snapshot& snapshot, const Question& question,
                                  const kubescheduler::PredictOptions& options);

/// What becomes of the pods one after another: those that find a place keep it, and are bound in `snapshot`; the others
/// are explained on the cluster as it is at the end.
[[nodiscard]] Answers answer_in_turn(kubescheduler::Snapshot& snapshot, const Question& question,
                                     const kubescheduler::PredictOptions& options);

/// Puts pods of a file into the cluster, so that they can have their turn.
void add_asked_pods(const Question& question, objects::ClusterObjects& cluster);

}  // namespace gpusched::cli
