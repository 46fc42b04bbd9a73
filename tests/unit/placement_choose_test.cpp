// Which GPUs of a node a pod gets.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gpusched/placement/filter.hpp"
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

struct Case {
  std::string name;
  NodeSpec node;
  std::vector<int> busy;
  PodSpec pod;
  std::vector<int> gpus;
  View view = View::kGpu;
};

const std::vector<std::vector<int>> kPairs = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};

std::vector<int> chosen(const Case& test) {
  std::vector<PodSpec> pods{test.pod};
  for (const int gpu : test.busy) pods.push_back(pod("busy-" + std::to_string(gpu)).gpus(1).memory_gib(20));
  Cluster cluster({test.node}, pods);
  for (const int gpu : test.busy) cluster.bind("busy-" + std::to_string(gpu), test.node.name(), {gpu});
  const NodeFilter filter(cluster.shape(), cluster.usage.pod_class_id(cluster.pods.front()), seen_by(test.view));
  REQUIRE(filter.evaluate(cluster.usage, NodeId{0}).reason.kind == ReasonKind::kFits);
  std::vector<int> gpus;
  for (const GpuShare& share : filter.choose(cluster.usage, NodeId{0})) gpus.push_back(share.gpu);
  return gpus;
}

}  // namespace

TEST_CASE("islands are filled best fit first") {
  const std::vector<Case> cases = {
      {"first-island-of-equals", node("n").gpus(8).islands(kPairs), {}, pod("p").gpus(2), {0, 1}},
      {"the-broken-pair-takes-the-single", node("n").gpus(8).islands(kPairs), {5}, pod("p").gpus(1), {4}},
      {"a-pair-passes-over-broken-pairs", node("n").gpus(8).islands(kPairs), {0, 3}, pod("p").gpus(2), {4, 5}},
      {"the-smallest-that-holds-it",
       node("n").gpus(8).islands({{0, 1, 2, 3}, {4, 5}, {6, 7}}),
       {},
       pod("p").gpus(2),
       {4, 5}},
      {"the-large-island-only-when-needed",
       node("n").gpus(8).islands({{0, 1}, {2, 3, 4, 5, 6, 7}}),
       {},
       pod("p").gpus(3),
       {2, 3, 4}},
      {"spanning-takes-the-fewest-islands",
       node("n").gpus(8).islands({{0}, {1, 2}, {3, 4, 5}, {6, 7}}),
       {},
       pod("p").gpus(5),
       {1, 2, 3, 4, 5}},
      {"the-rest-goes-best-fit",
       node("n").gpus(8).islands({{0, 1, 2}, {3, 4, 5}, {6}, {7}}),
       {},
       pod("p").gpus(4),
       {0, 1, 2, 6}},
      {"four-singles", node("n").gpus(8).islands(kPairs), {0, 2, 4, 6}, pod("p").gpus(4), {1, 3, 5, 7}},
      {"two-singles", node("n").gpus(8).islands(kPairs), {0, 2, 4, 6}, pod("p").gpus(2), {1, 3}},
      {"in-ascending-order", node("n").gpus(4).islands({{2, 3}, {0, 1}}), {}, pod("p").gpus(4), {0, 1, 2, 3}},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(chosen(test) == test.gpus);
  }
}

TEST_CASE("only GPUs that can serve the pod are chosen") {
  const NodeSpec mixed = node("n").gpus(2, "L40S", 48).gpus(2, "H100-SXM5-80GB", 80);
  const NodeSpec sliced = node("n").gpus(2, "L4", 24).time_slicing(4);
  const std::vector<Case> cases = {
      {"by-model", mixed, {}, pod("p").gpus(1).model("H100-SXM5-80GB"), {2}},
      {"by-memory", mixed, {}, pod("p").gpus(2).memory_gib(60), {2, 3}},
      {"any", mixed, {0}, pod("p").gpus(1), {1}},
      {"shared-where-memory-is-left", sliced, {0}, pod("p").gpus(1).shared().memory_gib(10), {1}},
      {"shared-on-two-gpus", sliced, {0}, pod("p").gpus(2).shared().memory_gib(4), {0, 1}},
      {"extended-takes-the-lowest", mixed, {0}, pod("p").gpus(2).model("H100-SXM5-80GB"), {1, 2}, View::kExtended},
      {"extended-takes-replicas-of-one-gpu", sliced, {0}, pod("p").gpus(4), {0, 0, 0, 1}, View::kExtended},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(chosen(test) == test.gpus);
  }
}

TEST_CASE("MIG instances are taken in the order of the layout") {
  Cluster cluster({node("n").gpus(2).mig({{"3g.40gb", "1g.10gb"}, {"1g.10gb", "3g.40gb"}})},
                  {pod("first").mig("1g.10gb"), pod("p").mig("3g.40gb").mig("1g.10gb")});
  cluster.bind_instances("first", "n", {1});
  const NodeFilter filter(cluster.shape(), cluster.usage.pod_class_id(cluster.pod("p")), {});
  const std::vector<GpuShare> shares = filter.choose(cluster.usage, cluster.id("n"));
  REQUIRE(shares.size() == 2);
  CHECK(shares[0] == GpuShare{0, 0, 0, 0});
  CHECK(shares[1] == GpuShare{1, 2, 0, 0});
}

}  // namespace gpusched::placement
