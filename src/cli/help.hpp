#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

/// The sentences that help, man pages and completions share.
namespace gpusched::cli {

inline constexpr std::string_view kExitCodes =
    "0 the answer is yes, 1 it is no, 2 the question could not be answered, 3 undecided, 130 interrupted.";

/// "how to print the answer: table, wide, json (default table)".
[[nodiscard]] std::string help_of(const OptionSpec& option);
[[nodiscard]] std::string help_of(const PositionalSpec& positional);
/// "gpusched place [CLUSTER] [PODS...] [OPTIONS]".
[[nodiscard]] std::string usage_of(const CommandSpec& command);

}  // namespace gpusched::cli
