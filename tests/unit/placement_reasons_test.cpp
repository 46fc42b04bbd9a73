// Why a node refuses a pod, and in which order reasons count.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gpusched/placement/placer.hpp"
#include "support/builders.hpp"

namespace gpusched::placement {
namespace {

using testing::Cluster;
using testing::node;
using testing::NodeSpec;
using testing::pod;
using testing::PodSpec;

Options seen_by(View view) {
  Options options;
  options.view = view;
  return options;
}

std::string reason(const NodeSpec& node, const PodSpec& pod, View view = View::kGpu) {
  const Cluster cluster({node}, {pod});
  const PodClassId pod_class = cluster.usage.pod_class_id(cluster.pods.front());
  const NodeFilter filter(cluster.shape(), pod_class, seen_by(view));
  return reason_text(cluster.shape(), filter.pod_class(), filter.evaluate(cluster.usage, NodeId{0}).reason);
}

std::string message(Cluster& cluster, std::string_view name, const Options& options = {}) {
  Placer placer(cluster.usage, options);
  const PodId pod = cluster.pod(name);
  return fit_error(cluster.shape(), cluster.usage.pod_class(pod), *placer.reasons(cluster.usage.pod_class_id(pod)));
}

}  // namespace

TEST_CASE("the first reason that applies is told") {
  // A pod that everything speaks against, and a node that loses its faults one after another.
  const PodSpec wanted =
      pod("p").gpus(4).model("H100-SXM5-80GB").memory_gib(96).nvlink().requests("cpu", 2000).selects("zone", "a");
  const auto faulty = [](bool sliced, std::string_view model, int memory_gib, int count) {
    NodeSpec spec = node("n").label("zone", "a").allocatable("cpu", 1000);
    spec.gpus(count, model, memory_gib);
    if (sliced) spec.time_slicing(2);
    return spec;
  };
  CHECK(reason(faulty(true, "L4", 24, 1).taint("k").label("zone", "b").cordoned(), wanted) ==
        "node(s) were unschedulable");
  CHECK(reason(faulty(true, "L4", 24, 1).taint("k"), wanted) == "node(s) had untolerated taint(s)");
  CHECK(reason(node("n").gpus(1, "L4", 24).time_slicing(2), wanted) ==
        "node(s) didn't match Pod's node affinity/selector");
  CHECK(reason(faulty(true, "L4", 24, 1), wanted) == "node is time-sliced");
  CHECK(reason(faulty(false, "L4", 24, 1), wanted) == "GPU model is not H100-SXM5-80GB");
  CHECK(reason(faulty(false, "H100-SXM5-80GB", 80, 1), wanted) == "GPU memory below 96 GiB");
  CHECK(reason(faulty(false, "H100-SXM5-80GB", 96, 1), wanted) == "Insufficient nvidia.com/gpu");
  CHECK(reason(faulty(false, "H100-SXM5-80GB", 96, 4), wanted) == "no NVLink island with 4 free GPUs");
  CHECK(reason(faulty(false, "H100-SXM5-80GB", 96, 4).one_island(), wanted) == "Insufficient cpu");
  CHECK(reason(faulty(false, "H100-SXM5-80GB", 96, 4).one_island().allocatable("cpu", 2000), wanted).empty());
}

TEST_CASE("reasons of the gpu view") {
  struct Case {
    std::string name;
    NodeSpec node;
    PodSpec pod;
    std::string reason;
  };
  const std::vector<Case> cases = {
      {"shared-needs-replicas", node("n").gpus(1), pod("p").gpus(1).shared(), "node is not time-sliced"},
      {"one-exclusive-gpu-is-enough", node("n").gpus(1).gpus(1, "L4", 24).time_slicing(2), pod("p").gpus(1), ""},
      {"no-gpu-answers-by-count", node("n"), pod("p").gpus(1).model("L4"), "Insufficient nvidia.com/gpu"},
      {"mig-gpus-do-not-count", node("n").gpus(1).mig({{"7g.80gb"}}), pod("p").gpus(1), "Insufficient nvidia.com/gpu"},
      {"mig-profile", node("n").gpus(1).mig({{"7g.80gb"}}), pod("p").mig("1g.10gb"),
       "Insufficient nvidia.com/mig-1g.10gb"},
      {"mig-count", node("n").gpus(1).mig({{"3g.40gb"}}), pod("p").mig("3g.40gb", 2),
       "Insufficient nvidia.com/mig-3g.40gb"},
      {"memory-is-per-gpu", node("n").gpus(2, "L40S", 48), pod("p").gpus(2).memory_gib(49), "GPU memory below 49 GiB"},
      {"memory-exactly", node("n").gpus(2, "L40S", 48), pod("p").gpus(2).memory_gib(48), ""},
      {"model-and-memory-on-one-gpu", node("n").gpus(1, "L40S", 48).gpus(1, "A100-SXM4-80GB", 80),
       pod("p").gpus(1).model("L40S").memory_gib(60), "GPU memory below 60 GiB"},
      {"too-many-pods", node("n").allocatable("pods", 0), pod("p"), "Too many pods"},
      {"memory", node("n").allocatable("memory", 1), pod("p").requests("memory", 2), "Insufficient memory"},
      {"not-modelled-does-not-filter", node("n"),
       pod("p").requests("cpu", 2).requests("memory", 2).requests("ephemeral-storage", 5), ""},
      {"other-resources-must-be-there", node("n"), pod("p").requests("example.com/nic", 1),
       "Insufficient example.com/nic"},
      {"devices-before-cpu", node("n").gpus(1).allocatable("cpu", 1), pod("p").gpus(2).requests("cpu", 2),
       "Insufficient nvidia.com/gpu"},
      {"other-resource-name", node("n").gpus(1, "MI300X", 192).gpu_resource("amd.com/gpu"), pod("p").gpus(1),
       "Insufficient nvidia.com/gpu"},
      {"no-schedule-with-value", node("n").taint("k", "v"), pod("p").tolerates("k", "w"),
       "node(s) had untolerated taint(s)"},
      {"tolerated", node("n").taint("k", "v"), pod("p").tolerates("k", "v"), ""},
      {"prefer-no-schedule-does-not-filter", node("n").taint("k", "", TaintEffect::kPreferNoSchedule), pod("p"), ""},
      {"no-execute", node("n").taint("k", "", TaintEffect::kNoExecute), pod("p"), "node(s) had untolerated taint(s)"},
      {"tolerating-all-ignores-cordons", node("n").cordoned(), pod("p").tolerates_all(), ""},
      {"cordoned", node("n").cordoned(), pod("p").tolerates("k", "v"), "node(s) were unschedulable"},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(reason(test.node, test.pod) == test.reason);
  }
}

TEST_CASE("the extended view sees counts only") {
  const NodeSpec small = node("n").gpus(2, "L4", 24).time_slicing(2);
  const auto extended = [](const NodeSpec& spec, const PodSpec& wanted) {
    return reason(spec, wanted, View::kExtended);
  };
  CHECK(extended(small, pod("p").gpus(4).model("H100-SXM5-80GB").memory_gib(80).nvlink()).empty());
  CHECK(extended(small, pod("p").gpus(5)) == "Insufficient nvidia.com/gpu");
  CHECK(extended(node("n").gpus(1), pod("p").gpus(1).shared()).empty());
  CHECK(extended(node("n").allocatable("cpu", 1), pod("p").gpus(1).requests("cpu", 2)) ==
        "Insufficient nvidia.com/gpu");
  CHECK(extended(node("n").gpus(1).mig({{"3g.40gb"}}), pod("p").mig("3g.40gb")).empty());
}

TEST_CASE("fit_error sorts its parts as text, counts included") {
  // The lesson's line: two of the nodes are full, one lacks GPUs outside MIG.
  Cluster cluster(
      {
          node("dgx-a").gpus(8),
          node("dgx-b").gpus(8),
          node("pcie-a").gpus(8, "A100-PCIE-80GB"),
          node("l4-a").gpus(2, "L4", 24).time_slicing(4),
          node("mig-a").gpus(1).mig({{"3g.40gb"}}),
      },
      {pod("one").gpus(1), pod("two").gpus(1), pod("train-8").gpus(8).model("A100-SXM4-80GB"), pod("cpu")});
  cluster.bind("one", "dgx-a", {0});
  cluster.bind("two", "dgx-b", {0});
  CHECK(message(cluster, "train-8") ==
        "0/5 nodes are available: 1 GPU model is not A100-SXM4-80GB, 1 node is time-sliced, 3 Insufficient "
        "nvidia.com/gpu.");
  Cluster many(std::vector<NodeSpec>(1, node("n").gpus(1)), {pod("p").gpus(2)});
  CHECK(message(many, "p") == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
}

TEST_CASE("text order puts 10 before 9") {
  std::vector<NodeSpec> nodes;
  for (int i = 0; i < 10; ++i) nodes.push_back(node("full-" + std::to_string(i)).gpus(1));
  for (int i = 0; i < 9; ++i) nodes.push_back(node("tainted-" + std::to_string(i)).taint("k"));
  Cluster cluster(nodes, {pod("p").gpus(2)});
  CHECK(message(cluster, "p") ==
        "0/19 nodes are available: 10 Insufficient nvidia.com/gpu, 9 node(s) had untolerated taint(s).");
}

TEST_CASE("an empty cluster has its own sentence") {
  Cluster cluster({}, {pod("p").gpus(1)});
  CHECK(message(cluster, "p") == "0/0 nodes are available: no nodes available to schedule pods.");
}

TEST_CASE("a group names its first three nodes") {
  Cluster cluster({node("d").gpus(1), node("b").gpus(1), node("c").gpus(1), node("a").gpus(1)}, {pod("p").gpus(2)});
  Placer placer(cluster.usage, {});
  const ReasonGroups groups = placer.reasons(cluster.usage.pod_class_id(cluster.pod("p")));
  REQUIRE(groups->size() == 1);
  CHECK(groups->front().count == 4);
  CHECK(groups->front().examples == std::vector{cluster.id("a"), cluster.id("b"), cluster.id("c")});
}

}  // namespace gpusched::placement
