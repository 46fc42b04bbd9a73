#include "gpusched/scoring/node_resources_fit.hpp"

#include <cmath>

#include "scoring/demand.hpp"

namespace gpusched::scoring {

namespace {

/// Highest score of a ShapePoint; a shape is stretched from it to kMaxNodeScore.
constexpr std::int64_t kMaxShapeScore = 10;
constexpr std::int64_t kFullUtilization = 100;

// Amounts near 2^63 wrap around in kube-scheduler; the same here keeps the answers equal and defined.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t percent(std::int64_t part, std::int64_t allocatable) {
  return wrapping_multiply(part, kMaxNodeScore) / allocatable;
}

std::int64_t resource_score(const ScoringStrategy& strategy, std::int64_t requested, std::int64_t allocatable) {
  const bool over_committed = requested > allocatable;
  switch (strategy.type) {
    case StrategyType::kLeastAllocated:
      return over_committed ? 0 : percent(allocatable - requested, allocatable);
    case StrategyType::kMostAllocated:
      return percent(over_committed ? allocatable : requested, allocatable);
    case StrategyType::kRequestedToCapacityRatio:
      return shape_score(strategy.shape, over_committed ? kFullUtilization : percent(requested, allocatable));
  }
  return 0;
}

/// The weighted mean over the resources that count.
class Mean {
 public:
  explicit Mean(const ScoringStrategy& strategy) : strategy_(strategy) {}

  void add(std::int64_t requested, std::int64_t allocatable, std::int64_t weight) {
    const std::int64_t score = resource_score(strategy_, requested, allocatable);
    if (strategy_.type == StrategyType::kRequestedToCapacityRatio && score <= 0) {
      return;
    }
    sum_ = wrapping_add(sum_, wrapping_multiply(score, weight));
    weights_ += weight;
  }

  [[nodiscard]] std::int64_t score() const {
    if (weights_ == 0) {
      return 0;
    }
    if (strategy_.type == StrategyType::kRequestedToCapacityRatio) {
      return static_cast<std::int64_t>(std::round(static_cast<double>(sum_) / static_cast<double>(weights_)));
    }
    return sum_ / weights_;
  }

 private:
  const ScoringStrategy& strategy_;
  std::int64_t sum_ = 0;
  std::int64_t weights_ = 0;
};

std::int64_t requested_with(const ClusterUsage& usage, NodeId node, const PodClass& pod, ResourceId resource,
                            std::int64_t request) {
  if (resource == kCpu) {
    return wrapping_add(usage.non_zero_cpu(node), pod.non_zero_cpu);
  }
  if (resource == kMemory) {
    return wrapping_add(usage.non_zero_memory(node), pod.non_zero_memory);
  }
  return wrapping_add(usage.used(node, resource), request);
}

}  // namespace

std::int64_t shape_score(std::span<const ShapePoint> shape, std::int64_t utilization) {
  constexpr std::int64_t kStretch = kMaxNodeScore / kMaxShapeScore;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) {
      continue;
    }
    const std::int64_t right = shape[i].score * kStretch;
    if (i == 0) {
      return right;
    }
    const std::int64_t left = shape[i - 1].score * kStretch;
    const std::int64_t width = shape[i].utilization - shape[i - 1].utilization;
    return left + (right - left) * (utilization - shape[i - 1].utilization) / width;
  }
  return shape.empty() ? 0 : shape.back().score * kStretch;
}

std::int64_t strategy_score(const ScoringStrategy& strategy, std::span<const ResourceDemand> demands) {
  Mean mean(strategy);
  for (const ResourceDemand& demand : demands) {
    if (demand.allocatable > 0) {
      mean.add(demand.requested, demand.allocatable, demand.weight);
    }
  }
  return mean.score();
}

std::int64_t node_resources_fit_score(const ScoringStrategy& strategy, const ClusterUsage& usage, NodeId node,
                                      const PodClass& pod) {
  const NodeClass& node_class = usage.node_class(node);
  Mean mean(strategy);
  for (const auto& [resource, weight] : strategy.resources) {
    const std::int64_t allocatable = scored_allocatable(node_class, resource);
    if (allocatable == 0) {
      continue;
    }
    const std::int64_t request = request_of(pod, resource);
    if (request == 0 && is_scalar(resource)) {
      continue;
    }
    mean.add(requested_with(usage, node, pod, resource, request), allocatable, weight);
  }
  return mean.score();
}

}  // namespace gpusched::scoring
