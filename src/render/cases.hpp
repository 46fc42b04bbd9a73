#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusched/report/document.hpp"
#include "render/rules.hpp"

/// An answer as a list of cases that pass or fail: the common base of JUnit, SARIF and Markdown.
namespace gpusched::render {

struct Finding {
  const Rule* rule;
  Level level;  ///< the rule's, or kError where the question makes it one (--fail-on)
  std::string message;
  std::vector<std::string> details = {};  ///< further lines: why, and what would help
};

/// One object that was asked about.
struct Case {
  std::string kind;    ///< "pod", "claim", "job", "threshold", "question"
  std::string name;    ///< as the document has it: not escaped
  std::string result;  ///< what became of it, in a few words; "" when the findings say it all
  std::vector<Finding> findings = {};
  report::Location location = {};

  /// That of the worst finding; kNote when there is none.
  [[nodiscard]] Level level() const;
  [[nodiscard]] bool passed() const { return level() < Level::kUndecided; }
};

struct Cases {
  std::string command;  ///< "place"
  std::vector<Case> cases;

  [[nodiscard]] std::size_t count(Level level) const;
};

/// Whether documents of a kind have cases. A List of ours has the kind "PendingReportList".
[[nodiscard]] bool has_cases(std::string_view kind);
/// The cases of a document of such a kind, in its order.
[[nodiscard]] Cases cases_of(const report::Document& document, std::string_view kind);

/// "PlacementReport"; "PendingReportList" for a List of our own, which are all of PendingReports.
[[nodiscard]] std::string kind_of(const nlohmann::ordered_json& document);

}  // namespace gpusched::render
