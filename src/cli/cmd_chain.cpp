#include <array>
#include <iterator>

#include "cli/answer.hpp"
#include "cli/chain_inputs.hpp"
#include "cli/command.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/links.hpp"
#include "gpusched/report/chain.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 3> kStages = {"3", "4", "admission"};
constexpr std::array<std::string_view, 2> kFlavorNames = {"documented", "source"};

constexpr std::array kPositionals = {
    PositionalSpec{"CLUSTER", "kubectl get ... -o json or -o yaml: files, folders, or - for standard input", true},
};

constexpr std::array kOptions = {
    OptionSpec{
        .name = "nodes", .value = "FILE", .help = "a file with nodes beside or instead of CLUSTER", .repeatable = true},
    OptionSpec{.name = "pods", .value = "FILE", .help = "the same with pods", .repeatable = true},
    OptionSpec{.name = "objects",
               .value = "FILE",
               .help = "the same with Devices, InstanceTypes, settings, Kueue objects",
               .repeatable = true},
    OptionSpec{.name = "stage", .value = "STAGE", .help = "only this part of the chain", .choices = kStages},
    OptionSpec{.name = "list", .help = "the objects as a Kubernetes List, for kubectl diff -f -"},
    OptionSpec{.name = "set",
               .value = "NAME=VALUE",
               .help = "a setting of the operator, over those of the input",
               .repeatable = true},
    OptionSpec{.name = "flavor-names",
               .value = "HOW",
               .help = "whether ResourceFlavors always carry their topology profile (source) or only where two would "
                       "share a name",
               .choices = kFlavorNames,
               .fallback = "documented"},
    OptionSpec{.name = "system-namespace",
               .value = "NAMESPACE",
               .help = "where the operator runs; it gets no LocalQueues (default gpustack-system)"},
};

constexpr std::array kExamples = {
    Example{"every link from node to queue", "gpusched chain fixtures/chain/mixed.json"},
    Example{"what would the operator change?",
            "gpusched chain fixtures/chain/mixed.json --list -o yaml | kubectl diff -f -"},
    Example{"pools per CPU instead of one for all",
            "gpusched chain fixtures/chain/session.json --stage 4 --set instance-type-aware-cpu-manufacturer=true"},
};

report::ChainStage stage_of(std::string_view word) {
  if (word == "3") return report::ChainStage::kThree;
  if (word == "4") return report::ChainStage::kFour;
  return word == "admission" ? report::ChainStage::kAdmission : report::ChainStage::kAll;
}

int run(const Arguments& arguments, Terminal& terminal) {
  if (const Result<bool> good = check_answer(arguments); !good) return cannot_answer(good.error(), terminal);
  Inputs inputs(arguments);
  const Result<ChainQuestion> question = read_chain_question(arguments, inputs);
  if (!question) return cannot_answer(question.error(), terminal);
  const chain::Settings& settings = question->input.settings;
  const Result<chain::Chain> chain = chain::compute(question->input);
  if (!chain) return cannot_answer(chain.error(), terminal);
  Diagnostics notes = question->notes;
  notes.insert(notes.end(), chain->notes.begin(), chain->notes.end());
  report_notes(notes, arguments, terminal);
  report::ChainParts parts;
  parts.stage = stage_of(arguments.get("stage"));
  if (arguments.has("list")) {
    return answer(report::chain_objects(*chain, settings, parts.stage), arguments, terminal, kYes);
  }
  parts.links = chain::broken_links(*chain, settings);
  return answer(report::chain_report(*chain, settings, parts), arguments, terminal, kYes);
}

}  // namespace

const CommandSpec kChainCommand{
    .name = "chain",
    .summary = "GPUStack's scheduling chain from nodes and devices to queues and admission",
    .description =
        "Reads what kubectl get prints of a cluster with GPUStack's operator and computes every link of its chain: the "
        "capacity keys and labels of each node, the ResourceFlavors, InstanceTypes and Kueue queues that they lead to, "
        "and the gates that a workload passes. Says which link is broken. Nothing is sent to a cluster.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
};

}  // namespace gpusched::cli
