#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gpusched/kubescheduler/predict.hpp"

/// The prediction against what the scheduler wrote.
namespace gpusched::explain {

/// A pod whose PodScheduled condition says something else than the prediction.
struct Difference {
  std::string pod;               ///< "namespace/name"
  std::string recorded;          ///< the condition's message
  std::string verdict, message;  ///< of the prediction
  std::string cause;             ///< the likeliest: "stale dump: …", "another release: …"
};

struct Verification {
  std::size_t compared = 0;  ///< pods with a recorded condition
  std::size_t equal = 0;
  std::size_t without = 0;  ///< pods without one: not tried yet, or by nobody
  std::vector<Difference> differences;
};

/// Compares each pod's recorded message with the predicted one; where kube-scheduler's order is random any of the
/// possible ones is equal.
[[nodiscard]] Verification verify(const kubescheduler::Snapshot& snapshot, std::span<const objects::Pod> pods,
                                  const kubescheduler::PredictOptions& options);

}  // namespace gpusched::explain
