#pragma once

#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "gpusched/render/render.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::cli {

/// Whether the answer can be given as the arguments ask for, as far as that is known before there is one: --report.
/// Errors ("bad-usage").
[[nodiscard]] Result<bool> check_answer(const Arguments& arguments);

/// Shown when a format that draws is asked for, with -o or --report.
[[nodiscard]] report::Cluster cluster_for(const Arguments& arguments);

/// Writes the files of --report, then prints the document in the format of -o. Returns `code`, or kCannotAnswer when
/// something could not be written; no file is written when one of the --report words is wrong.
[[nodiscard]] int answer(const report::Document& document, const Arguments& arguments, Terminal& terminal, int code);

/// Reports what was noticed while reading: warnings, and with -v what was inferred from what.
void report_notes(const Diagnostics& notes, const Arguments& arguments, const Terminal& terminal);

/// Reports the errors of a failed step.
[[nodiscard]] int cannot_answer(const Diagnostics& errors, const Terminal& terminal);

}  // namespace gpusched::cli
