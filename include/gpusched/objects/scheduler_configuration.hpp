#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/affinity.hpp"

/// KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1 as of Kubernetes 1.37 (v1beta2 and v1beta3 carry the
/// same fields as far as they are read here), with kube-scheduler's defaults filled in. Source: k8s.io/kube-scheduler
/// v0.37.2, config/v1.
namespace gpusched::objects {

enum class ScoringStrategyType : std::uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

struct ResourceSpec {
  std::string name;         ///< "cpu", "nvidia.com/gpu"
  std::int64_t weight = 1;  ///< 1 to 100

  bool operator==(const ResourceSpec&) const = default;
};

struct UtilizationShapePoint {
  std::int32_t utilization = 0;  ///< percent, 0 to 100, strictly increasing along a shape
  std::int32_t score = 0;        ///< 0 to 10

  bool operator==(const UtilizationShapePoint&) const = default;
};

struct NodeResourcesFitArgs {
  ScoringStrategyType strategy = ScoringStrategyType::kLeastAllocated;
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};
  std::vector<UtilizationShapePoint> shape;          ///< not empty for kRequestedToCapacityRatio, else empty
  std::vector<std::string> ignored_resources;        ///< extended resources that the filter does not look at
  std::vector<std::string> ignored_resource_groups;  ///< likewise all of a domain: "example.com"

  bool operator==(const NodeResourcesFitArgs&) const = default;
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};  ///< names unique, every weight 1

  bool operator==(const NodeResourcesBalancedAllocationArgs&) const = default;
};

struct PodTopologySpreadArgs {
  /// For pods without constraints of their own; their selector is that of the pod's services and controller. None: the
  /// system's, which spread over hosts and zones and only score. An empty list: no defaults at all.
  std::optional<std::vector<TopologySpreadConstraint>> default_constraints;

  bool operator==(const PodTopologySpreadArgs&) const = default;
};

struct VolumeBindingArgs {
  std::vector<UtilizationShapePoint> shape = {{0, 10}, {100, 0}};  ///< of the storage of a class on a node

  bool operator==(const VolumeBindingArgs&) const = default;
};

struct DynamicResourcesArgs {
  std::int64_t filter_timeout_ms = 10'000;  ///< of one node's search for devices; 0: none

  bool operator==(const DynamicResourcesArgs&) const = default;
};

struct InterPodAffinityArgs {
  std::int32_t hard_pod_affinity_weight = 1;  ///< 0 to 100; of required affinity terms of existing pods, in scores
  /// Pods without preferred terms of their own get no scores from those of others.
  bool ignore_preferred_terms_of_existing_pods = false;

  bool operator==(const InterPodAffinityArgs&) const = default;
};

/// Where plugins hook in. kMultiPoint stands for every point that a plugin implements; a specific point wins over it.
enum class ExtensionPoint : std::uint8_t {
  kMultiPoint,
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
};

/// The field names of the extension points, by ExtensionPoint.
inline constexpr std::array<std::string_view, 16> kExtensionPointNames = {
    "multiPoint",     "preEnqueue",
    "queueSort",      "preFilter",
    "filter",         "postFilter",
    "preScore",       "score",
    "reserve",        "permit",
    "preBind",        "bind",
    "postBind",       "placementGenerate",
    "placementScore", "podGroupPostFilter",
};

struct EnabledPlugin {
  std::string name;
  std::optional<std::int32_t> weight;  ///< for scores; none: the default profile's, else 1

  bool operator==(const EnabledPlugin&) const = default;
};

/// What a profile changes at one extension point, as written: not yet merged with the default plugins.
struct PluginSet {
  std::vector<EnabledPlugin> enabled;
  std::vector<std::string> disabled;  ///< "*": every default plugin

  bool operator==(const PluginSet&) const = default;
};

struct SchedulerProfile {
  std::string scheduler_name = "default-scheduler";          ///< what pods name in spec.schedulerName
  std::optional<std::int32_t> percentage_of_nodes_to_score;  ///< wins over the configuration's; 0: adaptive
  std::array<PluginSet, kExtensionPointNames.size()> plugins;
  NodeResourcesFitArgs node_resources_fit;
  NodeResourcesBalancedAllocationArgs balanced_allocation;
  PodTopologySpreadArgs pod_topology_spread;
  InterPodAffinityArgs inter_pod_affinity;
  VolumeBindingArgs volume_binding;
  DynamicResourcesArgs dynamic_resources;
  NodeAffinity added_affinity;                 ///< NodeAffinityArgs: counts for every pod beside its own
  std::vector<std::string> other_plugin_args;  ///< plugins whose args are there but not read

  [[nodiscard]] const PluginSet& plugins_at(ExtensionPoint point) const {
    return plugins[static_cast<std::size_t>(point)];
  }

  bool operator==(const SchedulerProfile&) const = default;
};

/// An HTTP service that the scheduler asks; what it would answer is unknown.
struct SchedulerExtender {
  std::string url_prefix;
  std::vector<std::string> managed_resources;

  bool operator==(const SchedulerExtender&) const = default;
};

struct SchedulerConfiguration {
  std::optional<std::int32_t> percentage_of_nodes_to_score;  ///< none or 0: adaptive
  std::vector<SchedulerProfile> profiles;                    ///< at least one, names unique
  std::vector<SchedulerExtender> extenders;

  /// The profile of a pod's spec.schedulerName, or nullptr: another scheduler's pod.
  [[nodiscard]] const SchedulerProfile* find_profile(std::string_view scheduler_name) const {
    for (const SchedulerProfile& profile : profiles) {
      if (profile.scheduler_name == scheduler_name) {
        return &profile;
      }
    }
    return nullptr;
  }

  bool operator==(const SchedulerConfiguration&) const = default;
};

}  // namespace gpusched::objects
