#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gpusched::render {

/// Pods with the same answer, which is told once.
struct EqualAnswers {
  const nlohmann::ordered_json* report = nullptr;  ///< the first of them
  std::vector<std::string> pods;                   ///< "namespace/name", as in the document
};

/// The PendingReports of a list by what they say, in the order of the first pods.
[[nodiscard]] std::vector<EqualAnswers> equal_answers(const nlohmann::ordered_json& items);

}  // namespace gpusched::render
