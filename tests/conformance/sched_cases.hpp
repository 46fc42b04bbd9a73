#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"
#include "gpusched/kubescheduler/predict.hpp"

/// The corpus sched-cases.jsonl: clusters and pods with what the real scheduler did.
namespace gpusched::conformance {

struct SchedCase {
  std::string id, family;
  kubescheduler::ClusterObjects objects;
  std::string pod;  ///< "namespace/name"
  objects::SchedulerConfiguration configuration{std::nullopt, {objects::SchedulerProfile()}, {}};
  io::Value expect;  ///< belongs to the document
};

/// A recorded answer; that of another version lies over it with what differs (null: not there).
struct Expectation {
  io::Value recorded;
  io::Value differing;  ///< null for the version of the corpus

  [[nodiscard]] const io::Value* find(std::string_view key) const;
  [[nodiscard]] bool of_other_version() const { return !differing.is_null(); }
};

/// One line of the corpus; throws with the diagnostics when it cannot be read.
[[nodiscard]] SchedCase read_sched_case(const io::Document& document);

/// What differs from the recorded answer, one line each; empty when the prediction is right.
[[nodiscard]] std::vector<std::string> differences(const kubescheduler::Prediction& prediction,
                                                   const Expectation& expect);

}  // namespace gpusched::conformance
