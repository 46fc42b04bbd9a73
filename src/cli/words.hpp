#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "gpusched/base/diagnostic.hpp"

namespace gpusched::cli {

/// The options of a command: its own, then those that every command takes.
[[nodiscard]] std::vector<const OptionSpec*> options_of(const CommandSpec& command);

/// "GPUSCHED_ERROR_FORMAT" for "error-format".
[[nodiscard]] std::string environment_name(std::string_view option);

/// A command line without any short cut, so that no word of it can be read in two ways: options by their long names,
/// and behind kLiteral every value and every argument.
struct SpelledWords {
  std::vector<std::string> words;
  std::string unknown;  ///< the first option that the command does not have; it is not among the words
  bool help = false;    ///< asked for somewhere, alone or among other letters ("-qh")
};
inline constexpr char kLiteral = '=';

/// Spells out the words after the command's name as kubectl reads them: "--name value", "--name=value", "-n value",
/// "-nvalue", "-n=value", letters of switches in front ("-qo=json"), nothing but arguments after "--". Values are taken
/// as they are. A word that starts with '-' is no value unless '=' joins it, "-" alone is. Errors ("bad-usage"): a
/// switch with a value, an option without one, an empty value or argument.
[[nodiscard]] Result<SpelledWords> spell_out(const std::vector<std::string>& words, const CommandSpec& command);

/// The value that an option has if the command line turns out to be right, for what must be known when it is wrong:
/// from the words, else the environment, else the fallback. Only a value that the option allows counts.
[[nodiscard]] std::string_view likely_value(const std::vector<std::string>& words, const OptionSpec& option);

}  // namespace gpusched::cli
