#pragma once

#include <optional>
#include <string>

#include "gpusched/check/suite.hpp"

namespace gpusched::cli {

/// Where the golden file of a question is; "" when it has none.
[[nodiscard]] std::string golden_path(const check::Suite& suite, const check::Question& question);

/// Its content, byte for byte; none when there is no such file. Error code "unreadable": a file that links lead out of
/// the suite's folder, that is no regular one, or that holds more than the inputs of a command may.
[[nodiscard]] Result<std::optional<std::string>> read_golden(const check::Suite& suite,
                                                             const check::Question& question);

/// A file byte for byte, with the errors above.
[[nodiscard]] Result<std::string> read_regular_file(const std::string& path);

}  // namespace gpusched::cli
