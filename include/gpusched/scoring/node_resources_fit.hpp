#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::scoring {

/// kube-scheduler's highest score of a node.
inline constexpr std::int64_t kMaxNodeScore = 100;

/// How NodeResourcesFit turns the utilisation of a resource into a score.
enum class StrategyType : std::uint8_t {
  kLeastAllocated,            ///< the emptier the better: kube-scheduler's default
  kMostAllocated,             ///< the fuller the better
  kRequestedToCapacityRatio,  ///< through the points of a shape
};

struct WeightedResource {
  ResourceId resource;      ///< invalid when the cluster has no such resource: it is left out
  std::int64_t weight = 1;  ///< 1 to 100

  bool operator==(const WeightedResource&) const = default;
};

/// A point of the piecewise linear function of RequestedToCapacityRatio.
struct ShapePoint {
  std::int32_t utilization = 0;  ///< percent, 0 to 100, strictly increasing along a shape
  std::int32_t score = 0;        ///< 0 to 10

  bool operator==(const ShapePoint&) const = default;
};

/// A shape at a utilisation in percent, stretched to 0..100: level before the first point and after the last.
[[nodiscard]] std::int64_t shape_score(std::span<const ShapePoint> shape, std::int64_t utilization);

/// NodeResourcesFit's scoringStrategy, valid as the reader of a KubeSchedulerConfiguration makes sure. The default is
/// kube-scheduler's: LeastAllocated over cpu and memory.
struct ScoringStrategy {
  StrategyType type = StrategyType::kLeastAllocated;
  std::vector<WeightedResource> resources = {{kCpu, 1}, {kMemory, 1}};
  std::vector<ShapePoint> shape;  ///< not empty for kRequestedToCapacityRatio, else unused

  bool operator==(const ScoringStrategy&) const = default;
};

/// One resource of a node in the eyes of a pod, in the unit of its ResourceId.
struct ResourceDemand {
  std::int64_t requested = 0;    ///< by the node's pods and the incoming pod together
  std::int64_t allocatable = 0;  ///< 0 or less: the resource is left out with its weight
  std::int64_t weight = 1;
};

/// The score, 0 to 100, that a strategy gives to plain numbers; `strategy.resources` is not looked at. Whole numbers
/// only, as kube-scheduler 1.37 computes it (plugin NodeResourcesFit):
/// - LeastAllocated: (allocatable − requested) · 100 / allocatable, 0 when over-committed; then the weighted mean,
///   rounded down twice.
/// - MostAllocated: requested · 100 / allocatable, 100 when over-committed; then the same mean.
/// - RequestedToCapacityRatio: the utilisation in whole percent through the shape; resources that score 0 do not
///   count in the weights; the mean is rounded to the nearest.
/// 0 when the weights add up to 0 or nothing is left to score.
[[nodiscard]] std::int64_t strategy_score(const ScoringStrategy& strategy, std::span<const ResourceDemand> demands);

/// NodeResourcesFit's score of a node for a pod that is not on it yet. For cpu and memory the non-zero requests count
/// (100m and 200Mi where a container names none). A scalar resource (everything but cpu, memory and ephemeral-storage)
/// that the pod does not ask for is left out with its weight, `pods` always. Allocates nothing.
[[nodiscard]] std::int64_t node_resources_fit_score(const ScoringStrategy& strategy, const ClusterUsage& usage,
                                                    NodeId node, const PodClass& pod);

}  // namespace gpusched::scoring
