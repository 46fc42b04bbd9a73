#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::cli {

/// Exit codes that scripts may rely on.
enum ExitCode : int { kYes = 0, kNo = 1, kCannotAnswer = 2, kUndecided = 3, kInterrupted = 130 };

/// What leaves the program: results on stdout, diagnostics on stderr. The only place that knows terminals.
class Terminal {
 public:
  /// A reader that closed the pipe changes nothing, Ctrl-C ends the program with exit code 130.
  static void install_signal_handlers();

  void set_quiet(bool quiet) { quiet_ = quiet; }
  void set_json_errors(bool json) { json_errors_ = json; }
  void set_color(std::string_view when);
  /// Answers are written to this open file as well, as JSON documents; for `check`, which compares their values.
  void keep_answers_in(int descriptor) { kept_ = descriptor; }
  [[nodiscard]] bool keeps_answers() const { return kept_ >= 0; }
  void keep_answer(std::string_view json) const;

  /// Writes a result to stdout; false (after a message) when it could not be written, true when the reader went away.
  [[nodiscard]] bool print(std::string_view text);
  /// Writes diagnostics to stderr, as text or, with --error-format json, one JSON object a line: the first 50 of each
  /// severity, then how many more there are. Warnings and notes are left out when quiet.
  void report(std::span<const Diagnostic> diagnostics) const;

 private:
  bool quiet_ = false;
  bool json_errors_ = false;
  bool color_ = false;
  int kept_ = -1;
};

}  // namespace gpusched::cli
