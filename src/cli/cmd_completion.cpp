#include <fmt/format.h>

#include <array>

#include "cli/answer.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/input_names.hpp"
#include "cli/terminal.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 3> kShells = {"bash", "zsh", "fish"};

constexpr std::array kPositionals = {PositionalSpec{.name = "SHELL", .help = "for which shell", .choices = kShells}};

constexpr std::array kExamples = {
    Example{"bash: now, and for every later shell when it stands in ~/.bashrc", "source <(gpusched completion bash)"},
    Example{"zsh: into a folder of $fpath", "gpusched completion zsh > \"${fpath[1]}/_gpusched\""},
    Example{"fish", "gpusched completion fish > ~/.config/fish/completions/gpusched.fish"},
};

int run(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has("SHELL")) {
    return cannot_answer(bad_usage("no shell given", fmt::format("name one of {}", join(kShells, ", "))).error(),
                         terminal);
  }
  return terminal.print(completion_script(arguments.get("SHELL"))) ? kYes : kCannotAnswer;
}

}  // namespace

int print_completions(std::span<const std::string> words, Terminal& terminal) {
  const Completion completion = complete(words, &read_input_names);
  std::string text;
  for (const Candidate& candidate : completion.candidates) {
    text += fmt::format("{}\t{}\n", escape_control(candidate.text), candidate.help);
  }
  text += ':';
  if (completion.files) {
    text += fmt::format("files={}", completion.file_prefix);
  } else if (completion.joined) {
    text += "joined";
  }
  text += '\n';
  return terminal.print(text) ? kYes : kCannotAnswer;
}

const CommandSpec kCompletionCommand{
    .name = "completion",
    .summary = "print a script that completes commands, options, policies and names in your shell",
    .description =
        "The script asks gpusched itself at every Tab, so that it knows the options of the installed version and "
        "the nodes, pods and namespaces of the files that the command line already names.",
    .positionals = kPositionals,
    .options = {},
    .examples = kExamples,
    .run = &run,
    .about_itself = true,
};

}  // namespace gpusched::cli
