#include "gpusched/io/scheduler_configuration.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpusched::io {
namespace {

using objects::ExtensionPoint;
using objects::ResourceSpec;
using objects::SchedulerConfiguration;
using objects::ScoringStrategyType;
using objects::UtilizationShapePoint;

struct Read {
  Result<SchedulerConfiguration> result;
  Diagnostics warnings;
};

Read read(std::string text) {
  const auto documents = parse_documents({.name = "scheduler.yaml", .bytes = std::move(text)});
  REQUIRE(documents);
  REQUIRE(documents->size() == 1);
  Read read;
  read.result = read_scheduler_configuration(documents->front(), read.warnings);
  return read;
}

/// The profile of NodeResourcesFit args, each line indented to its place.
std::string with_fit_args(const std::string& args) {
  return "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: " + args + "\n";
}

std::vector<std::string> codes(const Diagnostics& diagnostics) {
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : diagnostics) {
    codes.push_back(diagnostic.code);
  }
  return codes;
}

TEST_CASE("the lesson's gpu-binpack profile is read without apiVersion and kind") {
  const Read got = read(R"(profiles:
- schedulerName: gpu-binpack
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: nvidia.com/gpu
          weight: 10
        - name: cpu
          weight: 1
        - name: memory
          weight: 1
)");
  REQUIRE(got.result);
  CHECK(got.warnings.empty());
  REQUIRE(got.result->profiles.size() == 1);
  CHECK(got.result->find_profile("default-scheduler") == nullptr);
  const objects::SchedulerProfile* const profile = got.result->find_profile("gpu-binpack");
  REQUIRE(profile != nullptr);
  CHECK(profile->node_resources_fit.strategy == ScoringStrategyType::kMostAllocated);
  CHECK(profile->node_resources_fit.resources ==
        std::vector<ResourceSpec>{{"nvidia.com/gpu", 10}, {"cpu", 1}, {"memory", 1}});
  CHECK(profile->balanced_allocation == objects::NodeResourcesBalancedAllocationArgs{});
}

TEST_CASE("what is not written gets kube-scheduler's defaults") {
  const std::vector<ResourceSpec> cpu_and_memory = {{"cpu", 1}, {"memory", 1}};
  for (const std::string text :
       {"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", "profiles: []",
        "profiles: null", "profiles: [{pluginConfig: [{name: NodeResourcesFit}]}]",
        R"({"profiles":[{"pluginConfig":[{"name":"NodeResourcesFit","args":{}}]}]})",
        "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: null}}]}]"}) {
    INFO(text);
    const Read got = read(text);
    REQUIRE(got.result);
    CHECK(*got.result == SchedulerConfiguration{.percentage_of_nodes_to_score = {}, .profiles = {{}}, .extenders = {}});
    CHECK(got.result->profiles[0].scheduler_name == "default-scheduler");
    CHECK(got.result->profiles[0].node_resources_fit.strategy == ScoringStrategyType::kLeastAllocated);
    CHECK(got.result->profiles[0].node_resources_fit.resources == cpu_and_memory);
  }
  const Read type_only = read(with_fit_args("{scoringStrategy: {type: MostAllocated}}"));
  REQUIRE(type_only.result);
  CHECK(type_only.result->profiles[0].node_resources_fit.resources == cpu_and_memory);
  const Read zero_weight =
      read(with_fit_args("{scoringStrategy: {type: MostAllocated, resources: [{name: a, weight: 0}, {name: b}]}}"));
  REQUIRE(zero_weight.result);
  CHECK(zero_weight.result->profiles[0].node_resources_fit.resources == std::vector<ResourceSpec>{{"a", 1}, {"b", 1}});
}

TEST_CASE("a whole configuration is read") {
  const Read got = read(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
percentageOfNodesToScore: 30
profiles:
- schedulerName: ratio
  percentageOfNodesToScore: 100
  plugins:
    score:
      disabled: [{name: '*'}]
      enabled: [{name: NodeResourcesFit, weight: 5}, {name: ImageLocality}]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResources: [example.com/foo]
      ignoredResourceGroups: [example.org]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: nvidia.com/gpu, weight: 3}]
        requestedToCapacityRatio:
          shape: [{utilization: 0, score: 0}, {utilization: 40, score: 8}, {utilization: 100, score: 10}]
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: cpu}, {name: nvidia.com/gpu, weight: 1}]}
- schedulerName: other
)");
  REQUIRE(got.result);
  CHECK(got.warnings.empty());
  CHECK(got.result->percentage_of_nodes_to_score == 30);
  REQUIRE(got.result->profiles.size() == 2);
  const objects::SchedulerProfile& profile = got.result->profiles[0];
  CHECK(profile.percentage_of_nodes_to_score == 100);
  CHECK(profile.plugins_at(ExtensionPoint::kScore).disabled == std::vector<std::string>{"*"});
  CHECK(profile.plugins_at(ExtensionPoint::kScore).enabled ==
        std::vector<objects::EnabledPlugin>{{"NodeResourcesFit", 5}, {"ImageLocality", std::nullopt}});
  CHECK(profile.plugins_at(ExtensionPoint::kFilter) == objects::PluginSet{});
  CHECK(profile.node_resources_fit.strategy == ScoringStrategyType::kRequestedToCapacityRatio);
  CHECK(profile.node_resources_fit.resources == std::vector<ResourceSpec>{{"nvidia.com/gpu", 3}});
  CHECK(profile.node_resources_fit.shape == std::vector<UtilizationShapePoint>{{0, 0}, {40, 8}, {100, 10}});
  CHECK(profile.node_resources_fit.ignored_resources == std::vector<std::string>{"example.com/foo"});
  CHECK(profile.node_resources_fit.ignored_resource_groups == std::vector<std::string>{"example.org"});
  CHECK(profile.balanced_allocation.resources == std::vector<ResourceSpec>{{"cpu", 1}, {"nvidia.com/gpu", 1}});
  CHECK(got.result->profiles[1].scheduler_name == "other");
}

struct ErrorCase {
  std::string name, text;
  std::vector<std::string> codes;
  std::string pointer, hint;  // of the first error
};

TEST_CASE("configurations that kube-scheduler refuses are refused") {
  const std::string fit = "/profiles/0/pluginConfig/0/args";
  const std::string strategy = fit + "/scoringStrategy";
  const auto ratio = [](const std::string& shape) {
    return with_fit_args(
        "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: " + shape + "}}}");
  };
  const auto weight = [](const std::string& value) {
    return with_fit_args("{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: " + value + "}]}}");
  };
  const std::vector<ErrorCase> cases = {
      {"strategy-typo",
       with_fit_args("{scoringStrategy: {type: MostAlocated}}"),
       {"unknown-value"},
       strategy + "/type",
       "did you mean MostAllocated?"},
      {"strategy-without-type", with_fit_args("{scoringStrategy: {}}"), {"missing-key"}, strategy, ""},
      {"weight-too-big", weight("101"), {"out-of-range"}, strategy + "/resources/0/weight", ""},
      {"weight-negative", weight("-1"), {"out-of-range"}, strategy + "/resources/0/weight", ""},
      {"weight-quoted", weight("'1'"), {"wrong-type"}, strategy + "/resources/0/weight", "write 1 without quotes"},
      {"shape-missing",
       with_fit_args("{scoringStrategy: {type: RequestedToCapacityRatio}}"),
       {"missing-key"},
       strategy,
       "add requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}"},
      {"shape-empty", ratio("[]"), {"empty-shape"}, strategy + "/requestedToCapacityRatio/shape", ""},
      {"shape-null", ratio("null"), {"empty-shape"}, strategy + "/requestedToCapacityRatio/shape", ""},
      {"shape-not-increasing",
       ratio("[{utilization: 50, score: 1}, {utilization: 50, score: 2}]"),
       {"not-increasing"},
       strategy + "/requestedToCapacityRatio/shape/1/utilization",
       ""},
      {"shape-out-of-range",
       ratio("[{utilization: -1, score: 11}, {utilization: 101, score: -1}]"),
       {"out-of-range", "out-of-range", "out-of-range", "out-of-range"},
       strategy + "/requestedToCapacityRatio/shape/0/utilization",
       ""},
      {"shape-for-another-type",
       with_fit_args("{scoringStrategy: {type: MostAllocated, requestedToCapacityRatio: {}}}"),
       {"unexpected-key"},
       strategy + "/requestedToCapacityRatio",
       ""},
      {"unknown-arg",
       with_fit_args("{scoringStrategies: {}}"),
       {"unknown-key"},
       fit + "/scoringStrategies",
       "did you mean \"scoringStrategy\"?"},
      {"args-of-another-kind", with_fit_args("{kind: InterPodAffinityArgs}"), {"wrong-kind"}, fit + "/kind", ""},
      {"ignored-resource-malformed",
       with_fit_args("{ignoredResources: ['a b']}"),
       {"invalid-name"},
       fit + "/ignoredResources/0",
       ""},
      {"ignored-group-with-slash",
       with_fit_args("{ignoredResourceGroups: [example.com/foo]}"),
       {"invalid-name"},
       fit + "/ignoredResourceGroups/0",
       "name what stands before the slash, for example nvidia.com"},
      {"args-twice",
       "profiles: [{pluginConfig: [{name: NodeResourcesFit}, {name: NodeResourcesFit}]}]",
       {"duplicate-plugin-config"},
       "/profiles/0/pluginConfig/1/name",
       ""},
      {"balanced-weight",
       "profiles: [{pluginConfig: [{name: NodeResourcesBalancedAllocation, args: {resources: [{name: cpu, weight: "
       "2}]}}]}]",
       {"out-of-range"},
       fit + "/resources/0/weight",
       ""},
      {"balanced-twice",
       "profiles: [{pluginConfig: [{name: NodeResourcesBalancedAllocation, args: {resources: [{name: a}, {name: "
       "a}]}}]}]",
       {"duplicate-resource"},
       fit + "/resources",
       ""},
      {"profile-twice",
       "profiles: [{schedulerName: a}, {schedulerName: b}, {schedulerName: a}]",
       {"duplicate-profile"},
       "/profiles/2",
       ""},
      {"second-profile-without-name", "profiles: [{schedulerName: a}, {}]", {"missing-key"}, "/profiles/1", ""},
      {"empty-name", "profiles: [{schedulerName: ''}]", {"empty-name"}, "/profiles/0/schedulerName", ""},
      {"percentage", "percentageOfNodesToScore: 101", {"out-of-range"}, "/percentageOfNodesToScore", ""},
      {"extension-point-typo",
       "profiles: [{plugins: {scores: {}}}]",
       {"unknown-key"},
       "/profiles/0/plugins/scores",
       "did you mean \"score\"?"},
      {"removed-plugin",
       "profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]",
       {"removed-plugin"},
       "/profiles/0/plugins/filter/enabled/0",
       "NodeVolumeLimits does its work"},
      {"queue-sort-differs",
       "profiles: [{schedulerName: a, plugins: {queueSort: {enabled: [{name: PrioritySort}]}}}, {schedulerName: b}]",
       {"queue-sort"},
       "/profiles/1",
       ""},
      {"backoff", "podInitialBackoffSeconds: 20", {"out-of-range"}, "/podInitialBackoffSeconds", ""},
      {"extender-weight",
       "extenders: [{urlPrefix: u, prioritizeVerb: p}]",
       {"out-of-range"},
       "/extenders/0/weight",
       ""},
      {"two-binders",
       "extenders: [{urlPrefix: u, bindVerb: b}, {urlPrefix: v, bindVerb: b}]",
       {"several-binders"},
       "/extenders",
       ""},
      {"version",
       "apiVersion: kubescheduler.config.k8s.io/v2",
       {"unknown-value"},
       "/apiVersion",
       "did you mean kubescheduler.config.k8s.io/v1?"},
      {"kind", "kind: Pod\nspec: {}", {"wrong-kind"}, "/kind", ""},
      {"top-level-typo", "profile: []", {"unknown-key"}, "/profile", "did you mean \"profiles\"?"},
      {"a-list", "[1]", {"wrong-type"}, "", ""},
  };
  for (const ErrorCase& test : cases) {
    INFO(test.name);
    const Read got = read(test.text);
    REQUIRE_FALSE(got.result);
    CHECK(codes(got.result.error()) == test.codes);
    CHECK(got.result.error()[0].pointer == test.pointer);
    CHECK(got.result.error()[0].hint == test.hint);
    CHECK(got.result.error()[0].source == "scheduler.yaml");
  }
}

TEST_CASE("all errors of a configuration are reported with their lines") {
  const Read got = read(R"(percentageOfNodesToScore: -1
profiles:
- schedulerName: a
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: Most, resources: [{name: cpu, weight: 500}]}}
)");
  REQUIRE_FALSE(got.result);
  REQUIRE(got.result.error().size() == 3);
  CHECK(got.result.error()[0].line == 1);
  CHECK(got.result.error()[1].line == 6);
  CHECK(got.result.error()[1].object == "profile a");
  CHECK(got.result.error()[2].object == "resource cpu");
  CHECK(got.result.error()[2].message == "\"weight\": expected a whole number from 0 to 100, found 500");
}

TEST_CASE("what is not simulated is a warning") {
  const std::string beta = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {beta, "old-api-version"},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}}]", "unknown-plugin"},
      {"profiles: [{pluginConfig: [{name: Reservation}]}]", "unknown-plugin"},
      {"extenders: [{urlPrefix: http://127.0.0.1/x, filterVerb: filter}]", "extender-not-simulated"},
  };
  for (const auto& [text, code] : cases) {
    INFO(text);
    const Read got = read(text);
    REQUIRE(got.result);
    CHECK(codes(got.warnings) == std::vector<std::string>{code});
    CHECK(got.warnings[0].severity == Severity::kWarning);
  }
}

std::string with_args(const std::string& plugin, const std::string& args) {
  return "profiles: [{pluginConfig: [{name: " + plugin + ", args: " + args + "}]}]\n";
}

TEST_CASE("args of VolumeBinding and DynamicResources are read") {
  const Read volumes = read(with_args(
      "VolumeBinding", "{bindTimeoutSeconds: 5, shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}"));
  REQUIRE(volumes.result);
  CHECK(volumes.warnings.empty());
  CHECK(volumes.result->profiles[0].volume_binding.shape ==
        std::vector<objects::UtilizationShapePoint>{{0, 0}, {100, 10}});
  const Read devices = read(with_args("DynamicResources", "{filterTimeout: 1m30s, bindingTimeout: 20s}"));
  REQUIRE(devices.result);
  CHECK(devices.result->profiles[0].dynamic_resources.filter_timeout_ms == 90'000);
  CHECK(read(with_args("DynamicResources", "{}")).result->profiles[0].dynamic_resources.filter_timeout_ms == 10'000);
  for (const auto& [plugin, args, code] : std::vector<std::array<std::string, 3>>{
           {"VolumeBinding", "{bindTimeoutSeconds: -1}", "out-of-range"},
           {"VolumeBinding", "{shape: [{utilization: 50, score: 1}, {utilization: 50, score: 2}]}", "not-increasing"},
           {"VolumeBinding", "{shape: [{utilization: 50, score: 11}]}", "out-of-range"},
           {"DynamicResources", "{filterTimeout: -5s}", "wrong-duration"},
           {"DynamicResources", "{bindingTimeout: 10ms}", "out-of-range"}}) {
    INFO(plugin << " " << args);
    const Read got = read(with_args(plugin, args));
    REQUIRE_FALSE(got.result);
    CHECK(got.result.error()[0].code == code);
  }
}

TEST_CASE("args of PodTopologySpread and InterPodAffinity are read") {
  const Read spread = read(with_args("PodTopologySpread",
                                     "{defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: rack, "
                                     "whenUnsatisfiable: DoNotSchedule}]}"));
  REQUIRE(spread.result);
  const auto& listed = spread.result->profiles[0].pod_topology_spread.default_constraints;
  REQUIRE(listed);
  REQUIRE(listed->size() == 1);
  CHECK((*listed)[0].max_skew == 2);
  CHECK((*listed)[0].topology_key == "rack");
  const Read none = read(with_args("PodTopologySpread", "{defaultingType: List}"));
  REQUIRE(none.result);
  CHECK(none.result->profiles[0].pod_topology_spread.default_constraints.has_value());
  const Read system = read(with_args("PodTopologySpread", "{defaultingType: System}"));
  REQUIRE(system.result);
  CHECK(!system.result->profiles[0].pod_topology_spread.default_constraints);
  const Read affinity =
      read(with_args("InterPodAffinity", "{hardPodAffinityWeight: 7, ignorePreferredTermsOfExistingPods: true}"));
  REQUIRE(affinity.result);
  CHECK(affinity.result->profiles[0].inter_pod_affinity == objects::InterPodAffinityArgs{7, true});
}

TEST_CASE("args that kube-scheduler refuses are refused") {
  const auto constraints = [](const std::string& list) {
    return with_args("PodTopologySpread", "{defaultingType: List, defaultConstraints: [" + list + "]}");
  };
  const std::string good = "{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {constraints(good + ", " + good), "duplicate-constraint"},
      {constraints("{maxSkew: 0, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}"), "out-of-range"},
      {constraints("{maxSkew: 1, topologyKey: a b, whenUnsatisfiable: ScheduleAnyway}"), "invalid-name"},
      {constraints("{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: Never}"), "unknown-value"},
      {constraints("{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}"),
       "unexpected-key"},
      {with_args("PodTopologySpread", "{defaultConstraints: [" + good + "]}"), "unexpected-key"},
      {with_args("InterPodAffinity", "{hardPodAffinityWeight: 101}"), "out-of-range"},
      {with_args("DefaultPreemption", "{minCandidateNodesPercentage: 101}"), "out-of-range"},
      {with_args("DefaultPreemption", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}"),
       "out-of-range"},
  };
  for (const auto& [text, code] : cases) {
    INFO(text);
    const Read got = read(text);
    REQUIRE(!got.result);
    CHECK(codes(got.result.error()) == std::vector<std::string>{code});
  }
  CHECK(read(with_args("DefaultPreemption", "{minCandidateNodesPercentage: 0}")).result.has_value());
}

TEST_CASE("resources that an extender manages replace the ignored ones") {
  const Read got = read(with_fit_args("{ignoredResources: [example.com/foo]}") +
                        "extenders:\n- urlPrefix: u\n  managedResources:\n"
                        "  - {name: aliyun.com/gpu-mem, ignoredByScheduler: true}\n  - {name: aliyun.com/gpu-count}\n");
  REQUIRE(got.result);
  CHECK(got.result->profiles[0].node_resources_fit.ignored_resources == std::vector<std::string>{"aliyun.com/gpu-mem"});
  REQUIRE(got.result->extenders.size() == 1);
  CHECK(got.result->extenders[0].managed_resources ==
        std::vector<std::string>{"aliyun.com/gpu-mem", "aliyun.com/gpu-count"});
}

TEST_CASE("a ConfigMap is read through") {
  const std::string head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: scheduler}\ndata:\n  note: 'just text'\n";
  const std::string entry =
      "  config.yaml: |\n    kind: KubeSchedulerConfiguration\n    profiles: [{schedulerName: a}]\n";
  const Read got = read(head + entry);
  REQUIRE(got.result);
  CHECK(got.result->profiles[0].scheduler_name == "a");

  const Read none = read(head);
  REQUIRE_FALSE(none.result);
  CHECK(codes(none.result.error()) == std::vector<std::string>{"not-one-configuration"});

  const Read bad = read(head + "  config.yaml: |\n    kind: KubeSchedulerConfiguration\n    profile: []\n");
  REQUIRE_FALSE(bad.result);
  CHECK(bad.result.error()[0].source == "scheduler.yaml: data/config.yaml");
  CHECK(bad.result.error()[0].line == 2);
}

}  // namespace
}  // namespace gpusched::io
