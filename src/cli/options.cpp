#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "cli/command.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/render/render.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 5> kFormats = {"table", "wide", "json", "yaml", "name"};
constexpr std::array<std::string_view, 3> kColors = {"auto", "always", "never"};
constexpr std::array<std::string_view, 2> kErrorFormats = {"text", "json"};

const std::string& report_help() {
  static const std::string kHelp =
      fmt::format("also write the answer to a file: {}", join(render::format_names(), ", "));
  return kHelp;
}

const std::array kCommonOptions = {
    OptionSpec{.name = "output",
               .letter = 'o',
               .value = "FORMAT",
               .help = "how to print the answer",
               .choices = kFormats,
               .fallback = "table",
               .environment = true},
    OptionSpec{.name = "report", .value = "FORMAT=FILE", .help = report_help(), .repeatable = true},
    OptionSpec{.name = "no-headers", .help = "tables without their header line"},
    OptionSpec{.name = "recursive", .letter = 'R', .help = "read the folders inside a folder argument as well"},
    OptionSpec{.name = "jobs",
               .value = "N",
               .help = "threads for reading input; changes no byte of the answer",
               .fallback = "1",
               .environment = true},
    OptionSpec{.name = "max-memory",
               .value = "SIZE",
               .help = "give up with exit code 2 rather than take more memory, for example 2Gi",
               .environment = true},
    OptionSpec{.name = "color",
               .value = "WHEN",
               .help = "colour in diagnostics",
               .choices = kColors,
               .fallback = "auto",
               .environment = true},
    OptionSpec{.name = "error-format",
               .value = "FORMAT",
               .help = "diagnostics on stderr as text or as JSON lines",
               .choices = kErrorFormats,
               .fallback = "text",
               .environment = true},
    OptionSpec{.name = "quiet", .letter = 'q', .help = "no warnings and notes"},
    OptionSpec{.name = "verbose", .letter = 'v', .help = "also tell what was inferred from what"},
};

constexpr std::array kCommands = {&kPlaceCommand,      &kFragCommand, &kSlicesCommand, &kDraCommand,
                                  &kK8sCommand,        &kGangCommand, &kChainCommand,  &kCheckCommand,
                                  &kCompletionCommand, &kManCommand,  &kVersionCommand};

}  // namespace

std::span<const OptionSpec> common_options() {
  return kCommonOptions;
}
std::span<const CommandSpec* const> commands() {
  return kCommands;
}
const CommandSpec* find_command(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, [](const CommandSpec* command) { return command->name; });
  return found == kCommands.end() ? nullptr : *found;
}

}  // namespace gpusched::cli
