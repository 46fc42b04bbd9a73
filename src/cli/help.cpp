#include <fmt/format.h>

#include <algorithm>

#include "cli/help.hpp"
#include "cli/parser.hpp"
#include "gpusched/base/text.hpp"

// Help is made from the same tables as the parser, so that it cannot tell of options that are not there.
namespace gpusched::cli {

namespace {

constexpr std::size_t kTextColumn = 32;
constexpr std::size_t kWidth = 100;

/// Text wrapped at kWidth, later lines indented to the text column.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string result;
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (at > column && at + 1 + space > kWidth) {
      result += '\n' + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      result += ' ';
      ++at;
    }
    result += text.substr(0, space);
    at += space;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return result;
}

std::string entry(std::string left, std::string_view text) {
  left.insert(0, "  ");
  if (left.size() + 2 > kTextColumn) {
    left += '\n' + std::string(kTextColumn, ' ');
  } else {
    left.resize(kTextColumn, ' ');
  }
  return left + wrapped(text, kTextColumn) + '\n';
}

std::string option_line(const OptionSpec& option) {
  std::string left = option.letter == '\0' ? "    " : fmt::format("-{}, ", option.letter);
  left += fmt::format("--{}", option.name);
  if (!option.value.empty()) {
    left += ' ' + std::string(option.value);
  }
  return entry(std::move(left), help_of(option));
}

std::string with_choices(std::string_view help, std::span<const std::string_view> choices) {
  return choices.empty() ? std::string(help) : fmt::format("{}: {}", help, join(choices, ", "));
}

std::string program_help() {
  std::string text =
      "gpusched: what fits on these GPUs, why not, and what would change it. Offline, no cluster needed.\n"
      "\nUsage: gpusched COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands:\n";
  for (const CommandSpec* command : commands()) {
    if (!command->about_itself) {
      text += entry(std::string(command->name), command->summary);
    }
  }
  text += "\nAbout gpusched:\n";
  for (const CommandSpec* command : commands()) {
    if (command->about_itself) {
      text += entry(std::string(command->name), command->summary);
    }
  }
  text += "\nTry:\n";
  for (const CommandSpec* command : commands()) {
    if (!command->about_itself) {
      text += fmt::format("  {}\n", command->examples.front().command);
    }
  }
  text += "\n`gpusched COMMAND --help` has the options and more examples.\n";
  return text;
}

std::string command_help(const CommandSpec& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n\n{}\n\nExamples:\n", command.summary, usage_of(command),
                                 wrapped(command.description, 0));
  for (const Example& example : command.examples) {
    text += fmt::format("  # {}\n  {}\n", example.what, example.command);
  }
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
  }
  for (const PositionalSpec& positional : command.positionals) {
    text += entry(std::string(positional.name), help_of(positional));
  }
  if (!command.options.empty()) {
    text += "\nOptions:\n";
  }
  for (const OptionSpec& option : command.options) {
    text += option_line(option);
  }
  if (!command.edits.empty()) {
    text += "\nWhat if (applied to a copy of the cluster, in the order of the command line):\n";
    for (const OptionSpec& option : command.edits) {
      text += option_line(option);
    }
  }
  text += "\nCommon options:\n";
  for (const OptionSpec& option : common_options()) {
    text += option_line(option);
  }
  text += entry("-h, --help", "this text");
  text += fmt::format("\nExit codes: {}\n", kExitCodes);
  return text;
}

}  // namespace

std::string help_of(const OptionSpec& option) {
  std::string text = with_choices(option.help, option.choices);
  if (!option.fallback.empty()) {
    text += fmt::format(" (default {})", option.fallback);
  }
  if (option.repeatable) {
    text += "; may be repeated";
  }
  return text;
}

std::string help_of(const PositionalSpec& positional) {
  return with_choices(positional.help, positional.choices);
}

std::string usage_of(const CommandSpec& command) {
  std::string usage = fmt::format("gpusched {}", command.name);
  for (const PositionalSpec& positional : command.positionals) {
    usage += fmt::format(" [{}{}]", positional.name, positional.repeatable ? "..." : "");
  }
  return usage + " [OPTIONS]";
}

std::string help_text(const CommandSpec* command) {
  return command == nullptr ? program_help() : command_help(*command);
}

}  // namespace gpusched::cli
