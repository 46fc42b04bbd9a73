#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/io/document.hpp"
#include "gpusched/kueue/admission.hpp"

/// Cases of kueue-cases.jsonl: objects, configuration and events, and what the real Kueue made of them.
namespace gpusched::conformance {

struct KueueCase {
  std::string id, family;
  std::int64_t clock = 0;  ///< seconds
  objects::KueueObjects objects;
  objects::KueueConfiguration configuration;
  std::vector<objects::KueueEvent> events;
  /// Each is as right as the others: the answer, then those that differ by the order of a hash map.
  std::vector<std::string> expected;
};

/// Throws std::runtime_error for a case that cannot be read.
[[nodiscard]] KueueCase read_kueue_case(const io::Document& document);

/// Lines about admitted, pending and evicted Workloads and inactive queues, without cycle numbers: equal answers give
/// equal text.
[[nodiscard]] std::string text_of(const kueue::AdmissionAnswer& answer);

/// Our answers: one, or one for each state of a series that repeats without end.
[[nodiscard]] std::vector<std::string> answer_case(const KueueCase& kueue_case);

}  // namespace gpusched::conformance
