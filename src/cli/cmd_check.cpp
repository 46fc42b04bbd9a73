#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/golden_file.hpp"
#include "cli/inputs.hpp"
#include "cli/question_runs.hpp"
#include "cli/suite_update.hpp"
#include "cli/words.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/check/baseline.hpp"
#include "gpusched/report/check.hpp"

namespace gpusched::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostJobs = 1024;

constexpr std::array kPositionals = {
    PositionalSpec{"SUITE", "suite file, folder, or - for standard input", true},
};

constexpr std::array kOptions = {
    OptionSpec{.name = "filter", .value = "TEXT", .help = "only questions whose name contains it", .repeatable = true},
    OptionSpec{.name = "baseline",
               .value = "FILE",
               .help = "an earlier answer of check -o json: only what got worse since then is a failure"},
    OptionSpec{.name = "update", .help = "write the answers of now into golden files and suites; read the diff"},
};

constexpr std::array kExamples = {
    Example{"the questions of this project's fixtures", "gpusched check fixtures/suite.yaml"},
    Example{"for CI: several at once, and a report", "gpusched check suites/ --jobs 4 --report junit=report.xml"},
    Example{"only what got worse since main",
            "gpusched check suite.yaml -o json > main.json; gpusched check suite.yaml --baseline main.json"},
    Example{"after a wanted change", "gpusched check suite.yaml --update"},
};

/// A question of a suite on its way to its result.
struct Asked {
  const check::Suite* suite;
  const check::Question* question;
  QuestionRun run;
};

std::string folder_of(const check::Suite& suite) {
  return fs::path(suite.file()).parent_path().string();  // "" for standard input
}

void append(Diagnostics& all, const Diagnostics& more) {
  std::ranges::copy(more, std::back_inserter(all));
}

Result<std::vector<check::Suite>> read_suites(const Arguments& arguments, Inputs& inputs) {
  if (!arguments.has("SUITE")) {
    return bad_usage("no suite given", "name a suite file, for example gpusched check fixtures/suite.yaml");
  }
  const Result<std::vector<io::Document>> documents = inputs.documents("SUITE");
  if (!documents) {
    return std::unexpected(documents.error());
  }
  std::vector<check::Suite> suites;
  Diagnostics errors;
  for (const io::Document& document : *documents) {
    Result<check::Suite> suite = check::read_suite(document);
    if (suite) {
      suites.push_back(std::move(*suite));
    } else {
      append(errors, suite.error());
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return suites;
}

const CommandSpec* command_of(const check::Question& question) {
  const auto found = std::ranges::find(commands(), question.command.front(), &CommandSpec::name);
  return found == commands().end() ? nullptr : *found;
}

bool takes(const CommandSpec& command, std::string_view option) {
  return std::ranges::any_of(command.options, [&](const OptionSpec& spec) { return spec.name == option; });
}

bool gives(const check::Question& question, std::string_view option) {
  const std::string flag = fmt::format("--{}", option);
  return std::ranges::any_of(question.command, [&](const std::string& word) {
    return word == flag || (word.starts_with(flag) && word.substr(flag.size()).starts_with('='));
  });
}

struct Pin {
  std::string_view name, option;
  std::string value;
};

std::array<Pin, 3> pins_of(const check::Pins& pins) {
  return {Pin{"kubernetes", "k8s-version", pins.kubernetes}, Pin{"kueue", "kueue-version", pins.kueue},
          Pin{"features", "features", join(pins.features, ",")}};
}

/// The command with the pins that it takes and that the question does not say otherwise.
std::vector<std::string> pinned(const check::Suite& suite, const check::Question& question) {
  std::vector<std::string> words = question.command;
  const CommandSpec* const command = command_of(question);
  for (const Pin& pin : pins_of(suite.pins)) {
    if (command != nullptr && !pin.value.empty() && takes(*command, pin.option) && !gives(question, pin.option)) {
      words.insert(words.begin() + 1, fmt::format("--{}={}", pin.option, pin.value));
    }
  }
  return words;
}

/// What the answers hang on and the suite leaves open.
std::optional<Diagnostic> unpinned(const check::Suite& suite) {
  std::vector<std::string> open;
  for (const Pin& pin : pins_of(suite.pins)) {
    const bool matters = pin.name != "features" && pin.value.empty() &&
                         std::ranges::any_of(suite.questions, [&](const check::Question& question) {
                           const CommandSpec* const command = command_of(question);
                           return command != nullptr && takes(*command, pin.option) && !gives(question, pin.option);
                         });
    if (matters) {
      open.emplace_back(pin.name);
    }
  }
  if (!suite.pins.documents) {
    open.emplace_back("documents");
  }
  if (open.empty()) {
    return std::nullopt;
  }
  Diagnostic warning;
  warning.severity = Severity::kWarning;
  warning.code = "unpinned";
  warning.message = fmt::format("the suite does not pin {}: a new release may change its answers", join(open, ", "));
  warning.source = suite.file();
  warning.pointer = "/pins";
  warning.hint = "pins: {kubernetes: \"1.37\", documents: gpusched/v1alpha1}";
  return warning;
}

/// What a suite cannot ask: questions run at the same time, and only --update writes.
std::optional<Diagnostic> refused(const check::Suite& suite, const check::Question& question) {
  if (question.command.front() == "check") {
    return check::question_error(suite, question, "command", "not-a-question", "a question cannot be a check",
                                 "name several suites: gpusched check a.yaml b.yaml");
  }
  if (gives(question, "report")) {
    return check::question_error(suite, question, "command", "not-a-question",
                                 "a question writes no files, so it takes no --report", "use -o, or check --report");
  }
  return std::nullopt;
}

Result<std::vector<Asked>> questions_to_ask(const Arguments& arguments, const std::vector<check::Suite>& suites) {
  const std::vector<std::string>& filters = arguments.all("filter");
  std::vector<Asked> asked;
  Diagnostics errors;
  std::vector<std::string_view> names;
  for (const check::Suite& suite : suites) {
    for (const check::Question& question : suite.questions) {
      if (const auto error = refused(suite, question)) {
        errors.push_back(*error);
      }
      names.push_back(question.name);
      const auto in_name = [&](const std::string& filter) { return question.name.contains(filter); };
      if (filters.empty() || std::ranges::any_of(filters, in_name)) {
        asked.push_back({&suite, &question, {pinned(suite, question), folder_of(suite), question.input}});
      }
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  if (asked.empty()) {
    const std::string nearest = suggest(filters.back(), names);
    return bad_usage(fmt::format("--filter: no question has {} in its name", quote(filters.back())),
                     nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
  }
  return asked;
}

check::Answer answer_of(const Asked& asked, QuestionOutcome outcome) {
  const Result<std::optional<std::string>> golden = read_golden(*asked.suite, *asked.question);
  check::Answer answer{.exit = outcome.exit,
                       .output = std::move(outcome.output),
                       .errors = std::move(outcome.errors),
                       .document = {},
                       .golden = golden.value_or(std::nullopt),
                       .golden_error = golden ? "" : golden.error().front().message,
                       .broken = std::move(outcome.broken)};
  if (!outcome.document.empty()) {
    if (auto documents = io::parse_documents({"answer", std::move(outcome.document)})) {
      answer.document = std::move(documents->front());
    }
  }
  return answer;
}

Result<std::optional<check::Baseline>> baseline(const Arguments& arguments, Inputs& inputs) {
  if (!arguments.has("baseline")) {
    return std::nullopt;
  }
  const Result<std::vector<io::Document>> documents = inputs.documents("baseline");
  if (!documents) {
    return std::unexpected(documents.error());
  }
  Result<check::Baseline> read = check::read_baseline(documents->front());
  if (!read) {
    return std::unexpected(std::move(read.error()));
  }
  return std::move(*read);
}

std::vector<report::CheckedQuestion> judge_all(std::span<const Asked> asked, std::vector<QuestionOutcome> outcomes,
                                               const std::optional<check::Baseline>& earlier, SuiteUpdate* update) {
  std::vector<report::CheckedQuestion> results;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Asked& each = asked[i];
    const check::Answer answer = answer_of(each, std::move(outcomes[i]));
    results.push_back({.suite = each.suite,
                       .question = each.question,
                       .command = each.run.words,
                       .exit = answer.exit,
                       .judgement = check::judge(*each.question, answer),
                       .updated = {},
                       .worse = {}});
  }
  if (update != nullptr) {
    update->take(results);
  }
  for (report::CheckedQuestion& result : results) {
    if (earlier) {
      const auto found = earlier->find({check::plain_path(result.suite->file()), result.question->name});
      result.worse = check::got_worse(result.judgement, found == earlier->end() ? nullptr : &found->second);
    }
  }
  return results;
}

int run(const Arguments& arguments, Terminal& terminal) {
  Inputs inputs(arguments);
  const Result<std::optional<std::int64_t>> jobs = arguments.whole_number("jobs", 1, kMostJobs);
  const Result<std::vector<check::Suite>> suites = read_suites(arguments, inputs);
  const Result<std::optional<check::Baseline>> earlier = baseline(arguments, inputs);
  if (!jobs || !suites || !earlier) {
    return cannot_answer(!jobs ? jobs.error() : !suites ? suites.error() : earlier.error(), terminal);
  }
  const Result<std::vector<Asked>> asked = questions_to_ask(arguments, *suites);
  if (!asked) {
    return cannot_answer(asked.error(), terminal);
  }
  Diagnostics warnings;
  for (const check::Suite& suite : *suites) {
    if (const std::optional<Diagnostic> warning = unpinned(suite)) {
      warnings.push_back(*warning);
    }
  }
  terminal.report(warnings);
  std::vector<QuestionRun> runs;
  std::ranges::transform(*asked, std::back_inserter(runs), &Asked::run);
  SuiteUpdate update;
  const std::vector<report::CheckedQuestion> results =
      judge_all(*asked, run_questions(runs, static_cast<std::size_t>(jobs->value_or(1))), *earlier,
                arguments.has("update") ? &update : nullptr);
  if (const Result<bool> written = update.write(); !written) {
    return cannot_answer(written.error(), terminal);
  }
  const bool with_baseline = earlier->has_value();
  const auto name = with_baseline ? std::optional(std::string(arguments.get("baseline"))) : std::nullopt;
  return answer(report::check_report(results, name), arguments, terminal,
                report::all_good(results, with_baseline) ? kYes : kNo);
}

}  // namespace

const CommandSpec kCheckCommand{
    .name = "check",
    .summary = "ask the questions of a suite and compare the answers with those expected",
    .description =
        "A suite is a YAML or JSON file of named questions: a command line of gpusched over files beside the suite, "
        "and "
        "what its answer must be, from the exit code to single values and the whole output. Questions run in folders "
        "of "
        "their suites and share nothing, so --jobs changes no byte of the answer.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
};

}  // namespace gpusched::cli
