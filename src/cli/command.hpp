#pragma once

#include <span>
#include <string_view>

namespace gpusched::cli {

class Arguments;
class Terminal;

/// One option of a command: the source of its parsing, its help and, later, man page and completion.
struct OptionSpec {
  std::string_view name;                           ///< "policy" for --policy
  char letter = '\0';                              ///< 'o' for -o
  std::string_view value = {};                     ///< what stands for the value in help: "FILE"; "" for a switch
  std::string_view help;                           ///< without a full stop
  std::span<const std::string_view> choices = {};  ///< the only values allowed
  std::string_view fallback = {};                  ///< value when it is not given, shown in help
  bool repeatable = false;
  bool environment = false;     ///< GPUSCHED_<NAME> gives the value when the flag does not
  std::string_view needs = {};  ///< the option without which this one would mean nothing
};

struct PositionalSpec {
  std::string_view name;
  std::string_view help;
  bool repeatable = false;
  std::span<const std::string_view> choices = {};  ///< the only words allowed
};

struct Example {
  std::string_view what;
  std::string_view command;
};

/// One subcommand. `run` returns the exit code (docs: 0 yes, 1 no, 2 could not answer).
struct CommandSpec {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view description;
  std::span<const PositionalSpec> positionals;
  std::span<const OptionSpec> options;
  std::span<const Example> examples;
  int (*run)(const Arguments& arguments, Terminal& terminal);
  bool about_itself = false;               ///< answers no question about a cluster: help lists it apart
  std::span<const OptionSpec> edits = {};  ///< what-if flags, which count in the order of the command line
};

/// The subcommands in the order of the help.
[[nodiscard]] std::span<const CommandSpec* const> commands();
/// The one of that name; null when there is none.
[[nodiscard]] const CommandSpec* find_command(std::string_view name);
/// What every command takes beside its own options.
[[nodiscard]] std::span<const OptionSpec> common_options();

extern const CommandSpec kPlaceCommand;
extern const CommandSpec kFragCommand;
extern const CommandSpec kSlicesCommand;
extern const CommandSpec kK8sCommand;
extern const CommandSpec kDraCommand;
extern const CommandSpec kChainCommand;
extern const CommandSpec kGangCommand;
extern const CommandSpec kCheckCommand;
extern const CommandSpec kCompletionCommand;
extern const CommandSpec kManCommand;
extern const CommandSpec kVersionCommand;

}  // namespace gpusched::cli
