#include <fmt/format.h>

#include <array>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "gpusched/report/version.hpp"

#ifndef GPUSCHED_VERSION
#define GPUSCHED_VERSION "unknown"
#endif
#ifndef GPUSCHED_BUILD_TYPE
#define GPUSCHED_BUILD_TYPE "unknown"
#endif

namespace gpusched::cli {

namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang++ " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

constexpr std::array kExamples = {
    Example{"which one is this", "gpusched version"},
    Example{"for a bug report, or to check what a suite pins", "gpusched version -o json"},
};

int run(const Arguments& arguments, Terminal& terminal) {
  return answer(report::version_report({GPUSCHED_VERSION, kCompiler, GPUSCHED_BUILD_TYPE}), arguments, terminal, kYes);
}

}  // namespace

const CommandSpec kVersionCommand{
    .name = "version",
    .summary = "print the version; with -o wide also which releases of Kubernetes and Kueue it agrees with",
    .description =
        "The version of gpusched; with -o wide, json or yaml also the releases of the real systems that its answers "
        "are checked against, the versions of its documents and how it was built.",
    .positionals = {},
    .options = {},
    .examples = kExamples,
    .run = &run,
    .about_itself = true,
};

}  // namespace gpusched::cli
