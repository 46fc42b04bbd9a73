#pragma once

#include "explain/survey.hpp"

namespace gpusched::explain {

/// The verdict on a pod that no node takes, from where it stands with the nodes.
[[nodiscard]] Finding verdict_by_nodes(const Snapshot& snapshot, const Survey& survey);

/// The verdict on a pod that was refused before the nodes were looked at, or whose attempt fails.
[[nodiscard]] Finding verdict_before_nodes(const objects::Pod& pod, const kubescheduler::Prediction& prediction);

/// Whether the pods are all that is in the way on the nearest nodes: the pod fits once enough of them are gone.
[[nodiscard]] inline bool only_pods_in_the_way(const Survey& survey) {
  return !survey.groups.empty() && survey.groups.front().distance < 10;
}

}  // namespace gpusched::explain
