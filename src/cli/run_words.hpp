#pragma once

#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace gpusched::cli {

/// The whole program: does what the words after its name ask for, and returns the exit code. The last to catch an
/// exception: "internal error", exit code 2.
[[nodiscard]] int run_words(std::vector<std::string> words, Terminal& terminal);

}  // namespace gpusched::cli
