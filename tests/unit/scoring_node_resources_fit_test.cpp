#include "gpusched/scoring/node_resources_fit.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/model/shape_builder.hpp"

namespace gpusched::scoring {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct NumbersCase {
  std::string name;
  std::vector<ResourceDemand> demands;  // requested, allocatable, weight
  std::int64_t score;
};

void check(StrategyType type, const std::vector<ShapePoint>& shape, const std::vector<NumbersCase>& cases) {
  ScoringStrategy strategy;
  strategy.type = type;
  strategy.shape = shape;
  for (const NumbersCase& test : cases) {
    INFO(test.name);
    CHECK(strategy_score(strategy, test.demands) == test.score);
  }
}

// The expected numbers are those of kube-scheduler 1.37.2 for the same input.

TEST_CASE("LeastAllocated prefers what is free") {
  check(StrategyType::kLeastAllocated, {},
        {
            {"nothing-requested", {{0, 4000, 1}, {0, 10000, 1}}, 100},
            {"half-and-half", {{2000, 4000, 1}, {5000, 10000, 1}}, 50},
            {"each-resource-rounds-down", {{1, 3, 1}}, 66},
            {"mean-rounds-down", {{1, 3, 1}, {2, 3, 1}}, 49},
            {"over-committed-is-zero", {{9000, 4000, 1}, {0, 10000, 1}}, 50},
            {"exactly-full", {{4000, 4000, 1}}, 0},
            {"weights", {{0, 8, 10}, {8, 8, 1}}, 90},
            {"zero-weight-does-not-count", {{8, 8, 0}, {2, 8, 1}}, 75},
            {"only-zero-weights", {{0, 8, 0}, {0, 8, 0}}, 0},
            {"no-allocatable-is-left-out-with-its-weight", {{0, 0, 50}, {2, 8, 1}}, 75},
            {"not-modelled-is-left-out-with-its-weight", {{0, kNotModelled, 50}, {2, 8, 1}}, 75},
            {"nothing-to-score", {}, 0},
            {"amounts-near-the-limit-wrap-as-in-go", {{0, kMax, 1}}, 0},
        });
}

TEST_CASE("MostAllocated prefers what is full") {
  check(StrategyType::kMostAllocated, {},
        {
            {"nothing-requested", {{0, 4000, 1}, {0, 10000, 1}}, 0},
            {"half-and-half", {{2000, 4000, 1}, {5000, 10000, 1}}, 50},
            {"each-resource-rounds-down", {{2, 3, 1}}, 66},
            {"mean-rounds-down", {{1, 3, 1}, {2, 3, 1}}, 49},
            {"over-committed-counts-as-full", {{9000, 4000, 1}, {0, 10000, 1}}, 50},
            {"weights", {{8, 8, 10}, {0, 8, 1}}, 90},
            {"only-zero-weights", {{8, 8, 0}}, 0},
            {"no-allocatable-is-left-out-with-its-weight", {{0, 0, 50}, {6, 8, 1}}, 75},
            {"nothing-to-score", {}, 0},
        });
}

TEST_CASE("RequestedToCapacityRatio follows a rising shape") {
  check(StrategyType::kRequestedToCapacityRatio, {{0, 0}, {40, 8}, {100, 10}},
        {
            {"on-the-first-line", {{20, 100, 1}}, 40},
            {"on-a-point", {{40, 100, 1}}, 80},
            {"on-the-second-line", {{70, 100, 1}}, 90},
            {"utilization-in-whole-percent", {{707, 1000, 1}}, 90},
            {"full", {{100, 100, 1}}, 100},
            {"over-committed-counts-as-full", {{300, 100, 1}}, 100},
            {"score-zero-does-not-count-in-the-weights", {{0, 100, 10}, {100, 100, 1}}, 100},
            {"all-score-zero", {{0, 100, 10}, {0, 100, 1}}, 0},
            {"mean-rounds-to-nearest", {{20, 100, 1}, {70, 100, 2}}, 73},
            {"half-rounds-up", {{20, 100, 1}, {43, 100, 1}}, 61},
            {"no-allocatable-is-left-out", {{0, 0, 50}, {20, 100, 1}}, 40},
            {"only-zero-weights", {{20, 100, 0}}, 0},
        });
}

TEST_CASE("RequestedToCapacityRatio follows a falling shape") {
  check(StrategyType::kRequestedToCapacityRatio, {{0, 10}, {3, 0}},
        {
            {"first-point", {{0, 100, 1}}, 100},
            {"falling-line-rounds-toward-its-left-point", {{1, 100, 1}}, 67},
            {"two-thirds-down", {{2, 100, 1}}, 34},
            {"behind-the-last-point", {{50, 100, 1}}, 0},
        });
}

TEST_CASE("a shape is level outside its points") {
  check(StrategyType::kRequestedToCapacityRatio, {{20, 3}, {60, 7}},
        {
            {"before-the-first", {{0, 100, 1}}, 30},
            {"between", {{50, 100, 1}}, 60},
            {"after-the-last", {{80, 100, 1}}, 70},
        });
  check(StrategyType::kRequestedToCapacityRatio, {{50, 4}}, {{"a-single-point", {{90, 100, 1}}, 40}});
  check(StrategyType::kRequestedToCapacityRatio, {}, {{"no-point-at-all", {{90, 100, 1}}, 0}});
}

// Two equal nodes of 8 GPUs, 128 cores and 1 TiB; a notebook (1 GPU, 4 cores, 32 GiB) runs on the first.
struct Fixture {
  Fixture() {
    ShapeBuilder builder;
    NodeClass dgx;
    dgx.allocatable = {128'000, 1024 * kGi, 100 * kGi, 110, 8};
    const NodeClassId dgx_class = builder.node_class(dgx);
    busy = builder.node("dgx-a", dgx_class);
    idle = builder.node("dgx-b", dgx_class);
    NodeClass gpus_only;
    gpus_only.allocatable = {kNotModelled, kNotModelled, kNotModelled, kNotModelled, 8};
    bare = builder.node("bare", builder.node_class(gpus_only));
    const PodClassId notebook_class = builder.pod_class(pod(4000, 32 * kGi, 1));
    usage = std::make_unique<ClusterUsage>(std::move(builder).build());
    for (const NodeId node : {busy, bare}) {
      usage->bind(usage->add_pod(notebook_class), node, {});
    }
    notebook = usage->shape().pod_classes[notebook_class.index()];
  }

  static PodClass pod(std::int64_t cpu, std::int64_t memory, std::int64_t gpus) {
    PodClass pod;
    for (const auto& request : {std::pair{kCpu, cpu}, std::pair{kMemory, memory}, std::pair{kNvidiaGpu, gpus}}) {
      if (request.second > 0) {
        pod.requests.push_back(request);
      }
    }
    pod.non_zero_cpu = cpu > 0 ? cpu : 100;
    pod.non_zero_memory = memory > 0 ? memory : 200 << 20;
    return pod;
  }

  std::unique_ptr<ClusterUsage> usage;
  NodeId busy, idle, bare;
  PodClass notebook;
};

TEST_CASE_METHOD(Fixture, "the default strategy spreads over cpu and memory") {
  const ScoringStrategy strategy;
  CHECK(node_resources_fit_score(strategy, *usage, busy, notebook) == 93);
  CHECK(node_resources_fit_score(strategy, *usage, idle, notebook) == 96);
}

TEST_CASE_METHOD(Fixture, "the gpu-binpack profile fills the busiest GPU node") {
  const ScoringStrategy strategy{StrategyType::kMostAllocated, {{kNvidiaGpu, 10}, {kCpu, 1}, {kMemory, 1}}, {}};
  CHECK(node_resources_fit_score(strategy, *usage, busy, notebook) == 21);  // (10·25 + 6 + 6) / 12
  CHECK(node_resources_fit_score(strategy, *usage, idle, notebook) == 10);  // (10·12 + 3 + 3) / 12
  CHECK(node_resources_fit_score(strategy, *usage, bare, notebook) == 25);  // cpu and memory are not modelled
  const PodClass plain = pod(4000, 32 * kGi, 0);
  CHECK(node_resources_fit_score(strategy, *usage, busy, plain) == 6);  // a pod without GPUs leaves them out
  CHECK(node_resources_fit_score(strategy, *usage, bare, plain) == 0);
}

TEST_CASE_METHOD(Fixture, "what is scored depends on the kind of resource") {
  const auto score = [&](ResourceId resource, NodeId node, const PodClass& pod_class) {
    return node_resources_fit_score({StrategyType::kLeastAllocated, {{resource, 1}}, {}}, *usage, node, pod_class);
  };
  const PodClass best_effort = pod(0, 0, 0);
  CHECK(score(kCpu, busy, best_effort) == 96);                // 4,100 of 128,000
  CHECK(score(kMemory, busy, best_effort) == 96);             // 32 GiB + 200 MiB of 1 TiB
  CHECK(score(kEphemeralStorage, busy, best_effort) == 100);  // counts although the pod does not ask for it
  CHECK(score(kNvidiaGpu, busy, best_effort) == 0);           // nothing left to score
  CHECK(score(kNvidiaGpu, busy, notebook) == 75);
  CHECK(score(kPods, busy, notebook) == 0);         // never scored
  CHECK(score(ResourceId{}, busy, notebook) == 0);  // a resource that the cluster does not know
  CHECK(score(kCpu, bare, notebook) == 0);          // not modelled
}

TEST_CASE_METHOD(Fixture, "an over-committed node scores as full") {
  const PodClass huge = pod(4000, 32 * kGi, 100);
  const std::vector<WeightedResource> gpus = {{kNvidiaGpu, 1}};
  CHECK(node_resources_fit_score({StrategyType::kLeastAllocated, gpus, {}}, *usage, busy, huge) == 0);
  CHECK(node_resources_fit_score({StrategyType::kMostAllocated, gpus, {}}, *usage, busy, huge) == 100);
  const std::vector<ShapePoint> shape = {{0, 0}, {100, 7}};
  CHECK(node_resources_fit_score({StrategyType::kRequestedToCapacityRatio, gpus, shape}, *usage, busy, huge) == 70);
}

}  // namespace
}  // namespace gpusched::scoring
