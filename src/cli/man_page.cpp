#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/help.hpp"
#include "cli/words.hpp"

#ifndef GPUSCHED_VERSION
#define GPUSCHED_VERSION "unknown"
#endif

namespace gpusched::cli {

namespace {

/// Text that roff takes as it is: a hyphen stays a hyphen, nothing is a request.
std::string roff(std::string_view text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) {
    result += "\\&";
  }
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string header(std::string_view page, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"gpusched {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(page),
                     GPUSCHED_VERSION, roff(page), roff(summary));
}

std::string entry(std::string_view name, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", name, roff(text));
}

std::string option_entry(const OptionSpec& option) {
  std::string name = option.letter == '\0' ? std::string() : fmt::format("\\fB\\-{}\\fR, ", option.letter);
  name += fmt::format("\\fB{}\\fR", roff(fmt::format("--{}", option.name)));
  if (!option.value.empty()) {
    name += fmt::format(" \\fI{}\\fR", roff(option.value));
  }
  return entry(name, help_of(option));
}

std::string examples(std::span<const Example> examples) {
  std::string text = ".SH EXAMPLES\n";
  std::string_view between;
  for (const Example& example : examples) {
    text += between;
    text += fmt::format("{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(example.what), roff(example.command));
    between = ".PP\n";
  }
  return text;
}

std::string environment() {
  std::string text = ".SH ENVIRONMENT\nA flag on the command line is stronger.\n";
  for (const OptionSpec& option : common_options()) {
    if (option.environment) {
      text += entry(fmt::format("\\fB{}\\fR", environment_name(option.name)), fmt::format("--{}", option.name));
    }
  }
  return text + entry("\\fBNO_COLOR\\fR", "no colour unless --color always");
}

std::string program_page() {
  std::string text = header("gpusched", "what fits on these GPUs, why not, and what would change it");
  text +=
      ".SH SYNOPSIS\n\\fBgpusched\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
      "Simulates GPU scheduling offline, on files: fixtures and kubectl dumps. No cluster is needed or touched.\n"
      ".SH COMMANDS\n";
  for (const CommandSpec* command : commands()) {
    text += entry(fmt::format("\\fBgpusched\\-{}\\fR(1)", command->name), command->summary);
  }
  std::vector<Example> first;
  for (const CommandSpec* command : commands()) {
    if (!command->about_itself) {
      first.push_back(command->examples.front());
    }
  }
  return text + examples(first) + environment() + fmt::format(".SH EXIT STATUS\n{}\n", roff(kExitCodes));
}

std::string command_page(const CommandSpec& command) {
  const std::string page = fmt::format("gpusched-{}", command.name);
  std::string text = header(page, command.summary);
  text += fmt::format(".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}\n{}", roff(usage_of(command)), roff(command.description),
                      examples(command.examples));
  if (!command.positionals.empty()) {
    text += ".SH ARGUMENTS\n";
  }
  for (const PositionalSpec& positional : command.positionals) {
    text += entry(fmt::format("\\fI{}\\fR", roff(positional.name)), help_of(positional));
  }
  text += ".SH OPTIONS\n";
  for (const OptionSpec* option : options_of(command)) {
    text += option_entry(*option);
  }
  text += entry("\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "the same as text");
  return text + environment() +
         fmt::format(".SH EXIT STATUS\n{}\n.SH SEE ALSO\n\\fBgpusched\\fR(1)\n", roff(kExitCodes));
}

}  // namespace

std::string man_page(const CommandSpec* command) {
  return command == nullptr ? program_page() : command_page(*command);
}

}  // namespace gpusched::cli
