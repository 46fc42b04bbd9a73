#pragma once

#include <string>

#include "cli/command.hpp"

namespace gpusched::cli {

/// The manual page of the program (null) or of one command, in the man macros of roff.
[[nodiscard]] std::string man_page(const CommandSpec* command);

}  // namespace gpusched::cli
