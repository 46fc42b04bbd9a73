#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpusched/check/judge.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// A question with what came of it.
struct CheckedQuestion {
  const check::Suite* suite;
  const check::Question* question;
  std::vector<std::string> command;  ///< with what the pins add
  int exit = 0;
  check::Judgement judgement;
  std::vector<std::string> updated;  ///< what --update wrote for it: "exit", "golden/a.txt"
  std::vector<std::string> worse;    ///< than in the baseline

  [[nodiscard]] bool passed() const { return judgement.mismatches.empty(); }
};

/// The whole CheckReport. `baseline`: the file of --baseline, with which only what got worse is a failure.
[[nodiscard]] Document check_report(const std::vector<CheckedQuestion>& questions,
                                    const std::optional<std::string>& baseline);

/// Whether the answer is yes: nothing failed, or with a baseline nothing got worse.
[[nodiscard]] bool all_good(const std::vector<CheckedQuestion>& questions, bool with_baseline);

}  // namespace gpusched::report
