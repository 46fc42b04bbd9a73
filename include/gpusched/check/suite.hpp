#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"

/// Suites of questions with expected answers (docs/formats/suite.md), and what comes of asking them. Nothing here runs
/// a command; answers arrive as values.
namespace gpusched::check {

/// What the answers of a suite hang on beside its files. Empty: not pinned.
struct Pins {
  std::string kubernetes;             ///< "1.37", "1.36.2"
  std::string kueue;                  ///< "0.17"
  std::vector<std::string> features;  ///< "NAME=true"
  bool documents = false;             ///< gpusched/v1alpha1
};

enum class Relation : std::uint8_t { kEquals, kNot, kAtLeast, kAtMost, kAbove, kBelow, kContains, kAbsent };
/// Its word in suites and reports: "atLeast".
[[nodiscard]] std::string_view name_of(Relation relation);
/// Whether a larger or a smaller number may be a worse one.
[[nodiscard]] constexpr bool is_threshold(Relation relation) {
  return relation >= Relation::kAtLeast && relation <= Relation::kBelow;
}

struct Rule {
  Relation relation = Relation::kEquals;
  io::Value value;  ///< of the suite's document
};

/// What a value of the answer must be. The pointer is RFC 6901's, but that "key=text" at a list stands for its first
/// element whose member `key` is that text.
struct FieldExpectation {
  std::string pointer;
  std::vector<Rule> rules;
};

/// One question. Values point into the suite's document and have their place there; absent ones expect nothing.
struct Question {
  std::string name;
  std::uint32_t line = 0;
  std::size_t index = 0;             ///< in the list of the suite
  std::vector<std::string> command;  ///< words without the program's name
  std::string input;                 ///< file for standard input, "" none
  std::optional<io::Value> exit;
  std::optional<io::Value> verdict;
  std::optional<io::Value> message;           ///< the whole text
  std::optional<io::Value> message_contains;  ///< a part of it
  std::vector<FieldExpectation> fields;
  std::string golden;               ///< file with the whole output, "" none
  std::optional<io::Value> output;  ///< the whole output
};

struct Suite {
  io::Document document;
  Pins pins;
  std::vector<Question> questions;

  [[nodiscard]] const std::string& file() const { return document.source_name(); }
};

/// Reads one document. Every error names file, line, JSON pointer, question, value and what is allowed.
[[nodiscard]] Result<Suite> read_suite(const io::Document& document);

/// An error about a member of a question, such as "command".
[[nodiscard]] Diagnostic question_error(const Suite& suite, const Question& question, std::string_view key,
                                        std::string code, std::string message, std::string hint = {});

/// The words of a command line as a shell makes them of blanks, quotes and backslashes. None for an open quote, and
/// for what only a shell can do: pipes, redirections, variables, several commands; `why` tells then.
[[nodiscard]] std::optional<std::vector<std::string>> split_words(std::string_view line, std::string& why);

}  // namespace gpusched::check
