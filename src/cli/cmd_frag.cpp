#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/mig_layout.hpp"
#include "cli/mix_option.hpp"
#include "cli/whatif_model.hpp"
#include "gpusched/frag/domains.hpp"
#include "gpusched/frag/thresholds.hpp"
#include "gpusched/placement/place.hpp"
#include "gpusched/report/fragmentation.hpp"

namespace gpusched::cli {

namespace {

// The first five by frag::GroupBy.
constexpr std::array<std::string_view, 7> kGroupings = {"model",  "pool",      "node", "numa",
                                                        "domain", "namespace", "owner"};
constexpr std::int64_t kMaxNumber = 1'000'000;

constexpr std::array kPositionals = {PositionalSpec{"CLUSTER", "cluster file, folder, or - for standard input"}};

constexpr std::array kOptions = {
    OptionSpec{.name = "sizes", .value = "N,...", .help = "job sizes, in GPUs per pod", .fallback = "1,2,4,8"},
    OptionSpec{.name = "gangs",
               .value = "PODSxGPUS,...",
               .help = "count jobs of several pods as well: 4x8 is four pods of eight GPUs"},
    OptionSpec{
        .name = "by",
        .value = "GROUP",
        .help = "the same figures for each model, pool, node, NUMA node or NVLink domain; or who holds what since when",
        .choices = kGroupings},
    OptionSpec{.name = "baseline",
               .value = "FILE",
               .help = "an older cluster file or dump: what changed since, and who took the GPUs",
               .repeatable = true},
    kNamespaceOption,
    kAllNamespacesOption,
    kSelectorOption,
    OptionSpec{.name = "repartition-for",
               .value = "MIX",
               .help = "the MIG layouts that serve these instances best, with the busy ones in place: "
                       "1g.10gb=6,3g.40gb=2 or a pod file",
               .repeatable = true},
    OptionSpec{.name = "drainable",
               .help = "with --repartition-for: GPUs count as well whose pods can move to other nodes first"},
    OptionSpec{.name = "max-stranded",
               .value = "SIZE=PERCENT%",
               .help = "exit 1 when more of the free GPUs are stranded for this size",
               .repeatable = true},
    OptionSpec{
        .name = "min-fit", .value = "SIZE=PODS", .help = "exit 1 when fewer pods of this size fit", .repeatable = true},
    kMigLayoutOption,
    kMigPartedOption,
    kNodesOption,
    kClusterPodsOption,
    kObjectsOption,
    kHardwareOption,
    kTopoOption,
    kDevicePluginOption,
    kGpuDriversOption,
    kGpuUsageOption,
};

constexpr std::array kExamples = {
    Example{"free GPUs, and the jobs that can use them", "gpusched frag fixtures/fragmented.json"},
    Example{"who blocks the largest block, and the usable share per size",
            "gpusched frag fixtures/fragmented.json -o wide"},
    Example{"per GPU model", "gpusched frag fixtures/fragmented.json --by model"},
    Example{"jobs of two pods with two GPUs each", "gpusched frag fixtures/fragmented.json --gangs 2x2"},
    Example{"MIG layouts for six small instances and a large one",
            "gpusched frag fixtures/fragmented.json --repartition-for 1g.10gb=6,3g.40gb=1"},
    Example{"the same where pods may move to other nodes first",
            "gpusched frag fixtures/movable.yaml --repartition-for 3g.40gb=3 --drainable"},
    Example{"for CI: two pairs must fit, at most half may be stranded",
            "gpusched frag fixtures/fragmented.json --min-fit 2=2 --max-stranded 4=50%"},
    Example{"can an A100 be cut like that, and in which order",
            "gpusched frag --mig-layout A100-SXM4-80GB=3g.40gb,4g.40gb"},
    Example{"what if dgx-a were drained", "gpusched frag fixtures/fragmented.json --drain dgx-a"},
};

Result<int> size_of(std::string_view text, std::string_view option, std::string_view word) {
  const std::optional<std::int64_t> number = parse_whole_number(text);
  if (!number || *number < 1 || *number > kMaxNumber) {
    return bad_usage(fmt::format("--{}: expected whole numbers from 1 to {}, found \"{}\"", option, kMaxNumber, word));
  }
  return static_cast<int>(*number);
}

Result<std::vector<int>> sizes(const Arguments& arguments) {
  std::vector<int> sizes;
  for (const std::string& word : arguments.list("sizes")) {
    const Result<int> size = size_of(word, "sizes", word);
    if (!size) {
      return std::unexpected(size.error());
    }
    if (std::ranges::find(sizes, *size) == sizes.end()) {
      sizes.push_back(*size);
    }
  }
  return sizes;
}

Result<std::vector<frag::Gang>> gangs(const Arguments& arguments) {
  std::vector<frag::Gang> gangs;
  for (const std::string& word : arguments.list("gangs")) {
    const std::size_t x = word.find('x');
    const Result<int> pods = size_of(std::string_view(word).substr(0, x), "gangs", word);
    const Result<int> gpus = size_of(x == std::string::npos ? "" : std::string_view(word).substr(x + 1), "gangs", word);
    if (!pods || !gpus) {
      return bad_usage(fmt::format("--gangs takes PODSxGPUS, for example 4x8, not \"{}\"", word));
    }
    gangs.push_back({*pods, *gpus});
  }
  return gangs;
}

/// The namespace or the controller of each pod; a pod without a controller stands for itself.
std::vector<frag::PodOwner> owners(const io::Model& model, bool by_owner) {
  std::vector<frag::PodOwner> owners;
  for (const PodFacts& facts : model.pod_facts) {
    owners.push_back({by_owner ? facts.owner : facts.name_space, facts.since, facts.asked});
  }
  return owners;
}

/// Adds the sizes of the thresholds to those that are measured.
Result<std::vector<frag::Threshold>> thresholds(const Arguments& arguments, std::vector<int>& sizes) {
  std::vector<frag::Threshold> thresholds;
  for (const frag::ThresholdKind kind : {frag::ThresholdKind::kMaxStranded, frag::ThresholdKind::kMinFit}) {
    const bool percent = kind == frag::ThresholdKind::kMaxStranded;
    const std::string_view option = percent ? "max-stranded" : "min-fit";
    for (const std::string& word : arguments.list(option)) {
      const std::size_t equals = word.find('=');
      std::string_view limit = equals == std::string::npos ? "" : std::string_view(word).substr(equals + 1);
      if (percent && limit.ends_with('%')) {
        limit.remove_suffix(1);
      }
      const std::optional<std::int64_t> number = parse_whole_number(limit);
      const Result<int> size = size_of(std::string_view(word).substr(0, equals), option, word);
      if (!size || !number || *number < 0 || *number > (percent ? 100 : kMaxNumber)) {
        return bad_usage(fmt::format("--{} takes {}, not \"{}\"", option,
                                     percent ? "SIZE=PERCENT%, for example 8=50%" : "SIZE=PODS, for example 8=2",
                                     word));
      }
      thresholds.push_back({kind, *size, *number});
      if (std::ranges::find(sizes, *size) == sizes.end()) {
        sizes.push_back(*size);
      }
    }
  }
  return thresholds;
}

struct Wanted {
  std::vector<int> sizes;
  std::vector<frag::Gang> gangs;
  std::vector<frag::Threshold> limits;
  std::vector<whatif::MixEntry> mix;
};

int exit_code(const report::FragmentationParts& parts) {
  if (!std::ranges::all_of(parts.thresholds, &std::string::empty, &frag::ThresholdAnswer::violation)) {
    return kNo;
  }
  if (parts.repartition && !parts.repartition->all_served()) {
    return parts.repartition->optimal ? kNo : kUndecided;
  }
  return kYes;
}

/// Measures the cluster; pods that edits left without a place get one by bin-pack, if there is one.
Result<Answer> measure(const Arguments& arguments, const Wanted& wanted, const io::Model* baseline, io::Model& model) {
  if (!model.pods.empty()) {
    static_cast<void>(placement::place_pods(model.usage, model.pods, {}));
  }
  const frag::Fragmentation fragmentation = frag::fragmentation(model.usage, wanted.sizes, wanted.gangs);
  report::FragmentationParts parts;
  parts.group_by = arguments.get("by");
  if (baseline != nullptr) {
    parts.changes = frag::changes(baseline->usage, model.usage, wanted.sizes, wanted.gangs);
  }
  if (parts.group_by == "namespace" || parts.group_by == "owner") {
    parts.holders = frag::holders_by(model.usage, owners(model, parts.group_by == "owner"));
  } else if (!parts.group_by.empty()) {
    const auto by = static_cast<frag::GroupBy>(std::ranges::find(kGroupings, parts.group_by) - kGroupings.begin());
    parts.groups = frag::fragmentation_by(model.usage, wanted.sizes, by, wanted.gangs, model.nvlink_domains);
  }
  if (!model.nvlink_domains.empty()) {
    parts.domain_gangs = frag::gangs_within_domains(model.usage, wanted.gangs, model.nvlink_domains);
  }
  parts.thresholds = frag::judge_thresholds(fragmentation.exclusive, wanted.limits);
  parts.cluster = cluster_for(arguments);
  if (!wanted.mix.empty()) {
    parts.disruption = {model.pod_facts, model.budgets};
    Result<whatif::RepartitionAnswer> layouts =
        arguments.has("drainable") ? whatif::repartition_with_moves(model.usage, wanted.mix, parts.disruption, {})
                                   : whatif::repartition_for(model.usage, wanted.mix);
    if (!layouts) {
      return std::unexpected(std::move(layouts.error()));
    }
    parts.repartition = std::move(*layouts);
  }
  return Answer{report::fragmentation_report(model.usage, fragmentation, parts), exit_code(parts)};
}

int run(const Arguments& arguments, Terminal& terminal) {
  Result<std::vector<int>> wanted = sizes(arguments);
  const Result<std::vector<frag::Gang>> wanted_gangs = gangs(arguments);
  if (!wanted || !wanted_gangs) {
    return cannot_answer(wanted ? wanted_gangs.error() : wanted.error(), terminal);
  }
  const Result<std::vector<frag::Threshold>> limits = thresholds(arguments, *wanted);
  if (!limits) {
    return cannot_answer(limits.error(), terminal);
  }
  if (arguments.has("drainable") && !arguments.has("repartition-for")) {
    return cannot_answer(
        bad_usage("--drainable goes with --repartition-for", "see gpusched place --drainable for nodes").error(),
        terminal);
  }
  const bool by_pods = arguments.get("by") == "namespace" || arguments.get("by") == "owner";
  if (asks_some_pods(arguments) && !by_pods) {
    return cannot_answer(bad_usage("-n and -l choose whose GPUs --by namespace and --by owner list",
                                   "the figures are about all that is free, whoever holds the rest")
                             .error(),
                         terminal);
  }
  Inputs inputs(arguments);
  if (arguments.has("mig-layout")) {
    return answer_mig_layouts(arguments, inputs, terminal);
  }
  const auto edits = read_edits(arguments, inputs);
  if (!edits) {
    return cannot_answer(edits.error(), terminal);
  }
  Result<std::vector<whatif::MixEntry>> mix = wanted_mix(arguments, inputs);
  if (!mix) {
    return cannot_answer(mix.error(), terminal);
  }
  Result<io::Model> model = inputs.model(Inputs::Pods::kNone);
  if (!model) {
    return cannot_answer(model.error(), terminal);
  }
  report_notes(model->notes, arguments, terminal);
  const Wanted all{*wanted, *wanted_gangs, *limits, std::move(*mix)};
  std::optional<io::Model> baseline;
  if (arguments.has("baseline")) {
    Result<io::Model> older = inputs.baseline();
    if (!older) {
      return cannot_answer(older.error(), terminal);
    }
    baseline = std::move(*older);
  }
  const auto ask = [&](io::Model& asked) { return measure(arguments, all, baseline ? &*baseline : nullptr, asked); };
  const Result<Answer> result = ask_what_if(arguments, *edits, std::move(*model), {}, ask);
  return result ? answer(result->document, arguments, terminal, result->code) : cannot_answer(result.error(), terminal);
}

}  // namespace

const CommandSpec kFragCommand{
    .name = "frag",
    .summary = "measure fragmentation: free GPUs that no job of your size can use",
    .description =
        "For every job size: how many pods fit by count, how many fit inside one NVLink island, and how many free GPUs "
        "are "
        "left that no pod of that size can use. Exclusive GPUs are measured; time-sliced capacity and MIG instances "
        "have "
        "lines of their own.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
    .edits = kEditOptions,
};

}  // namespace gpusched::cli
