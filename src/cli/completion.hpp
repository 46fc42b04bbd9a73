#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

/// What a shell may put at the cursor, from the same table as parser and help.
namespace gpusched::cli {

struct Candidate {
  std::string text;  ///< the whole word
  std::string help;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;       ///< file names are good, too
  std::string file_prefix;  ///< what stands before the name in the same word: "--report=json="
  bool joined = false;      ///< the candidates go on: no blank behind them
};

/// What the files of a command line name.
struct InputNames {
  std::vector<std::string> nodes, pods, namespaces;
};
/// Reads the names of the given files; asked only when a value is one of them.
using ReadNames = std::function<InputNames(std::span<const std::string> files)>;

/// Completes the last of the words behind the program's name, which may be empty.
[[nodiscard]] Completion complete(std::span<const std::string> words, const ReadNames& read_names);

/// The script that makes a shell ask `gpusched __complete`: "bash", "zsh" or "fish".
[[nodiscard]] std::string_view completion_script(std::string_view shell);

/// The word that asks for completions instead of naming a command; the words that follow are those to complete.
inline constexpr std::string_view kCompleteWord = "__complete";
/// Prints the candidates, each with a tab and its help, then a line ":" with what `Completion` says of them.
int print_completions(std::span<const std::string> words, Terminal& terminal);

}  // namespace gpusched::cli
