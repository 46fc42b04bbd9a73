#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "cli/answer.hpp"
#include "cli/chain_changes.hpp"
#include "cli/chain_inputs.hpp"
#include "cli/command.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/chain/admission.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/derive.hpp"
#include "gpusched/chain/links.hpp"
#include "gpusched/io/value_json.hpp"
#include "gpusched/report/chain.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 3> kStages = {"3", "4", "admission"};
constexpr std::array<std::string_view, 2> kKueueVersions = {"newest", "0.17"};
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
    OptionSpec{.name = "explain",
               .value = "WORKLOAD",
               .help = "every gate of one workload (namespace/name or name), with numbers and what would change it"},
    OptionSpec{.name = "namespace", .letter = 'n', .value = "NAMESPACE", .help = "of workloads without one"},
    OptionSpec{.name = "kueue-version",
               .value = "VERSION",
               .help = "newest: the Kueue that the operator needs; 0.17: credits by resource transformations",
               .choices = kKueueVersions,
               .fallback = "newest"},
    OptionSpec{.name = "kueue-config", .value = "FILE", .help = "Kueue's Configuration in place of the operator's"},
    OptionSpec{.name = "events", .value = "FILE", .help = "what happens to workloads and queues, one after the other"},
    OptionSpec{.name = "clock", .value = "TIME", .help = "when it starts (default: the newest time in the input)"},
    OptionSpec{.name = "list", .help = "the objects as a Kubernetes List, for kubectl diff -f -"},
    OptionSpec{.name = "diff",
               .value = "LIVE",
               .help = "compare with the objects of this dump and list what differs",
               .repeatable = true},
    OptionSpec{.name = "derive-devices",
               .help = "nodes without Devices get them from the operator's labels or GPU Feature Discovery"},
    OptionSpec{
        .name = "add", .value = "NODE=N", .help = "what if there were N more nodes like NODE", .repeatable = true},
    OptionSpec{.name = "remove", .value = "NODE", .help = "what if the node were gone", .repeatable = true},
    OptionSpec{.name = "label",
               .value = "NODE:KEY=VALUE",
               .help = "what if the node had this label; no VALUE removes it",
               .repeatable = true},
    OptionSpec{.name = "repartition",
               .value = "NODE/INDEX",
               .help = "what if this accelerator entered its partitioning mode, or left it",
               .repeatable = true},
    OptionSpec{.name = "levels", .value = "KEY,...", .help = "what if all nodes had these topology levels"},
    OptionSpec{.name = "change",
               .value = "NAME=VALUE",
               .help = "what if this setting changed in the running cluster",
               .repeatable = true},
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

Result<chain::AdmissionResult> judge(ChainQuestion& question, const chain::Chain& chain, const KueueOptions& options,
                                     bool changed) {
  chain::AdmissionQuestion asked;
  asked.input = &question.input;
  asked.chain = &chain;
  asked.kueue = std::move(question.kueue);
  asked.dump_wins = !changed;
  asked.as_kueue_017 = options.as_kueue_017;
  asked.configuration = options.configuration;
  asked.start_seconds = options.start_seconds;
  asked.events = options.events;
  return chain::judge_workloads(std::move(asked));
}

/// "name" or "namespace/name" among the workloads.
Result<std::string> explained(const Arguments& arguments, const chain::AdmissionResult& result) {
  const std::string word(arguments.get("explain"));
  const std::string_view name_space = arguments.get("namespace");
  std::vector<std::string_view> names;
  std::vector<std::string> found;
  for (const chain::JudgedWorkload& workload : result.workloads) {
    names.push_back(std::string_view(workload.name).substr(workload.name.find('/') + 1));
    const bool same = workload.name == word || (workload.name.ends_with("/" + word) &&
                                                (name_space.empty() || workload.name.starts_with(name_space)));
    if (same) found.push_back(workload.name);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    return fail("ambiguous-workload", fmt::format("--explain: {} workloads are called {}", found.size(), quote(word)),
                "name it as namespace/name");
  }
  const std::string nearest = suggest(word, names);
  return fail(
      "unknown-workload", fmt::format("--explain: no workload {} in the input", quote(word)),
      nearest.empty() ? "it takes a Workload, or a Pod with a queue name" : fmt::format("did you mean {}?", nearest));
}

bool all_pass(const chain::AdmissionResult& result, std::string_view explain) {
  return std::ranges::all_of(result.workloads, [&](const chain::JudgedWorkload& workload) {
    return workload.passes() || (!explain.empty() && workload.name != explain);
  });
}

/// The queues of the chain as it is are where a what-if starts; those that hold workloads are drained with care.
Result<std::vector<std::string>> what_if(const Arguments& arguments, ChainQuestion& question) {
  chain::ChainInput changed = question.input;
  Result<std::vector<std::string>> words = apply_changes(arguments, changed);
  if (!words || words->empty()) return words;
  const Result<chain::Chain> before = chain::compute(question.input);
  if (!before) return std::unexpected(before.error());
  std::vector<std::string> reserved;
  for (const chain::LiveQueue& queue : question.input.queues) {
    if (queue.state.reserved) reserved.push_back(queue.meta.name);
  }
  for (const objects::Workload& workload : question.kueue.workloads) {
    if (workload.admission) reserved.push_back(workload.admission->cluster_queue);
  }
  changed.queues = chain::live_queues(*before, reserved);
  changed.types = chain::live_types(*before);
  question.input = std::move(changed);
  return words;
}

int compare(const Arguments& arguments, Inputs& inputs, const chain::Chain& chain, const chain::Settings& settings,
            Terminal& terminal) {
  const Result<io::ClusterInput> input = inputs.cluster_input({"diff"});
  if (!input) return cannot_answer(input.error(), terminal);
  report::LiveObjects live;
  std::vector<std::string> texts;
  for (const io::Document& document : input->dump.others) texts.push_back(io::to_json(document.root));
  for (const std::string& text : texts) live.texts.push_back(text);
  for (const io::NodeRecord& record : input->dump.nodes) live.nodes.push_back(&record.node);
  bool drifted = false;
  const report::Document document = report::chain_diff(chain, settings, live, drifted);
  return answer(document, arguments, terminal, drifted ? kNo : kYes);
}

void warn_of_kueue(const KueueOptions& options, Diagnostics& notes) {
  if (!options.as_kueue_017 || options.configuration) return;
  Diagnostic& note = notes.emplace_back();
  note.severity = Severity::kWarning;
  note.code = "old-kueue";
  note.message =
      "Kueue 0.17 charges credits to nodes, which have none, so accelerated workloads stay pending behind a Topology";
  note.hint = "the operator needs a newer Kueue: quotaCheckStrategy, and topology that counts what Pods request";
}

int run(const Arguments& arguments, Terminal& terminal) {
  if (const Result<bool> good = check_answer(arguments); !good) return cannot_answer(good.error(), terminal);
  Inputs inputs(arguments);
  Result<ChainQuestion> question = read_chain_question(arguments, inputs);
  if (!question) return cannot_answer(question.error(), terminal);
  Diagnostics notes = question->notes;
  if (arguments.has("derive-devices"))
    std::ranges::move(chain::derive_devices(question->input), std::back_inserter(notes));
  report::ChainParts parts;
  const std::string_view output = arguments.get("output");
  parts.objects = arguments.has("report") || (output != "table" && output != "wide");
  const Result<std::vector<std::string>> changes = what_if(arguments, *question);
  if (!changes) return cannot_answer(changes.error(), terminal);
  parts.changes = *changes;
  const chain::Settings& settings = question->input.settings;
  const Result<chain::Chain> chain = chain::compute(question->input);
  if (!chain) return cannot_answer(chain.error(), terminal);
  std::ranges::copy(chain->notes, std::back_inserter(notes));
  parts.stage = stage_of(arguments.get("stage"));
  if (arguments.has("diff") || arguments.has("list")) {
    report_notes(notes, arguments, terminal);
    if (arguments.has("diff")) return compare(arguments, inputs, *chain, settings, terminal);
    return answer(report::chain_objects(*chain, settings, parts.stage), arguments, terminal, kYes);
  }
  parts.links = chain::broken_links(*chain, settings);
  const bool asked = arguments.has("explain") || parts.stage == report::ChainStage::kAll ||
                     parts.stage == report::ChainStage::kAdmission;
  if (!asked) {
    report_notes(notes, arguments, terminal);
    return answer(report::chain_report(*chain, settings, parts), arguments, terminal, kYes);
  }
  const Result<KueueOptions> options = read_kueue_options(arguments, inputs, question->kueue);
  if (!options) return cannot_answer(options.error(), terminal);
  warn_of_kueue(*options, notes);
  const Result<chain::AdmissionResult> admission = judge(*question, *chain, *options, !parts.changes.empty());
  if (!admission) return cannot_answer(admission.error(), terminal);
  if (arguments.has("explain")) {
    const Result<std::string> name = explained(arguments, *admission);
    if (!name) return cannot_answer(name.error(), terminal);
    parts.explain = *name;
    parts.stage = report::ChainStage::kAdmission;
  }
  report_notes(notes, arguments, terminal);
  if (!admission->workloads.empty() || parts.stage == report::ChainStage::kAdmission) parts.admission = &*admission;
  const int code = all_pass(*admission, parts.explain) ? kYes : kNo;
  return answer(report::chain_report(*chain, settings, parts), arguments, terminal, code);
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
