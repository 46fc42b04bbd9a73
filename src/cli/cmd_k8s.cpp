#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "cli/answer.hpp"
#include "cli/asked_pods.hpp"
#include "cli/command.hpp"
#include "cli/k8s_answers.hpp"
#include "cli/k8s_message.hpp"
#include "cli/k8s_options.hpp"
#include "cli/node_templates.hpp"
#include "cli/whatif_model.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/explain/verify.hpp"
#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/report/pending.hpp"
#include "gpusched/report/verification.hpp"
#include "gpusched/report/whatif.hpp"
#include "gpusched/whatif/object_edit.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array kPositionals = {
    PositionalSpec{"CLUSTER", "kubectl get ... -o json or -o yaml: files, folders, or - for standard input", true},
};

constexpr std::array kOptions = {
    OptionSpec{.name = "pod",
               .value = "POD",
               .help = "the pod that is asked about: a file, or namespace/name or name in the input"},
    OptionSpec{.name = "all-pending", .help = "ask about every Pending pod of the input, each on the cluster as it is"},
    OptionSpec{.name = "in-turn",
               .help = "with --all-pending or a file: one pod after another, each of which keeps its place from the "
                       "next; victims of preemption leave"},
    OptionSpec{.name = "workload",
               .value = "KIND/NS/NAME",
               .help = "ask about a Job, ReplicaSet, Workload, ... of the input, and its Pending pods"},
    OptionSpec{.name = "verify",
               .help =
                   "compare the answer for every Pending pod with the message in its condition; exit code 1 when one "
                   "differs"},
    OptionSpec{.name = "message",
               .value = "TEXT",
               .help = "explain the message of an event without a cluster; - reads it from standard input"},
    OptionSpec{.name = "namespace", .letter = 'n', .value = "NAMESPACE", .help = "where the pod is, or the pods are"},
    OptionSpec{.name = "all-namespaces", .letter = 'A', .help = "pods of every namespace, which is the default"},
    OptionSpec{.name = "selector",
               .letter = 'l',
               .value = "SELECTOR",
               .help = "only Pending pods with these labels; the others hold what they hold"},
    OptionSpec{
        .name = "nodes", .value = "FILE", .help = "a file with nodes beside or instead of CLUSTER", .repeatable = true},
    OptionSpec{.name = "pods", .value = "FILE", .help = "the same with pods", .repeatable = true},
    OptionSpec{.name = "objects",
               .value = "FILE",
               .help = "the same with claims, slices, classes, volumes and other objects",
               .repeatable = true},
    OptionSpec{.name = "k8s-version",
               .value = "1.N[.P]",
               .help = "whose scheduler answers (default: that of the newest kubelet of the input, else of recorded "
                       "messages, else 1.37)",
               .environment = true},
    OptionSpec{.name = "features",
               .value = "NAME=true|false,...",
               .help = "feature gates that differ from that release's defaults",
               .repeatable = true},
    OptionSpec{.name = "scheduler-config", .value = "FILE", .help = "the KubeSchedulerConfiguration in use"},
    OptionSpec{.name = "all-nodes", .help = "with --all-pending: list every node of every pod, not groups of them"},
    OptionSpec{.name = "max-steps",
               .value = "N",
               .help = "of one search for devices, then the answer is undecided (default 2000000)"},
    OptionSpec{.name = "dra-timeout-steps",
               .value = "N",
               .help = "steps of a real search for devices in its 10 s, 0: no timeout (default 4500000)"},
};

constexpr std::array kExamples = {
    Example{
        "why is the pod Pending?",
        "gpusched k8s --nodes fixtures/kind/nodes.json --pods fixtures/kind/pods.json --pod fixtures/kind/gpu-c.json"},
    Example{"the same from one dump of a cluster",
            "kubectl get nodes,pods,priorityclasses -A -o json | gpusched k8s - --pod ml/train-8"},
    Example{
        "which devices will a claim get?",
        "gpusched k8s fixtures/kind/nodes.json --pod fixtures/kind/dra.json --objects fixtures/kind/dra-objects.json "
        "--objects fixtures/kind/claims.json --objects fixtures/kind/slice.json"},
    Example{"busy, or will it never fit?",
            "gpusched k8s --message '0/14 nodes are available: 14 Insufficient nvidia.com/gpu.'"},
    Example{"would the pod start if a node joined?",
            "gpusched k8s fixtures/dump/cluster.json --pod research/big-0 --add aws/p5.48xlarge=1"},
    Example{"every Pending pod, by cause", "gpusched k8s dump.json --all-pending"},
    Example{"which of them fit together?", "gpusched k8s fixtures/dump/cluster.json --all-pending --in-turn"},
    Example{"why has the Job no pods?", "gpusched k8s dump.json --workload job/ml/train"},
    Example{"does the answer agree with what the cluster's scheduler wrote?", "gpusched k8s dump.json --verify"},
};

/// What the scheduler of one cluster does with the pods.
Answer ask(const Arguments& arguments, kubescheduler::Snapshot snapshot, const Question& question,
           kubescheduler::PredictOptions options) {
  const bool groups = question.several && !arguments.has("all-nodes");
  options.node_answers = !groups;
  const Answers all =
      arguments.has("in-turn") ? answer_in_turn(snapshot, question, options) : answer_pods(snapshot, question, options);
  const std::vector<report::PendingAnswer>& answers = all.by_pod;
  using kubescheduler::Verdict;
  const auto any = [&](auto&& is) {
    return std::ranges::any_of(answers, is, [](const auto& answer) { return answer.prediction->verdict; });
  };
  const bool kept = question.workload && explain::is_kept(*question.workload);
  const bool no =
      kept || any([](Verdict verdict) { return verdict != Verdict::kScheduled && verdict != Verdict::kUndecided; });
  const bool undecided = any([](Verdict verdict) { return verdict == Verdict::kUndecided; });
  const auto nodes = groups ? report::NodeList::kGroups : report::NodeList::kNodes;
  return {question.workload  ? report::workload_report(snapshot, options.rules, *question.workload, answers, nodes)
          : question.several ? report::pending_reports(snapshot, options.rules, answers, nodes, question.missing_pods)
                             : report::pending_report(snapshot, options.rules, answers.front(), nodes),
          no          ? kNo
          : undecided ? kUndecided
                      : kYes};
}

/// The question as edits left its pods, with those that edits made Pending when all Pending ones are asked about.
Question asked_after(const Question& question, const whatif::EditedObjects& edited) {
  using Name = std::pair<std::string_view, std::string_view>;
  const auto name_of = [](const objects::Pod& pod) { return Name(pod.meta.namespace_name, pod.meta.name); };
  std::map<Name, const objects::Pod*> known;
  for (const objects::Pod& pod : edited.cluster.pods) {
    known.emplace(name_of(pod), &pod);
  }
  std::set<Name> before;
  for (const objects::Pod& pod : question.input.cluster.pods) {
    before.insert(name_of(pod));
  }
  Question after;
  after.several = question.several;
  after.groups = question.groups;
  after.missing_pods = question.missing_pods;
  after.input.claim_templates = question.input.claim_templates;
  std::map<std::size_t, std::size_t> first_of_kind;  // by its number before
  std::set<Name> asked;
  for (std::size_t i = 0; i < question.pods.size(); ++i) {
    const objects::Pod& pod = question.pods[i];
    const auto found = known.find(name_of(pod));
    asked.insert(name_of(pod));
    if (found == known.end() && before.contains(name_of(pod))) {
      continue;  // an edit took it away
    }
    after.same_as.push_back(first_of_kind.try_emplace(question.same_as[i], after.pods.size()).first->second);
    after.pods.push_back(found == known.end() ? pod : *found->second);  // of a file, not of the cluster
  }
  for (const auto& [namespace_name, name] : edited.pending) {
    const auto found = known.find(Name(namespace_name, name));
    if (question.several && found != known.end() && asked.insert(found->first).second) {
      after.same_as.push_back(after.pods.size());
      after.pods.push_back(*found->second);
    }
  }
  for (objects::Pod& pod : after.pods) {
    // What the scheduler wrote about the cluster as it was says nothing about this one.
    std::erase_if(pod.status.edit().conditions, [](const auto& condition) { return condition.type == "PodScheduled"; });
  }
  return after;
}

Result<Answer> ask_what_if(const Arguments& arguments, Inputs& inputs, Question question,
                           std::span<const whatif::ClusterEdit> edits, const kubescheduler::PredictOptions& options) {
  if (arguments.has("verify") || question.workload) {
    return bad_usage("what-if flags go with --pod and --all-pending only");
  }
  const Result<io::DumpOptions> dump_options = inputs.dump_options();
  if (!dump_options) {
    return std::unexpected(dump_options.error());
  }
  Result<whatif::EditedObjects> edited = whatif::apply(
      edits, question.input.cluster, {options, question.allowed_disruptions, [&](const objects::Node& node) {
                                        return model_of(node, *dump_options);
                                      }});
  if (!edited) {
    return std::unexpected(naming_flags(std::move(edited.error()), edits, arguments));
  }
  const Question after = asked_after(question, *edited);
  if (arguments.has("in-turn")) {
    add_asked_pods(question, question.input.cluster);
    add_asked_pods(after, edited->cluster);
  }
  if (after.pods.empty() && !after.several) {
    return bad_usage("the edits take the pod away that --pod asks about");
  }
  const Answer before = ask(
      arguments, kubescheduler::Snapshot(std::move(question.input.cluster), options.rules.requests), question, options);
  Answer result =
      ask(arguments, kubescheduler::Snapshot(std::move(edited->cluster), options.rules.requests), after, options);
  result.document = report::with_what_if(result.document, edited->effects, before.document);
  return result;
}

int run(const Arguments& arguments, Terminal& terminal) {
  Inputs inputs(arguments);
  if (arguments.has("message")) {
    return answer_message(arguments, inputs, terminal);
  }
  if (arguments.has("in-turn") && (arguments.has("verify") || arguments.has("workload"))) {
    return cannot_answer(bad_usage("--in-turn goes with --all-pending and with --pod only").error(), terminal);
  }
  const auto edits = read_edits(arguments, inputs);
  if (!edits) {
    return cannot_answer(edits.error(), terminal);
  }
  Result<Question> question = read_question(arguments, inputs);
  if (!question) {
    return cannot_answer(question.error(), terminal);
  }
  Result<kubescheduler::PredictOptions> options =
      predict_options(arguments, inputs, question->input.cluster, question->notes);
  report_notes(question->notes, arguments, terminal);
  if (!options) {
    return cannot_answer(options.error(), terminal);
  }
  dra::CelSelectors selectors(options->rules.dra);
  options->selectors = &selectors;
  if (!edits->empty()) {
    const Result<Answer> result = ask_what_if(arguments, inputs, std::move(*question), *edits, *options);
    return result ? answer(result->document, arguments, terminal, result->code)
                  : cannot_answer(result.error(), terminal);
  }
  if (arguments.has("in-turn")) {
    add_asked_pods(*question, question->input.cluster);
  }
  kubescheduler::Snapshot snapshot(std::move(question->input.cluster), options->rules.requests);
  if (arguments.has("verify")) {
    const explain::Verification verification = explain::verify(snapshot, question->pods, *options);
    return answer(report::verification_report(verification), arguments, terminal,
                  verification.differences.empty() ? kYes : kNo);
  }
  const Answer result = ask(arguments, std::move(snapshot), *question, *options);
  return answer(result.document, arguments, terminal, result.code);
}

}  // namespace

const CommandSpec kK8sCommand{
    .name = "k8s",
    .summary = "what kube-scheduler does with a pod of a kubectl dump, and why it is Pending",
    .description =
        "Reads what kubectl get prints and answers as kube-scheduler would: the node that it chooses and the devices "
        "that it allocates, or the message of the pod's PodScheduled condition, with the figures behind it for every "
        "node. Nothing is sent to a cluster.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
    .edits = kEditOptions,
};

}  // namespace gpusched::cli
