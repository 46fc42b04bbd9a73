// Any sequence of changes, taken back, leaves the usage as it was.
#include <catch2/catch.hpp>

#include <utility>
#include <vector>

#include "gpusched/placement/placer.hpp"
#include "support/random_cluster.hpp"

namespace gpusched {
namespace {

using testing::Cluster;
using testing::Random;

std::vector<PodId> pods_where(const ClusterUsage& usage, bool bound) {
  std::vector<PodId> pods;
  for (std::size_t i = 0; i < usage.pod_count(); ++i) {
    if (usage.node_of(PodId{i}).valid() == bound) pods.push_back(PodId{i});
  }
  return pods;
}

/// Shares of random GPUs and free MIG instances, over-commitment included: a dump may hold anything.
std::vector<GpuShare> random_shares(Random& random, const ClusterUsage& usage, NodeId node) {
  const NodeClass& node_class = usage.node_class(node);
  std::vector<GpuShare> shares;
  for (std::uint16_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    if (random.one_in(4))
      shares.push_back({gpu, GpuShare::kNoInstance, 250 * random.between(1, 4), random.below(9999)});
  }
  for (std::uint16_t i = 0; i < node_class.instances.size(); ++i) {
    if (random.one_in(4) && !usage.instance_holders(node)[i].valid()) {
      shares.push_back({node_class.instances[i].gpu, i, 0, 0});
    }
  }
  return shares;
}

void change(Random& random, ClusterUsage& usage) {
  const NodeId node{static_cast<std::size_t>(random.below(static_cast<int>(usage.shape().nodes.size())))};
  const auto classes = static_cast<int>(usage.shape().pod_classes.size());
  switch (random.below(5)) {
    case 0:
      usage.add_pod(PodClassId{static_cast<std::size_t>(random.below(classes))});
      break;
    case 1:
      usage.set_cordoned(node, random.one_in(2));
      break;
    case 2:
      if (const auto bound = pods_where(usage, true); !bound.empty()) usage.unbind(random.pick(bound));
      break;
    default:
      if (const auto free = pods_where(usage, false); !free.empty()) {
        usage.bind(random.pick(free), node, random_shares(random, usage, node));
      }
  }
}

}  // namespace

TEST_CASE("changes and their revert are the identity") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, 10));
    ClusterUsage& usage = cluster.usage;
    std::vector<std::pair<ClusterUsage::Mark, ClusterUsage>> saved;
    for (int step = random.between(1, 80); step > 0; --step) {
      if (random.one_in(5)) saved.emplace_back(usage.mark(), usage);
      if (!saved.empty() && random.one_in(12)) {
        usage.revert(saved.back().first);
        CHECK(usage == saved.back().second);
        saved.pop_back();
      }
      change(random, usage);
    }
    for (; !saved.empty(); saved.pop_back()) {
      usage.revert(saved.back().first);
      CHECK(usage == saved.back().second);
    }
    usage.revert(0);
    CHECK(usage == Cluster(cluster).usage);
    for (const PodId pod : cluster.pods) CHECK(!usage.node_of(pod).valid());
  }
}

TEST_CASE("the log tells every node that changed") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, 10));
    ClusterUsage& usage = cluster.usage;
    for (int step = 0; step < 40; ++step) {
      const ClusterUsage before = usage;
      const std::size_t read = usage.touched().size();
      const ClusterUsage::Mark mark = usage.mark();
      change(random, usage);
      if (random.one_in(3)) usage.revert(mark);
      for (std::size_t n = 0; n < usage.shape().nodes.size(); ++n) {
        const NodeId node{n};
        const auto equal = [](auto a, auto b) { return std::ranges::equal(a, b); };
        const bool same = equal(before.free_milli(node), usage.free_milli(node)) &&
                          equal(before.instance_holders(node), usage.instance_holders(node)) &&
                          before.used(node, kPods) == usage.used(node, kPods) &&
                          before.cordoned(node) == usage.cordoned(node);
        const auto touched = usage.touched().subspan(read);
        CHECK((same || std::ranges::find(touched, node) != touched.end()));
      }
    }
  }
}

}  // namespace gpusched
