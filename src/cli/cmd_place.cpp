#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/place_question.hpp"
#include "cli/scoring_options.hpp"
#include "cli/whatif_model.hpp"
#include "gpusched/report/placement.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 1> kFailures = {"consequences"};

constexpr std::array kPositionals = {
    PositionalSpec{"CLUSTER", "cluster file, folder, or - for standard input"},
    PositionalSpec{"PODS", "pod file, folder, or -; without it the pods of the cluster file", true},
};

constexpr std::array kOptions = {
    kPolicyOption,
    kViewOption,
    OptionSpec{.name = "order",
               .value = "ORDER",
               .help = "in which order the pods are placed",
               .choices = kOrders,
               .fallback = "given"},
    OptionSpec{.name = "gpu-weight",
               .value = "N",
               .help = "choose nodes by NodeResourcesFit's score over nvidia.com/gpu with this weight and cpu and "
                       "memory with weight 1: "
                       "MostAllocated for binpack, LeastAllocated for spread"},
    OptionSpec{.name = "resources", .value = "NAME=WEIGHT,...", .help = "the same score over these resources"},
    OptionSpec{
        .name = "scheduler-config", .value = "FILE", .help = "the scoring strategy of a KubeSchedulerConfiguration"},
    OptionSpec{.name = "profile", .value = "NAME", .help = "which profile (schedulerName) of the configuration"},
    OptionSpec{.name = "kubelet-pick",
               .value = "HOW",
               .help =
                   "with --view extended: which free GPUs of the node a pod gets, the lowest, or what NVIDIA's device "
                   "plugin prefers",
               .choices = placement::kKubeletPickNames},
    OptionSpec{.name = "topology-policy",
               .value = "POLICY",
               .help = "with --view extended: the Topology Manager policy of every kubelet; without it what "
                       "NodeResourceTopology objects say",
               .choices = placement::kTopologyPolicyNames},
    OptionSpec{.name = "requeue-evicted", .help = "place preempted pods again after the rest"},
    OptionSpec{.name = "fill",
               .value = "POD",
               .help = "then: how many more pods like this one fit, where, and what stops the next one"},
    OptionSpec{.name = "compare",
               .value = "WHAT=A,B,...",
               .help = "instead: place the pods with each policy, view or order and print one table; several: every "
                       "combination",
               .repeatable = true},
    OptionSpec{.name = "drainable",
               .help = "then: which nodes could go, where their pods would go, and a large set that can go together"},
    OptionSpec{.name = "defrag",
               .value = "POD",
               .help = "after the other pods: the fewest moves of running pods that make room for this one, or for all "
                       "pods POD-* of a job"},
    OptionSpec{.name = "max-moves",
               .value = "N",
               .help = "for --defrag: no plan with more moves",
               .fallback = "8",
               .needs = "defrag"},
    OptionSpec{.name = "max-steps",
               .value = "N",
               .help = "for --defrag: where the search for a better plan ends",
               .needs = "defrag"},
    OptionSpec{.name = "min-nodes",
               .value = "SHAPE,...",
               .help = "then: the fewest nodes to add so that the Pending pods fit, of these shapes: aws/p5.48xlarge, "
                       "like:NODE, or a file with a node",
               .repeatable = true},
    OptionSpec{.name = "prices",
               .value = "FILE",
               .help = "for --min-nodes: prices by shape (CSV, JSON or YAML); then the cheapest nodes",
               .repeatable = true,
               .needs = "min-nodes"},
    OptionSpec{.name = "fail-on", .value = "WHAT", .help = "exit 1 as well on", .choices = kFailures},
    OptionSpec{.name = "pending", .help = "place the Pending pods of the dump itself"},
    kNamespaceOption,
    kAllNamespacesOption,
    kSelectorOption,
    kNodesOption,
    kObjectsOption,
    kHardwareOption,
    kTopoOption,
    kDevicePluginOption,
    kGpuDriversOption,
    kGpuUsageOption,
    kPodsOption,
};

constexpr std::array kExamples = {
    Example{"bin-pack: the notebooks fill dgx-a, train-8 gets dgx-b",
            "gpusched place fixtures/cluster.json fixtures/pods.json"},
    Example{"what the default scheduler does: six notebooks make an 8-GPU job impossible",
            "gpusched place fixtures/cluster.json fixtures/pods.json --policy spread"},
    Example{"what it can see, and what goes wrong at run time",
            "gpusched place fixtures/cluster.json fixtures/pods.json --view extended"},
    Example{"a bin-packing profile for kube-scheduler",
            "gpusched place fixtures/cluster.json fixtures/pods.json --view extended --gpu-weight 10"},
    Example{"every policy on the same pods, in one table",
            "gpusched place fixtures/cluster.json fixtures/pods.json --compare policy=binpack,spread,topology"},
    Example{"the moves that make room for train-8 after everybody else",
            "gpusched place fixtures/cluster.json fixtures/pods.json --policy spread --defrag train-8"},
    Example{"nodes that could be taken away", "gpusched place fixtures/cluster.json fixtures/pods.json --drainable"},
    Example{"nodes to add until everything fits",
            "gpusched place fixtures/fragmented.json fixtures/pods.json --min-nodes like:dgx-a,aws/p5.48xlarge"},
    Example{"how many more notebooks fit", "gpusched place fixtures/cluster.json fixtures/pods.json --fill notebook-0"},
    Example{"what if a p5.48xlarge joined, and dgx-a were drained",
            "gpusched place fixtures/cluster.json fixtures/pods.json --add aws/p5.48xlarge=1 --drain dgx-a"},
};

template <std::size_t N>
std::size_t choice(const std::array<std::string_view, N>& choices, std::string_view value) {
  return static_cast<std::size_t>(std::ranges::find(choices, value) - choices.begin());
}

/// What is known of the kubelets, with what the options say of all of them.
std::shared_ptr<const placement::KubeletRules> kubelet_rules(const Arguments& arguments,
                                                             const std::vector<KubeletFacts>& nodes) {
  placement::KubeletRules rules;
  rules.nodes = nodes;
  if (arguments.has("kubelet-pick")) {
    rules.pick =
        static_cast<placement::KubeletPick>(choice(placement::kKubeletPickNames, arguments.get("kubelet-pick")));
  }
  if (arguments.has("topology-policy")) {
    rules.policy =
        static_cast<TopologyPolicy>(choice(placement::kTopologyPolicyNames, arguments.get("topology-policy")));
  }
  return std::make_shared<const placement::KubeletRules>(std::move(rules));
}

struct Asked {
  PlaceQuestion question;
  placement::Options options;
  std::vector<whatif::Alternative> alternatives;
};

/// The view gpu chooses GPUs itself: there is nothing left for a kubelet to choose.
Result<bool> check_kubelet_options(const Arguments& arguments, const Asked& asked) {
  const auto extended = [](const placement::Options& options) { return options.view == placement::View::kExtended; };
  for (const std::string_view option : {"kubelet-pick", "topology-policy"}) {
    if (arguments.has(option) && !extended(asked.options) &&
        std::ranges::none_of(asked.alternatives, extended, &whatif::Alternative::options)) {
      return bad_usage(fmt::format("--{} needs --view extended: the view gpu chooses GPUs itself", option));
    }
  }
  return true;
}

/// Places the pods, answers what is asked beside, and measures what is left.
Result<Answer> place(const Arguments& arguments, Inputs& inputs, io::Model& model, Asked asked) {
  asked.options.kubelet = kubelet_rules(arguments, model.kubelet);  // edits number the nodes anew
  for (whatif::Alternative& alternative : asked.alternatives) {
    alternative.options.kubelet = asked.options.kubelet;
  }
  const Result<std::vector<PodId>> later = asked_pods(asked.question, arguments, model);
  if (!later) {
    return std::unexpected(later.error());
  }
  std::vector<PodId> pods;
  std::ranges::copy_if(model.pods, std::back_inserter(pods),
                       [&](PodId pod) { return std::ranges::find(*later, pod) == later->end(); });
  report::PlacementParts parts;
  parts.disruption = {model.pod_facts, model.budgets};
  parts.cluster = cluster_for(arguments);
  parts.compare = whatif::compare(model.usage, pods, asked.alternatives, kSizes);
  const placement::PlacementResult result = placement::place_pods(model.usage, pods, asked.options);
  const Result<int> code = search(asked.question, arguments, inputs, model, *later, asked.options, parts);
  if (!code) {
    return std::unexpected(code.error());
  }
  const bool consequences = std::ranges::any_of(result.pods, [](const auto& pod) { return !pod.consequences.empty(); });
  const bool no = result.unplaced() > 0 || (arguments.get("fail-on") == "consequences" && consequences);
  const bool undecided = std::ranges::any_of(
      result.pods, [&](const auto& pod) { return pod.node.valid() && facts_of(model.pod_facts, pod.pod).has_claims; });
  const bool searched = asked.question != PlaceQuestion::kPlace && asked.question != PlaceQuestion::kFill;
  return Answer{report::placement_report(model.usage, asked.options, result, frag::fragmentation(model.usage, kSizes),
                                         parts, arguments.all("fail-on")),
                searched    ? *code
                : no        ? kNo
                : undecided ? kUndecided
                            : kYes};
}

int run(const Arguments& arguments, Terminal& terminal) {
  const Result<PlaceQuestion> question = place_question(arguments);
  if (!question) {
    return cannot_answer(question.error(), terminal);
  }
  Inputs inputs(arguments);
  const auto edits = read_edits(arguments, inputs);
  if (!edits) {
    return cannot_answer(edits.error(), terminal);
  }
  const bool about_nodes = *question == PlaceQuestion::kDrainable;
  Result<io::Model> model = inputs.model(about_nodes ? Inputs::Pods::kIfAny : Inputs::Pods::kWanted);
  if (!model) {
    return cannot_answer(model.error(), terminal);
  }
  report_notes(model->notes, arguments, terminal);
  Diagnostics warnings;
  const Result<placement::Options> options = placement_options(arguments, inputs, model->usage.shape(), warnings);
  const auto alternatives = compared_alternatives(arguments, inputs, model->usage.shape(), warnings);
  terminal.report(warnings);
  if (!options || !alternatives) {
    return cannot_answer(options ? alternatives.error() : options.error(), terminal);
  }
  const Asked asked{*question, *options, *alternatives};
  if (const Result<bool> good = check_kubelet_options(arguments, asked); !good) {
    return cannot_answer(good.error(), terminal);
  }
  const auto ask = [&](io::Model& cluster) { return place(arguments, inputs, cluster, asked); };
  const Result<Answer> result = ask_what_if(arguments, *edits, std::move(*model), *options, ask);
  return result ? answer(result->document, arguments, terminal, result->code) : cannot_answer(result.error(), terminal);
}

}  // namespace

const CommandSpec kPlaceCommand{
    .name = "place",
    .summary = "put pods on a cluster and see what fits, where, and what goes wrong",
    .description =
        "Places the pods one after another with a policy, prints for each its node and GPUs or why no node can take "
        "it, "
        "and measures the fragmentation that is left. A pod with a priority may evict lower ones of one node. Lines "
        "with "
        "an exclamation mark are what the count hides and the run time will show.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
    .edits = kEditOptions,
};

}  // namespace gpusched::cli
