#include <algorithm>
#include <array>

#include "cli/answer.hpp"
#include "cli/asked_pods.hpp"
#include "cli/command.hpp"
#include "cli/k8s_options.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/report/pending.hpp"

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
    OptionSpec{.name = "namespace", .letter = 'n', .value = "NAMESPACE", .help = "where the pod is, or the pods are"},
    OptionSpec{
        .name = "nodes", .value = "FILE", .help = "a file with nodes beside or instead of CLUSTER", .repeatable = true},
    OptionSpec{.name = "pods", .value = "FILE", .help = "the same with pods", .repeatable = true},
    OptionSpec{.name = "objects",
               .value = "FILE",
               .help = "the same with claims, slices, classes, volumes and other objects",
               .repeatable = true},
    OptionSpec{.name = "k8s-version",
               .value = "1.N[.P]",
               .help = "whose scheduler answers (default: the newest kubelet of the input, else 1.37)",
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
    Example{"every Pending pod", "gpusched k8s dump.json --all-pending"},
};

int run(const Arguments& arguments, Terminal& terminal) {
  Inputs inputs(arguments);
  Result<Question> question = read_question(arguments, inputs);
  if (!question) {
    return cannot_answer(question.error(), terminal);
  }
  Result<kubescheduler::PredictOptions> options =
      predict_options(arguments, inputs, question->input.cluster.nodes, question->notes);
  report_notes(question->notes, arguments, terminal);
  if (!options) {
    return cannot_answer(options.error(), terminal);
  }
  dra::CelSelectors selectors(options->rules.dra);
  options->selectors = &selectors;
  const kubescheduler::Snapshot snapshot(std::move(question->input.cluster), options->rules.requests);
  std::vector<report::PendingAnswer> answers;
  for (const objects::Pod& pod : question->pods) {
    answers.push_back({&pod, kubescheduler::predict(snapshot, pod, *options)});
  }
  using kubescheduler::Verdict;
  const auto any = [&](auto&& is) {
    return std::ranges::any_of(answers, is, [](const auto& answer) { return answer.prediction.verdict; });
  };
  const bool no = any([](Verdict verdict) { return verdict != Verdict::kScheduled && verdict != Verdict::kUndecided; });
  const bool undecided = any([](Verdict verdict) { return verdict == Verdict::kUndecided; });
  const auto nodes =
      question->several && !arguments.has("all-nodes") ? report::NodeList::kGroups : report::NodeList::kNodes;
  const report::Document document = question->several
                                        ? report::pending_reports(snapshot, options->rules, answers, nodes)
                                        : report::pending_report(snapshot, options->rules, answers.front(), nodes);
  return answer(document, arguments, terminal, no ? kNo : undecided ? kUndecided : kYes);
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
};

}  // namespace gpusched::cli
