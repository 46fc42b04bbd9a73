#include "cli/scoring_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/scheduler_configuration.hpp"

namespace gpusched::cli {

namespace {

using scoring::ScoringStrategy;
using scoring::StrategyType;

constexpr std::int64_t kMaxWeight = 100;  // kube-scheduler's own limit for a resource's weight

ScoringStrategy policy_strategy(placement::Policy policy) {
  ScoringStrategy strategy;
  strategy.type = policy == placement::Policy::kBinpack ? StrategyType::kMostAllocated : StrategyType::kLeastAllocated;
  return strategy;
}

/// "nvidia.com/gpu=10,cpu=1,memory=1"
Result<std::vector<scoring::WeightedResource>> weighted_resources(const Arguments& arguments, const ClusterShape& shape,
                                                                  Diagnostics& warnings) {
  std::vector<scoring::WeightedResource> resources;
  std::set<std::string, std::less<>> names;
  for (const std::string& word : arguments.list("resources")) {
    const std::size_t equals = word.rfind('=');
    const std::string name = word.substr(0, equals);
    const std::optional<std::int64_t> weight =
        equals == std::string::npos ? 1 : parse_whole_number(std::string_view(word).substr(equals + 1));
    if (name.empty() || !weight || *weight < 1 || *weight > kMaxWeight) {
      return bad_usage(
          fmt::format("--resources takes NAME=WEIGHT,... with weights from 1 to {}, not {}", kMaxWeight, quote(word)),
          "for example --resources nvidia.com/gpu=10,cpu=1,memory=1");
    }
    if (!names.insert(name).second) {
      return bad_usage(fmt::format("--resources names {} twice", quote(name)));
    }
    const ResourceId id = shape.find_resource(name);
    if (!id.valid()) {
      Diagnostic& warning = warnings.emplace_back();
      warning.severity = Severity::kWarning;
      warning.code = "unknown-resource";
      warning.message = fmt::format("no node and no pod has the resource {}: it does not score", quote(name));
    }
    resources.push_back({id, *weight});
  }
  return resources;
}

ScoringStrategy from_profile(const objects::SchedulerProfile& profile, const ClusterShape& shape) {
  const objects::NodeResourcesFitArgs& args = profile.node_resources_fit;
  ScoringStrategy strategy;
  strategy.type = static_cast<StrategyType>(args.strategy);
  strategy.resources.clear();
  for (const objects::ResourceSpec& resource : args.resources) {
    strategy.resources.push_back({shape.find_resource(resource.name), resource.weight});
  }
  for (const objects::UtilizationShapePoint& point : args.shape) {
    strategy.shape.push_back({point.utilization, point.score});
  }
  return strategy;
}

Result<std::optional<ScoringStrategy>> configured_strategy(const Arguments& arguments, Inputs& inputs,
                                                           const ClusterShape& shape, Diagnostics& warnings) {
  const Result<std::vector<io::Document>> documents = inputs.documents("scheduler-config");
  if (!documents) {
    return std::unexpected(documents.error());
  }
  if (documents->size() != 1) {
    return bad_usage(fmt::format("--scheduler-config takes one document, found {}", documents->size()));
  }
  const Result<objects::SchedulerConfiguration> configuration =
      io::read_scheduler_configuration(documents->front(), warnings);
  if (!configuration) {
    return std::unexpected(configuration.error());
  }
  std::string name(arguments.get("profile"));
  if (name.empty()) {
    name = configuration->profiles.size() == 1 ? configuration->profiles.front().scheduler_name : "default-scheduler";
  }
  if (const objects::SchedulerProfile* const profile = configuration->find_profile(name)) {
    return from_profile(*profile, shape);
  }
  std::vector<std::string_view> names;
  std::ranges::transform(configuration->profiles, std::back_inserter(names),
                         &objects::SchedulerProfile::scheduler_name);
  return bad_usage(fmt::format("the scheduler configuration has no profile {}", quote(name)),
                   fmt::format("--profile takes one of {}", join(names, ", ")));
}

}  // namespace

Result<std::optional<ScoringStrategy>> scoring_strategy(const Arguments& arguments, Inputs& inputs,
                                                        placement::Policy policy, const ClusterShape& shape,
                                                        Diagnostics& warnings) {
  const int given = (arguments.has("gpu-weight") ? 1 : 0) + (arguments.has("resources") ? 1 : 0) +
                    (arguments.has("scheduler-config") ? 1 : 0);
  if (given > 1) {
    return bad_usage("--gpu-weight, --resources and --scheduler-config exclude each other");
  }
  if (arguments.has("profile") && !arguments.has("scheduler-config")) {
    return bad_usage("--profile needs --scheduler-config");
  }
  if (given == 0) {
    return std::nullopt;
  }
  if (policy == placement::Policy::kTopology) {
    return bad_usage("a score cannot see NVLink islands: --policy topology takes no scoring options");
  }
  if (policy == placement::Policy::kFirstFit) {
    return bad_usage(
        "--policy first-fit takes the first node by name, whatever its score: leave the scoring options out");
  }
  if (arguments.has("scheduler-config")) {
    return configured_strategy(arguments, inputs, shape, warnings);
  }
  ScoringStrategy strategy = policy_strategy(policy);
  if (arguments.has("resources")) {
    Result<std::vector<scoring::WeightedResource>> resources = weighted_resources(arguments, shape, warnings);
    if (!resources) {
      return std::unexpected(resources.error());
    }
    strategy.resources = std::move(*resources);
    return strategy;
  }
  const Result<std::optional<std::int64_t>> weight = arguments.whole_number("gpu-weight", 0, kMaxWeight);
  if (!weight) {
    return std::unexpected(weight.error());
  }
  if (**weight > 0) {
    strategy.resources.insert(strategy.resources.begin(), {kNvidiaGpu, **weight});
  }
  return strategy;
}

}  // namespace gpusched::cli
