#include <fmt/format.h>

#include <array>

#include "cli/answer.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/man_page.hpp"
#include "cli/terminal.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array kPositionals = {
    PositionalSpec{.name = "COMMAND", .help = "of which command; without it of gpusched itself"}};

constexpr std::array kExamples = {
    Example{"read it", "gpusched man place | man -l -"},
    Example{"install it", "gpusched man > /usr/local/share/man/man1/gpusched.1"},
};

int run(const Arguments& arguments, Terminal& terminal) {
  const CommandSpec* command = nullptr;
  if (arguments.has("COMMAND")) {
    const std::string_view name = arguments.get("COMMAND");
    command = find_command(name);
    if (command == nullptr) {
      std::vector<std::string_view> names;
      for (const CommandSpec* known : commands()) {
        names.push_back(known->name);
      }
      const std::string nearest = suggest(name, names);
      return cannot_answer(bad_usage(fmt::format("there is no command {}", quote(name)),
                                     nearest.empty() ? fmt::format("the commands are {}", join(names, ", "))
                                                     : fmt::format("did you mean gpusched man {}?", nearest))
                               .error(),
                           terminal);
    }
  }
  return terminal.print(man_page(command)) ? kYes : kCannotAnswer;
}

}  // namespace

const CommandSpec kManCommand{
    .name = "man",
    .summary = "print a manual page",
    .description = "The page of gpusched or of one command, in roff, made from the same table as --help.",
    .positionals = kPositionals,
    .options = {},
    .examples = kExamples,
    .run = &run,
    .about_itself = true,
};

}  // namespace gpusched::cli
