#include "gpusched/scoring/balanced_allocation.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/model/shape_builder.hpp"

namespace gpusched::scoring {
namespace {

struct BalanceCase {
  std::string name;
  std::vector<ResourceBalance> balances;  // requested with the pod, without it, allocatable
  std::int64_t improvement, after;
};

// The expected numbers are those of kube-scheduler 1.37.2 (improvement) and 1.35.8 (after) for the same input.
TEST_CASE("balanced allocation compares used fractions") {
  const std::vector<BalanceCase> cases = {
      {"nothing-changes", {{20, 20, 100}, {20, 20, 100}}, 75, 100},
      {"balanced-before-and-after", {{40, 20, 100}, {40, 20, 100}}, 75, 100},
      {"improved", {{60, 60, 100}, {60, 0, 100}}, 90, 100},
      {"worsened", {{60, 0, 100}, {0, 0, 100}}, 60, 70},
      {"odd-difference-rounds-toward-zero", {{2, 0, 100}, {0, 0, 100}}, 74, 99},
      {"over-committed-counts-as-full", {{300, 0, 100}, {100, 0, 100}}, 75, 100},
      {"one-resource-has-no-deviation", {{90, 10, 100}}, 75, 100},
      {"no-allocatable-is-left-out", {{90, 10, 100}, {0, 0, 0}}, 75, 100},
      {"not-modelled-is-left-out", {{90, 10, 100}, {0, 0, kNotModelled}}, 75, 100},
      {"three-resources", {{100, 0, 100}, {0, 0, 100}, {0, 0, 100}}, 51, 52},
      {"four-resources", {{100, 0, 100}, {100, 0, 100}, {0, 0, 100}, {0, 0, 100}}, 50, 50},
      {"nothing-to-balance", {}, 75, 100},
  };
  for (const BalanceCase& test : cases) {
    INFO(test.name);
    CHECK(balanced_allocation_score(test.balances) == test.improvement);
    CHECK(balanced_allocation_score(test.balances, BalanceForm::kAfterPlacement) == test.after);
  }
}

TEST_CASE("balanced allocation of a node counts true requests") {
  ShapeBuilder builder;
  NodeClass node_class;
  node_class.allocatable = {1000, 1000, kNotModelled, 110, 8};
  const NodeId node = builder.node("n", builder.node_class(node_class));
  PodClass resident;
  resident.requests = {{kCpu, 500}};
  resident.non_zero_cpu = 500;
  resident.non_zero_memory = 900;  // would count for NodeResourcesFit only
  const PodClassId resident_class = builder.pod_class(resident);
  ClusterUsage usage(std::move(builder).build());
  usage.bind(usage.add_pod(resident_class), node, {});

  const std::vector<ResourceId> cpu_and_memory = {kCpu, kMemory};
  PodClass pod;
  pod.requests = {{kMemory, 500}};
  CHECK(balanced_allocation_score(cpu_and_memory, usage, node, pod) == 87);  // b goes from 75 to 100
  CHECK(balanced_allocation_score(cpu_and_memory, usage, node, pod, BalanceForm::kAfterPlacement) == 100);

  const std::vector<ResourceId> with_gpu = {kCpu, kNvidiaGpu};
  pod.requests = {{kCpu, 100}};  // no GPU asked for: cpu alone is left
  CHECK(balanced_allocation_score(with_gpu, usage, node, pod) == 75);
  pod.requests = {{kNvidiaGpu, 4}};
  CHECK(balanced_allocation_score(with_gpu, usage, node, pod) == 87);

  pod.requests = {{kEphemeralStorage, 5}};
  CHECK(balanced_allocation_score(cpu_and_memory, usage, node, pod) == std::nullopt);  // the plugin skips it
  pod.requests = {};
  CHECK(balanced_allocation_score(cpu_and_memory, usage, node, pod) == std::nullopt);
}

}  // namespace
}  // namespace gpusched::scoring
