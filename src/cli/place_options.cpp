#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "cli/place_question.hpp"
#include "cli/scoring_options.hpp"
#include "gpusched/base/text.hpp"

// How `place` is to place: its options, and the alternatives that --compare names.
namespace gpusched::cli {

namespace {

/// What --compare can vary.
struct Axis {
  std::string_view option;
  std::span<const std::string_view> values;
};
constexpr std::array kAxes = {Axis{"policy", placement::kPolicyNames}, Axis{"view", placement::kViewNames},
                              Axis{"order", kOrders}};

struct Variation {
  std::string_view option;
  std::vector<std::string> values;
};

Result<Variation> variation(const std::string& word) {
  const std::size_t equals = word.find('=');
  const auto axis = std::ranges::find(kAxes, std::string_view(word).substr(0, equals), &Axis::option);
  if (equals == std::string::npos || equals + 1 == word.size() || axis == kAxes.end()) {
    return bad_usage(fmt::format("--compare takes policy=…, view=… or order=…, not {}", quote(word)),
                     "for example --compare policy=binpack,spread");
  }
  Arguments values;  // for the splitting
  values.set(axis->option, {word.substr(equals + 1)});
  Variation result{axis->option, values.list(axis->option)};
  for (const std::string& value : result.values) {
    if (std::ranges::find(axis->values, value) == axis->values.end()) {
      const std::string nearest = suggest(value, axis->values);
      return bad_usage(fmt::format("--compare {}: expected one of {}, found {}", axis->option, join(axis->values, ", "),
                                   quote(value)),
                       nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
    }
  }
  return result;
}

bool is_blind_topology(const Arguments& arguments) {
  return arguments.get("view") == "extended" && arguments.get("policy") == "topology";
}

}  // namespace

Result<placement::Options> placement_options(const Arguments& arguments, Inputs& inputs, const ClusterShape& shape,
                                             Diagnostics& warnings) {
  placement::Options options;
  options.view = chosen<placement::View>(placement::kViewNames, arguments.get("view"));
  options.policy = chosen<placement::Policy>(placement::kPolicyNames, arguments.get("policy"));
  options.order = chosen<placement::Order>(kOrders, arguments.get("order"));
  options.requeue_evicted = arguments.has("requeue-evicted");
  if (is_blind_topology(arguments)) {
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

Result<std::vector<whatif::Alternative>> compared_alternatives(const Arguments& arguments, Inputs& inputs,
                                                               const ClusterShape& shape, Diagnostics& warnings) {
  struct Combination {
    std::string name;
    Arguments arguments;
  };
  std::vector<Combination> combinations;
  for (const std::string& word : arguments.all("compare")) {
    const Result<Variation> varied = variation(word);
    if (!varied) {
      return std::unexpected(varied.error());
    }
    if (combinations.empty()) {
      combinations.push_back({"", arguments});
    }
    std::vector<Combination> more;
    for (const Combination& combination : combinations) {
      for (const std::string& value : varied->values) {
        Combination& next = more.emplace_back(combination);
        next.arguments.set(varied->option, {value});
        next.name += fmt::format("{}{}={}", next.name.empty() ? "" : " ", varied->option, value);
      }
    }
    combinations = std::move(more);
  }
  std::vector<whatif::Alternative> alternatives;
  for (const Combination& combination : combinations) {
    if (is_blind_topology(combination.arguments) && combinations.size() > 1) {
      Diagnostic& warning = warnings.emplace_back();
      warning.severity = Severity::kWarning;
      warning.code = "alternative-left-out";
      warning.message =
          fmt::format("--compare leaves {} out: the topology policy needs the view gpu", combination.name);
      continue;
    }
    const Result<placement::Options> options = placement_options(combination.arguments, inputs, shape, warnings);
    if (!options) {
      return std::unexpected(options.error());
    }
    alternatives.push_back({combination.name, *options});
  }
  return alternatives;
}

}  // namespace gpusched::cli
