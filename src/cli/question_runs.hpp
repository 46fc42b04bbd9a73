#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gpusched::cli {

/// A command line of a suite.
struct QuestionRun {
  std::vector<std::string> words;  ///< without the program's name
  std::string folder;              ///< in which it runs
  std::string input;               ///< file for standard input, relative to the folder; "" nothing
};

struct QuestionOutcome {
  int exit = 0;
  std::string output;    ///< standard output
  std::string errors;    ///< standard error
  std::string document;  ///< the answer as a JSON document, "" when there was none
  std::string broken;    ///< why it did not come to its end, "" when it did
};

/// Runs the commands, `jobs` at a time, each in a copy of this process: they share nothing, a crash is the end of one
/// of them only, and no GPUSCHED_* variable or standard input of ours reaches them. Results in the order of the runs.
/// Call it before any thread is started.
[[nodiscard]] std::vector<QuestionOutcome> run_questions(std::span<const QuestionRun> runs, std::size_t jobs);

}  // namespace gpusched::cli
