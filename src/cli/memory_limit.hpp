#pragma once

#include "cli/arguments.hpp"

namespace gpusched::cli {

/// --max-memory: from now on the program ends with exit code 2 and a message rather than take more. What it has mapped
/// from files and its own code do not count. Error "bad-usage" for a size that is none or below 64 MiB.
[[nodiscard]] Result<bool> limit_memory(const Arguments& arguments);

}  // namespace gpusched::cli
