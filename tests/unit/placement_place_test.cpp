// Policies, consequences, preemption and the orders of a run.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gpusched/placement/place.hpp"
#include "support/builders.hpp"

namespace gpusched::placement {
namespace {

using testing::Cluster;
using testing::node;
using testing::NodeSpec;
using testing::pod;
using testing::PodSpec;

Options with(Policy policy, View view = View::kGpu) {
  Options options;
  options.view = view;
  options.policy = policy;
  return options;
}

std::string node_of(const Cluster& cluster, std::string_view name) {
  const NodeId node = cluster.usage.node_of(cluster.pod(name));
  return node.valid() ? std::string(cluster.shape().name(node)) : "Pending";
}

std::vector<std::string> texts(const Cluster& cluster, const PodOutcome& outcome) {
  std::vector<std::string> sentences;
  for (const Consequence& consequence : outcome.consequences) {
    sentences.push_back(consequence_text(cluster.shape(), cluster.usage.pod_class(outcome.pod), consequence));
  }
  return sentences;
}

}  // namespace

TEST_CASE("a policy chooses among nodes that fit, ties go by name") {
  const std::vector<NodeSpec> nodes = {
      node("z-whole").gpus(8).one_island(),
      node("b-pairs").gpus(4).islands({{0, 1}, {2, 3}}),
      node("a-pairs").gpus(4).islands({{0, 1}, {2, 3}}),
      node("three").gpus(3).one_island(),
  };
  struct Case {
    std::string name;
    int gpus;
    Policy policy;
    std::string node;
  };
  const std::vector<Case> cases = {
      {"binpack-leaves-the-fewest", 1, Policy::kBinpack, "three"},
      {"binpack-tie-by-name", 4, Policy::kBinpack, "a-pairs"},
      {"spread-leaves-the-most", 1, Policy::kSpread, "z-whole"},
      {"topology-takes-the-small-island", 1, Policy::kTopology, "a-pairs"},
      {"topology-takes-the-exact-island", 3, Policy::kTopology, "three"},
      {"topology-rather-breaks-a-large-island-than-spans", 4, Policy::kTopology, "z-whole"},
      {"topology-tie-by-name", 2, Policy::kTopology, "a-pairs"},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    Cluster cluster(nodes, {pod("p").gpus(test.gpus)});
    CHECK(place_pods(cluster.usage, cluster.pods, with(test.policy)).unplaced() == 0);
    CHECK(node_of(cluster, "p") == test.node);
  }
}

TEST_CASE("all six consequences have their sentence") {
  Cluster cluster(
      {
          node("a-l4").gpus(1, "L4", 24).time_slicing(2),
          node("b-pairs").gpus(4, "A100-PCIE-80GB", 80).islands({{0, 1}, {2, 3}}),
      },
      {pod("wrong").gpus(2).model("H100-SXM5-80GB").memory_gib(40), pod("spans").gpus(3), pod("fine").gpus(1)});
  const PlacementResult result = place_pods(cluster.usage, cluster.pods, with(Policy::kBinpack, View::kExtended));
  REQUIRE(result.pods.size() == 3);
  CHECK(texts(cluster, result.pods[0]) ==
        std::vector<std::string>{
            "asked for H100-SXM5-80GB, got L4",
            "needs 40 GiB per GPU, L4 has 24 GiB: out of memory when the weights load",
            "lands on a time-sliced replica: shares a physical GPU, no memory or fault isolation",
            "2 of its replicas are the same physical GPU 0: no more compute than one",
            "GPU 0 memory oversubscribed: 80 of 24 GiB declared",
        });
  CHECK(texts(cluster, result.pods[1]) ==
        std::vector<std::string>{"GPUs span 2 NVLink islands: traffic between them crosses PCIe"});
  CHECK(texts(cluster, result.pods[2]).empty());
}

TEST_CASE("preemption takes the lowest priority, then the fewest GPUs, then the fewest pods") {
  struct Victim {
    std::string name, node;
    std::vector<int> gpus;
    int priority;
  };
  struct Case {
    std::string name;
    std::vector<Victim> bound;
    PodSpec pod;
    std::string node;
    std::vector<std::string> victims;
  };
  const auto high = [](int gpus) { return pod("high").gpus(gpus).priority(10); };
  const std::vector<Case> cases = {
      {"lowest-priority",
       {{"a", "n1", {0, 1, 2, 3}, 2}, {"b", "n2", {0, 1}, 1}, {"c", "n2", {2, 3}, 1}},
       high(4),
       "n2",
       {"b", "c"}},
      {"fewest-gpus",
       {{"a", "n1", {0, 1, 2, 3}, 0}, {"b", "n2", {0, 1}, 0}, {"c", "n2", {2, 3}, 0}},
       high(2),
       "n2",
       {"b"}},
      {"fewest-pods",
       {{"a", "n1", {0, 1}, 0}, {"b", "n1", {2, 3}, 0}, {"c", "n2", {0, 1, 2, 3}, 0}},
       high(4),
       "n2",
       {"c"}},
      {"first-name", {{"a", "n2", {0, 1, 2, 3}, 0}, {"b", "n1", {0, 1, 2, 3}, 0}}, high(1), "n1", {"b"}},
      {"not-its-equals", {{"a", "n1", {0, 1, 2, 3}, 10}, {"b", "n2", {0, 1, 2, 3}, 11}}, high(1), "Pending", {}},
      {"never", {{"a", "n1", {0, 1, 2, 3}, 0}, {"b", "n2", {0, 1, 2, 3}, 0}}, high(1).never_preempts(), "Pending", {}},
      {"no-eviction-adds-memory",
       {{"a", "n1", {0, 1, 2, 3}, 0}, {"b", "n2", {0, 1, 2, 3}, 0}},
       high(1).memory_gib(96),
       "Pending",
       {}},
      {"an-island-must-become-free",
       {{"a", "n1", {0}, 0}, {"b", "n1", {2}, 0}, {"c", "n2", {0}, 0}, {"d", "n2", {1}, 0}, {"e", "n2", {2}, 0}},
       high(2).nvlink(),
       "n1",
       {"a"}},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    std::vector<PodSpec> pods{test.pod};
    for (const Victim& victim : test.bound) {
      pods.push_back(pod(victim.name).gpus(static_cast<int>(victim.gpus.size())).priority(victim.priority));
    }
    Cluster cluster({node("n2").gpus(4).islands({{0, 1}, {2, 3}}), node("n1").gpus(4).islands({{0, 1}, {2, 3}})}, pods);
    for (const Victim& victim : test.bound) {
      std::vector<GpuShare> shares;
      for (const int gpu : victim.gpus) shares.push_back({static_cast<std::uint16_t>(gpu)});
      cluster.usage.bind(cluster.pod(victim.name), cluster.id(victim.node), shares);
    }
    const PlacementResult result = place_pods(cluster.usage, std::vector{cluster.pod("high")}, {});
    CHECK(node_of(cluster, "high") == test.node);
    std::vector<std::string> victims;
    for (const PodId victim : result.pods.front().victims) {
      victims.emplace_back(cluster.shape().text(cluster.usage.pod_name(victim)));
    }
    CHECK(victims == test.victims);
  }
}

TEST_CASE("fixed pods are never victims") {
  Cluster cluster({node("n").gpus(1)}, {pod("old").gpus(1).fixed(), pod("new").gpus(1).priority(100)});
  cluster.bind("old", "n", {0});
  CHECK(place_pods(cluster.usage, std::vector{cluster.pod("new")}, {}).unplaced() == 1);
}

TEST_CASE("evicted pods are placed again when asked for") {
  const std::vector<NodeSpec> nodes = {node("n1").gpus(2).one_island(), node("n2").gpus(1)};
  const std::vector<PodSpec> pods = {pod("low").gpus(1), pod("high").gpus(2).priority(1)};
  Cluster without(nodes, pods);
  // Spread puts the first pod on the larger node.
  const PlacementResult gone = place_pods(without.usage, without.pods, with(Policy::kSpread));
  CHECK(gone.unplaced() == 1);
  CHECK(gone.pods[0].evicted_by == without.pod("high"));
  CHECK(gone.pods[1].victims == std::vector{without.pod("low")});

  Cluster again(nodes, pods);
  Options options = with(Policy::kSpread);
  options.requeue_evicted = true;
  const PlacementResult back = place_pods(again.usage, again.pods, options);
  CHECK(back.unplaced() == 0);
  REQUIRE(back.pods.size() == 3);
  CHECK(back.pods[2].requeued);
  CHECK(node_of(again, "low") == "n2");
}

TEST_CASE("the orders of a run keep equals in input order") {
  const Cluster cluster({}, {pod("a").gpus(1).priority(1), pod("b").gpus(4), pod("c").gpus(1).priority(1),
                             pod("d").gpus(4).priority(-1)});
  const auto names = [&](Order order) {
    std::string text;
    for (const PodId pod : placement_order(cluster.usage, cluster.pods, order)) {
      text += cluster.shape().text(cluster.usage.pod_name(pod));
    }
    return text;
  };
  CHECK(names(Order::kGiven) == "abcd");
  CHECK(names(Order::kPriority) == "acbd");
  CHECK(names(Order::kLargestFirst) == "bdac");
}

TEST_CASE("fill needs something that runs out") {
  Cluster cluster({node("n").gpus(3), node("m").gpus(2)}, {pod("gpu").gpus(2), pod("cpu").requests("cpu", 1)});
  const auto bounded = fill(cluster.usage, cluster.usage.pod_class_id(cluster.pod("gpu")), {});
  REQUIRE(bounded);
  CHECK(bounded->count == 2);
  CHECK(!bounded->at_least);
  CHECK(bounded->per_node == std::vector<std::pair<NodeId, std::size_t>>{{cluster.id("m"), 1}, {cluster.id("n"), 1}});
  const auto unbounded = fill(cluster.usage, cluster.usage.pod_class_id(cluster.pod("cpu")), {});
  REQUIRE(!unbounded);
  CHECK(unbounded.error().front().code == "fill-unbounded");
}

TEST_CASE("fill stops at its limit and says so") {
  Cluster cluster({node("n").gpus(3), node("m").gpus(2)}, {pod("gpu").gpus(1)});
  const ClusterUsage before = cluster.usage;
  const auto stopped = fill(cluster.usage, cluster.usage.pod_class_id(cluster.pod("gpu")), {}, 4);
  REQUIRE(stopped);
  CHECK(stopped->count == 4);
  CHECK(stopped->at_least);
  CHECK(stopped->per_node == std::vector<std::pair<NodeId, std::size_t>>{{cluster.id("m"), 2}, {cluster.id("n"), 2}});
  CHECK(cluster.usage == before);
  const auto all = fill(cluster.usage, cluster.usage.pod_class_id(cluster.pod("gpu")), {}, 6);
  REQUIRE(all);
  CHECK(all->count == 5);
  CHECK(!all->at_least);
}

}  // namespace gpusched::placement
