#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "gpusched/chain/chain.hpp"

namespace gpusched::cli {

/// Applies --add, --remove, --label, --repartition, --levels and --change to the input, in this order. Returns them in
/// words; none when nothing was asked.
[[nodiscard]] Result<std::vector<std::string>> apply_changes(const Arguments& arguments, chain::ChainInput& input);

}  // namespace gpusched::cli
