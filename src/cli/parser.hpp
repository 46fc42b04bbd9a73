#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"

namespace gpusched::cli {

/// What the words of a command line ask for.
struct Request {
  const CommandSpec* command = nullptr;  ///< null: none was named
  Arguments arguments;
  bool help = false;
  bool version = false;
};

/// Parses the words after the program's name. Errors ("bad-usage") suggest the nearest subcommand, option or choice.
[[nodiscard]] Result<Request> parse_command_line(std::vector<std::string> words);

/// The help of the program (no command) or of one command: usage, what it does, examples, options.
[[nodiscard]] std::string help_text(const CommandSpec* command);

}  // namespace gpusched::cli
