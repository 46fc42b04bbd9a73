#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/scoring_options.hpp"
#include "cli/whatif_model.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/report/placement.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 3> kOrders = {"given", "priority", "largest-first"};
constexpr std::array<std::string_view, 1> kFailures = {"consequences"};
constexpr std::array<int, 4> kSizes = {1, 2, 4, 8};

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
    OptionSpec{.name = "fail-on", .value = "WHAT", .help = "exit 1 as well on", .choices = kFailures},
    OptionSpec{.name = "pending", .help = "place the Pending pods of the dump itself"},
    kNodesOption,
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
    Example{"how many more notebooks fit", "gpusched place fixtures/cluster.json fixtures/pods.json --fill notebook-0"},
    Example{"what if a p5.48xlarge joined, and dgx-a were drained",
            "gpusched place fixtures/cluster.json fixtures/pods.json --add aws/p5.48xlarge=1 --drain dgx-a"},
};

template <std::size_t N>
std::size_t choice(const std::array<std::string_view, N>& choices, std::string_view value) {
  return static_cast<std::size_t>(std::ranges::find(choices, value) - choices.begin());
}

/// What is known of the kubelets, with what the options say of all of them.
Result<std::shared_ptr<const placement::KubeletRules>> kubelet_rules(const Arguments& arguments, placement::View view,
                                                                     std::vector<KubeletFacts> nodes) {
  const std::string_view pick = arguments.get("kubelet-pick");
  const std::string_view policy = arguments.get("topology-policy");
  if (view != placement::View::kExtended && !(pick.empty() && policy.empty())) {
    return bad_usage(fmt::format("--{} needs --view extended: the view gpu chooses GPUs itself",
                                 pick.empty() ? "topology-policy" : "kubelet-pick"));
  }
  placement::KubeletRules rules;
  rules.nodes = std::move(nodes);
  if (!pick.empty()) {
    rules.pick = static_cast<placement::KubeletPick>(choice(placement::kKubeletPickNames, pick));
  }
  if (!policy.empty()) {
    rules.policy = static_cast<TopologyPolicy>(choice(placement::kTopologyPolicyNames, policy));
  }
  return std::make_shared<const placement::KubeletRules>(std::move(rules));
}

Result<placement::Options> placement_options(const Arguments& arguments, Inputs& inputs, const io::Model& model,
                                             Diagnostics& warnings) {
  const ClusterShape& shape = model.usage.shape();
  placement::Options options;
  options.view = static_cast<placement::View>(choice(placement::kViewNames, arguments.get("view")));
  options.policy = static_cast<placement::Policy>(choice(placement::kPolicyNames, arguments.get("policy")));
  options.order = static_cast<placement::Order>(choice(kOrders, arguments.get("order")));
  options.requeue_evicted = arguments.has("requeue-evicted");
  if (options.view == placement::View::kExtended && options.policy == placement::Policy::kTopology) {
    return bad_usage(
        "--policy topology has no extended view: through a count there is nothing to be topology-aware about",
        "use --view gpu, or --policy binpack or spread");
  }
  const auto strategy = scoring_strategy(arguments, inputs, options.policy, shape, warnings);
  if (!strategy) {
    return std::unexpected(strategy.error());
  }
  options.scoring = *strategy;
  return options;
}

Result<std::optional<report::FillAnswer>> fill(const Arguments& arguments, io::Model& model,
                                               const placement::Options& options) {
  const std::string_view wanted = arguments.get("fill");
  if (wanted.empty()) {
    return std::nullopt;
  }
  const ClusterShape& shape = model.usage.shape();
  const auto name_of = [&](PodId pod) { return shape.text(model.usage.pod_name(pod)); };
  const auto found = std::ranges::find(model.pods, wanted, name_of);
  if (found == model.pods.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(model.pods, std::back_inserter(names), name_of);
    const std::string nearest = suggest(wanted, names);
    return bad_usage(
        fmt::format("--fill: there is no pod {}", quote(wanted)),
        nearest.empty() ? "name one of the pods that are placed" : fmt::format("did you mean {}?", nearest));
  }
  const PodClassId pod_class = model.usage.pod_class_id(*found);
  Result<placement::FillResult> result = placement::fill(model.usage, pod_class, options);
  if (!result) {
    return std::unexpected(std::move(result.error()));
  }
  return report::FillAnswer{std::string(wanted), pod_class, std::move(*result)};
}

/// Places the pods and measures what is left.
Result<Answer> place(const Arguments& arguments, io::Model& model, placement::Options options) {
  auto kubelet = kubelet_rules(arguments, options.view, model.kubelet);
  if (!kubelet) {
    return std::unexpected(std::move(kubelet.error()));
  }
  options.kubelet = *std::move(kubelet);
  const placement::PlacementResult result = placement::place_pods(model.usage, model.pods, options);
  const auto filled = fill(arguments, model, options);
  if (!filled) {
    return std::unexpected(filled.error());
  }
  const bool consequences = std::ranges::any_of(result.pods, [](const auto& pod) { return !pod.consequences.empty(); });
  const bool no = result.unplaced() > 0 || (arguments.get("fail-on") == "consequences" && consequences);
  return Answer{report::placement_report(model.usage, options, result, frag::fragmentation(model.usage, kSizes),
                                         *filled, arguments.all("fail-on"),
                                         cluster_for(arguments, {render::Format::kHtml, render::Format::kWide})),
                no ? kNo : kYes};
}

int run(const Arguments& arguments, Terminal& terminal) {
  Inputs inputs(arguments);
  const auto edits = read_edits(arguments, inputs);
  if (!edits) {
    return cannot_answer(edits.error(), terminal);
  }
  Result<io::Model> model = inputs.model(Inputs::Pods::kWanted);
  if (!model) {
    return cannot_answer(model.error(), terminal);
  }
  report_notes(model->notes, arguments, terminal);
  Diagnostics warnings;
  const Result<placement::Options> options = placement_options(arguments, inputs, *model, warnings);
  terminal.report(warnings);
  if (!options) {
    return cannot_answer(options.error(), terminal);
  }
  const auto ask = [&](io::Model& asked) { return place(arguments, asked, *options); };
  const Result<Answer> result = ask_what_if(*edits, std::move(*model), *options, ask);
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
