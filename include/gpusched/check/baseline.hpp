#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/check/judge.hpp"

namespace gpusched::check {

/// What an earlier run said of a question.
struct EarlierResult {
  bool passed = false;
  std::vector<Measure> measures;
};

/// By suite (a path without "./" and "..") and name.
using Baseline = std::map<std::pair<std::string, std::string>, EarlierResult>;

/// Reads a CheckReport (docs/formats/check-report.md), the answer of `check -o json`.
[[nodiscard]] Result<Baseline> read_baseline(const io::Document& document);

/// "a/./b/../c" as "a/c": one suite under two names.
[[nodiscard]] std::string plain_path(std::string_view path);

/// What got worse, a sentence each: a question that failed not before, and values that moved the wrong way, even within
/// their thresholds. `earlier` is null for a new question.
[[nodiscard]] std::vector<std::string> got_worse(const Judgement& now, const EarlierResult* earlier);

}  // namespace gpusched::check
