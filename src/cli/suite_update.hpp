#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/check/judge.hpp"

namespace gpusched::cli {

/// The content of a question's golden file; "" when it has none or the file is not there.
[[nodiscard]] std::string read_golden(const check::Suite& suite, const check::Question& question);

/// Collects what --update changes, then writes it.
class SuiteUpdate {
 public:
  /// Takes the mismatches away that the answer can replace: outputs in golden files, and exact values in the suite.
  /// Thresholds, parts of texts and answers that are none stay. Returns what will be written, for people.
  [[nodiscard]] std::vector<std::string> take(const check::Suite& suite, const check::Question& question,
                                              const check::Answer& answer, check::Judgement& judgement);

  /// Writes golden files, then suites, each whole or not at all. Errors: "write-failed", and "not-updated" for a suite
  /// that changed meanwhile, is compressed or came from standard input.
  [[nodiscard]] Result<bool> write();

 private:
  std::map<std::string, std::string> files_;
  /// From places in the suite's text to values as JSON.
  std::map<const check::Suite*, std::map<std::uint32_t, std::pair<io::Value, std::string>>> edits_;
};

}  // namespace gpusched::cli
