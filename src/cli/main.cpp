#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "cli/answer.hpp"
#include "cli/completion.hpp"
#include "cli/memory_limit.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"

#ifndef GPUSCHED_VERSION
#define GPUSCHED_VERSION "unknown"
#endif

namespace {

using namespace gpusched::cli;

int answer(std::vector<std::string> words, Terminal& terminal) {
  if (!words.empty() && words.front() == kCompleteWord) {
    return print_completions(std::span(words).subspan(1), terminal);
  }
  // For mistakes on the command line itself.
  for (const OptionSpec& option : common_options()) {
    if (option.name == "color") {
      terminal.set_color(likely_value(words, option));
    } else if (option.name == "error-format") {
      terminal.set_json_errors(likely_value(words, option) == "json");
    }
  }
  const gpusched::Result<Request> request = parse_command_line(std::move(words));
  if (!request) {
    terminal.report(request.error());
    return kCannotAnswer;
  }
  if (request->version) {
    return terminal.print(fmt::format("gpusched {}\n", GPUSCHED_VERSION)) ? kYes : kCannotAnswer;
  }
  if (request->help || request->command == nullptr) {
    return terminal.print(help_text(request->command)) ? kYes : kCannotAnswer;
  }
  const Arguments& arguments = request->arguments;
  terminal.set_color(arguments.get("color"));
  terminal.set_quiet(arguments.has("quiet"));
  terminal.set_json_errors(arguments.get("error-format") == "json");
  if (const auto good = limit_memory(arguments); !good) {
    return cannot_answer(good.error(), terminal);
  }
  if (const auto good = check_answer(arguments); !good) {
    return cannot_answer(good.error(), terminal);
  }
  return request->command->run(arguments, terminal);
}

}  // namespace

int main(int argc, char** argv) {
  Terminal::install_signal_handlers();
  Terminal terminal;
  try {
    return answer({argv + 1, argv + argc}, terminal);
  } catch (const std::exception& error) {
    gpusched::Diagnostic diagnostic;
    diagnostic.code = "internal-error";
    diagnostic.message = fmt::format("internal error in gpusched {}: {}", GPUSCHED_VERSION, error.what());
    diagnostic.hint = "please report it with the command and its input";
    terminal.report({&diagnostic, 1});
    return kCannotAnswer;
  }
}
