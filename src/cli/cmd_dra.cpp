#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/dra_inputs.hpp"
#include "cli/inputs.hpp"
#include "cli/whatif_model.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/dra/claim_series.hpp"
#include "gpusched/dra/why_not.hpp"
#include "gpusched/report/allocation.hpp"
#include "gpusched/report/whatif.hpp"

namespace gpusched::cli {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kMostTimeoutSteps = 1'000'000'000'000;
constexpr std::int64_t kMostSeed = std::int64_t{1} << 62U;

constexpr std::array kPositionals = {
    PositionalSpec{"CLUSTER", "cluster file, kubectl dump with its nodes, folder, or - for standard input", true}};

constexpr std::array kOptions = {
    OptionSpec{.name = "cluster", .value = "FILE", .help = "the same as CLUSTER", .repeatable = true},
    OptionSpec{.name = "objects",
               .value = "FILE",
               .help = "ResourceClaims, DeviceClasses, ResourceSlices, DeviceTaintRules; nodes too",
               .repeatable = true},
    OptionSpec{.name = "node", .value = "NAME", .help = "look at this node only"},
    OptionSpec{.name = "together",
               .help = "the claims as one pod's, all or nothing, on --node: exactly one call of the real allocator"},
    OptionSpec{.name = "strict", .help = "a selector that fails on a device ends its claim, as in kube-scheduler"},
    OptionSpec{.name = "explain",
               .help = "tell for each kind of node what keeps its devices from a claim that gets none"},
    OptionSpec{.name = "select",
               .value = "EXPR",
               .help = "instead of allocating: which devices a CEL selector matches, at what cost"},
    OptionSpec{.name = "k8s-version",
               .value = "VERSION",
               .help = "the release whose feature gates count; the search is that of 1.37",
               .fallback = "1.37"},
    OptionSpec{.name = "features",
               .value = "NAME=BOOL,...",
               .help = "feature gates that differ from the defaults of the release",
               .repeatable = true},
    OptionSpec{.name = "max-steps",
               .value = "N",
               .help = "budget of a search, after which it is undecided (exit 3)",
               .fallback = "2000000"},
    OptionSpec{.name = "dra-timeout-steps",
               .value = "N",
               .help = "steps that kube-scheduler's filter timeout of 10 s is good for; 0: no timeout",
               .fallback = "4500000"},
    OptionSpec{.name = "seed", .value = "N", .help = "of the random share ids", .fallback = "0"},
    kNodesOption,
    kClusterPodsOption,
};

constexpr std::array kExamples = {
    Example{"claims one after another on a cluster model",
            "gpusched dra --cluster fixtures/cluster.json --objects fixtures/dra.json"},
    Example{"a prioritised list: two GPUs in one island, else two, else one",
            "gpusched dra --cluster fixtures/fragmented.json --objects fixtures/first-available.json"},
    Example{"a pool of devices that every node can reach",
            "gpusched dra --cluster fixtures/cluster.json --objects fixtures/all-nodes.json"},
    Example{"all claims as one pod's, and how long the real search takes",
            "gpusched dra --cluster fixtures/cluster.json --objects fixtures/dra.json --node dgx-a --together"},
    Example{"what if a node joined",
            "gpusched dra --cluster fixtures/cluster.json --objects fixtures/dra.json --add p4de.24xlarge=1"},
    Example{"which devices a selector matches",
            "gpusched dra --cluster fixtures/cluster.json --select "
            "'device.attributes[\"gpu.example.com\"].nvlinkIsland == 0'"},
};

Result<std::vector<dra::NodeFacts>> chosen_nodes(const Arguments& arguments, const DraCluster& cluster) {
  const std::string_view wanted = arguments.get("node");
  if (wanted.empty()) {
    if (arguments.has("together")) {
      return bad_usage("--together needs --node", "the real allocator is asked about one node at a time");
    }
    return cluster.nodes;
  }
  const auto found = std::ranges::find(cluster.nodes, wanted, &dra::NodeFacts::name);
  if (found != cluster.nodes.end()) {
    return std::vector{*found};
  }
  std::vector<std::string_view> names;
  std::ranges::transform(cluster.nodes, std::back_inserter(names), &dra::NodeFacts::name);
  const std::string nearest = suggest(wanted, names);
  return bad_usage(fmt::format("--node: there is no node \"{}\"", wanted),
                   nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
}

Result<dra::AllocateOptions> search_options(const Arguments& arguments) {
  dra::AllocateOptions options;
  const auto steps = arguments.whole_number("max-steps", 1, kMostSteps);
  const auto seed = arguments.whole_number("seed", 0, kMostSeed);
  const auto timeout = arguments.whole_number("dra-timeout-steps", 0, kMostTimeoutSteps);
  for (const auto* number : {&steps, &seed, &timeout}) {
    if (!*number) return std::unexpected(number->error());
  }
  options.timeout_steps = static_cast<std::uint64_t>(timeout->value_or(0));
  options.max_calls = static_cast<std::uint64_t>(steps->value_or(kMostSteps));
  options.seed = static_cast<std::uint64_t>(seed->value_or(0));
  return options;
}

int exit_code(bool undecided, bool no) {
  if (undecided) {
    return kUndecided;
  }
  return no ? kNo : kYes;
}

/// Whether the answer tells about nodes: tables do only when asked, documents always.
bool wants_details(const Arguments& arguments) {
  const std::string_view output = arguments.get("output");
  return arguments.has("explain") || arguments.has("report") || (output != "table" && output != "name");
}

/// An explanation takes far longer than an allocation, so a table that nobody asked for them has a few only.
constexpr report::WhyNotShown kBrief{.nodes = false, .refusals = 10};

report::WhyNotShown shown(const Arguments& arguments) {
  return wants_details(arguments) ? report::WhyNotShown{} : kBrief;
}

/// How many refusals are explained.
std::size_t explanations(const Arguments& arguments) {
  return arguments.get("output") == "name" && !wants_details(arguments) ? 0 : shown(arguments).refusals;
}

/// The document that `report` makes. A table beside a --report is as brief as without.
template <class Report>
report::Document with_brief(const Arguments& arguments, const Report& report) {
  report::Document document = report(shown(arguments));
  if (arguments.has("report") && !arguments.has("explain")) {
    document.brief = report(kBrief).json;
  }
  return document;
}

Answer allocate_together(const Arguments& arguments, const DraCluster& cluster, const dra::Features& features,
                         const dra::NodeFacts& node, const dra::AllocateOptions& options) {
  dra::CelSelectors selectors(features);
  dra::InUse held = cluster.held;
  std::vector<const objects::ResourceClaim*> claims;
  std::vector<dra::Holder> holders;
  for (const objects::ResourceClaim& claim : cluster.objects.claims) {
    if (claim.allocation) {
      held.add(*claim.allocation, features.consumable_capacity);
      holders.push_back({dra::name_of(claim), &*claim.allocation});
    } else {
      claims.push_back(&claim);
    }
  }
  dra::Allocator allocator({features, cluster.objects.slices, cluster.objects.classes, held, selectors});
  const dra::AllocationAnswer result = allocator.allocate(node, claims, options);
  std::optional<dra::WhyNot> why;
  if (result.outcome == dra::AllocationOutcome::kDoesNotFit || result.outcome == dra::AllocationOutcome::kNodeError) {
    why = dra::explain_refusal({features, cluster.objects.slices, cluster.objects.classes, std::span(&node, 1), held,
                                holders, selectors, options},
                               claims);
  }
  return {with_brief(arguments,
                     [&](report::WhyNotShown parts) {
                       return report::allocation_report(result, allocator.implementation(), claims, node,
                                                        why ? &*why : nullptr, parts);
                     }),
          exit_code(result.outcome == dra::AllocationOutcome::kUndecided,
                    result.outcome != dra::AllocationOutcome::kAllocated)};
}

/// `warnings` gets what there is to say about the claims.
Answer allocate_in_turn(const Arguments& arguments, DraCluster cluster, const dra::Features& features,
                        const std::vector<dra::NodeFacts>& nodes, dra::AllocateOptions options, Diagnostics& warnings) {
  for (objects::ResourceClaim& claim : cluster.objects.claims) {
    io::set_defaults(claim.devices);
  }
  options.count_steps = false;
  dra::CelSelectors selectors(features);
  const dra::ClaimSeries series =
      dra::allocate_in_series({features, cluster.objects.slices, cluster.objects.classes, nodes, cluster.objects.claims,
                               cluster.held, selectors, arguments.has("strict"), options, explanations(arguments)});
  warnings = series.warnings;
  const auto refused = [](const dra::ClaimOutcome& outcome) { return !outcome.allocation && !outcome.undecided; };
  const bool no = std::ranges::any_of(series.claims, refused);
  const bool undecided = std::ranges::any_of(series.claims, &dra::ClaimOutcome::undecided);
  return {with_brief(arguments,
                     [&](report::WhyNotShown parts) {
                       return report::claim_series_report(series, cluster.objects.claims, nodes, parts);
                     }),
          exit_code(undecided && !no, no)};
}

/// The answer for one cluster.
Result<Answer> ask(const Arguments& arguments, DraCluster cluster, const dra::Features& features,
                   const dra::AllocateOptions& options, Diagnostics& warnings) {
  const Result<std::vector<dra::NodeFacts>> nodes = chosen_nodes(arguments, cluster);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  if (arguments.has("select")) {
    const dra::DeviceAnswers answers = dra::ask_devices(arguments.get("select"), cluster.objects.slices, features);
    return Answer{report::selector_report(answers), answers.compile_error.empty() ? kYes : kNo};
  }
  if (arguments.has("together")) {
    return allocate_together(arguments, cluster, features, nodes->front(), options);
  }
  const bool no_claims = cluster.objects.claims.empty();
  Result<Answer> result = allocate_in_turn(arguments, std::move(cluster), features, *nodes, options, warnings);
  if (no_claims && warnings.empty()) {
    Diagnostic& warning = warnings.emplace_back();
    warning.severity = Severity::kWarning;
    warning.code = "no-claims";
    warning.message = "the input has no ResourceClaim: there is nothing to allocate";
    warning.hint =
        "--objects takes them; kubectl get resourceclaims,deviceclasses,resourceslices -A -o json writes them";
  }
  return result;
}

int run(const Arguments& arguments, Terminal& terminal) {
  const Result<dra::Features> features = dra_features(arguments);
  if (!features) {
    return cannot_answer(features.error(), terminal);
  }
  const Result<dra::AllocateOptions> options = search_options(arguments);
  if (!options) {
    return cannot_answer(options.error(), terminal);
  }
  Inputs inputs(arguments);
  const auto edits = read_edits(arguments, inputs);
  if (!edits) {
    return cannot_answer(edits.error(), terminal);
  }
  Result<DraQuestion> question = read_dra_question(arguments, *edits, *features);
  if (!question) {
    return cannot_answer(question.error(), terminal);
  }
  report_notes(question->cluster.notes, arguments, terminal);
  Diagnostics warnings;
  Result<Answer> result = ask(arguments, std::move(question->cluster), *features, *options, warnings);
  if (result && question->edited) {
    Result<Answer> after = ask(arguments, std::move(*question->edited), *features, *options, warnings);
    if (after) {
      after->document = report::with_what_if(after->document, question->effects, result->document);
    }
    result = std::move(after);
  }
  report_notes(warnings, arguments, terminal);
  return result ? answer(result->document, arguments, terminal, result->code) : cannot_answer(result.error(), terminal);
}

}  // namespace

const CommandSpec kDraCommand{
    .name = "dra",
    .summary = "allocate ResourceClaims as kube-scheduler's DRA allocator does",
    .description =
        "Claims are allocated one after another, each on the first node that has its devices; what pods of a cluster "
        "model hold is in use. With --together the claims are one pod's and the answer is the real allocator's, with "
        "the number of steps that its search takes.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
    .edits = kEditOptions,
};

}  // namespace gpusched::cli
