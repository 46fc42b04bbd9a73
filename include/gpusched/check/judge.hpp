#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpusched/check/suite.hpp"

namespace gpusched::check {

/// What came of a command.
struct Answer {
  int exit = 0;
  std::string output;                    ///< standard output
  std::string errors;                    ///< standard error
  std::optional<io::Document> document;  ///< the answer as a report document, when there was one
  std::optional<std::string> golden;     ///< content of the golden file; none when there is no such file
  std::string golden_error;              ///< why it cannot be read, "" when it can or is not there
  std::string broken;                    ///< why the command did not come to its end, "" when it did
};

/// One thing that is not as expected.
struct Mismatch {
  enum class What : std::uint8_t { kRun, kExit, kVerdict, kMessage, kField, kGolden, kOutput };
  What what = What::kRun;
  std::string pointer;   ///< of a field
  std::string expected;  ///< "0", "at least 5": for people
  std::string found;
  std::string diff = {};                   ///< of outputs
  std::optional<io::Value> recorded = {};  ///< what stands in the suite, where the answer could stand instead
  /// What could stand there instead: JSON for `recorded`, the output for a golden file; none when people must decide.
  std::optional<std::string> replacement = {};
};
/// "exit", "verdict", ...
[[nodiscard]] std::string_view name_of(Mismatch::What what);

/// A value that a threshold is held against.
struct Measure {
  std::string pointer;
  Relation relation;
  std::string limit;  ///< a number in JSON's grammar
  std::string value;
};

struct Judgement {
  std::vector<Mismatch> mismatches;
  std::vector<Measure> measures;  ///< of thresholds on numbers
};

/// Holds an answer against what a question expects. Without `exit` any answer is one, so only codes above 1 are wrong.
/// A {min, max} of the answer counts with the end that is worse for the threshold.
[[nodiscard]] Judgement judge(const Question& question, const Answer& answer);

/// "place cluster.json 'my pods.json'": the words of a command for a shell, without the program's name.
[[nodiscard]] std::string command_line(const std::vector<std::string>& words);

}  // namespace gpusched::check
