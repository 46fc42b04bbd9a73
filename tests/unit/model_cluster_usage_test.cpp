#include "gpusched/model/cluster_usage.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "support/builders.hpp"

namespace gpusched {
namespace {

using testing::Cluster;
using testing::node;
using testing::pod;

std::vector<PodId> pods_of(const ClusterUsage& usage, NodeId node) {
  std::vector<PodId> pods;
  for (PodId pod = usage.first_pod(node); pod.valid(); pod = usage.next_pod(pod)) pods.push_back(pod);
  return pods;
}

}  // namespace

TEST_CASE("bind takes what the pod asks for and unbind gives it back") {
  Cluster cluster({node("n").gpus(2, "L4", 24).time_slicing(2)},
                  {pod("p").gpus(2).shared().memory_gib(10).requests("cpu", 500).requests("memory", 1000)});
  const ClusterUsage before = cluster.usage;
  const NodeId n = cluster.id("n");
  cluster.bind("p", "n", {0, 1});
  const ClusterUsage& usage = cluster.usage;
  CHECK(usage.used(n, kCpu) == 500);
  CHECK(usage.used(n, kMemory) == 1000);
  CHECK(usage.used(n, kNvidiaGpu) == 2);
  CHECK(usage.used(n, kPods) == 1);
  CHECK(usage.non_zero_cpu(n) == 500);
  CHECK(usage.free_milli(n)[0] == 1000);
  CHECK(usage.free_memory_mib(n)[1] == 14 * 1024);
  CHECK(usage.shares(cluster.pod("p")).size() == 2);
  cluster.usage.unbind(cluster.pod("p"));
  CHECK(usage.used(n, kCpu) == before.used(n, kCpu));
  CHECK(usage.free_milli(n)[0] == before.free_milli(n)[0]);
  CHECK(usage.shares(cluster.pod("p")).empty());
  CHECK(!usage.first_pod(n).valid());
}

TEST_CASE("a pod without requests counts as 100m and 200Mi in scores") {
  Cluster cluster({node("n")}, {pod("p")});
  cluster.bind("p", "n");
  CHECK(cluster.usage.used(cluster.id("n"), kCpu) == 0);
  CHECK(cluster.usage.non_zero_cpu(cluster.id("n")) == 100);
  CHECK(cluster.usage.non_zero_memory(cluster.id("n")) == 209'715'200);
}

TEST_CASE("over-commitment is a fact") {
  Cluster cluster(
      {node("n").gpus(1, "L4", 24).time_slicing(4).allocatable("cpu", 100)},
      {pod("a").gpus(1).memory_gib(20).requests("cpu", 90), pod("b").gpus(1).memory_gib(20).requests("cpu", 90)});
  cluster.bind("a", "n", {0});
  cluster.bind("b", "n", {0});
  CHECK(cluster.usage.used(cluster.id("n"), kCpu) == 180);
  CHECK(cluster.usage.free_memory_mib(cluster.id("n"))[0] == -16 * 1024);
}

TEST_CASE("sums go beyond 32 bits, and beyond 64 they can still be given back") {
  Cluster cluster({node("n").gpus(1, "X", 1'000'000).time_slicing(4)},
                  {pod("a").gpus(1).memory_gib(1'000'000).requests("memory", std::int64_t{1} << 62U),
                   pod("b").gpus(1).memory_gib(1'000'000).requests("memory", std::int64_t{1} << 62U),
                   pod("c").gpus(1).memory_gib(1'000'000).requests("memory", std::int64_t{1} << 62U),
                   pod("d").gpus(1).memory_gib(1'000'000).requests("memory", std::int64_t{1} << 62U)});
  const ClusterUsage before = cluster.usage;
  const auto mark = cluster.usage.mark();
  for (const char* name : {"a", "b", "c", "d"}) cluster.bind(name, "n", {0});
  CHECK(cluster.usage.free_memory_mib(cluster.id("n"))[0] == -3'072'000'000);
  cluster.usage.revert(mark);
  CHECK(cluster.usage.free_memory_mib(cluster.id("n"))[0] == 1'024'000'000);
  CHECK(cluster.usage.used(cluster.id("n"), kMemory) == before.used(cluster.id("n"), kMemory));
}

TEST_CASE("instances have one holder") {
  Cluster cluster({node("n").gpus(1).mig({{"3g.40gb", "3g.40gb"}})}, {pod("p").mig("3g.40gb")});
  const NodeId n = cluster.id("n");
  cluster.bind_instances("p", "n", {1});
  CHECK(!cluster.usage.instance_holders(n)[0].valid());
  CHECK(cluster.usage.instance_holders(n)[1] == cluster.pod("p"));
  CHECK(cluster.usage.free_milli(n)[0] == kWholeGpuMilli);  // an instance takes nothing of the GPU's own count
  cluster.usage.unbind(cluster.pod("p"));
  CHECK(!cluster.usage.instance_holders(n)[1].valid());
}

TEST_CASE("the pods of a node come newest first") {
  Cluster cluster({node("n"), node("m")}, {pod("a"), pod("b"), pod("c"), pod("d")});
  for (const char* const name : {"a", "b", "c"}) cluster.bind(name, "n");
  cluster.bind("d", "m");
  const auto ids = [&](std::initializer_list<const char*> names) {
    std::vector<PodId> pods;
    for (const char* const name : names) pods.push_back(cluster.pod(name));
    return pods;
  };
  CHECK(pods_of(cluster.usage, cluster.id("n")) == ids({"c", "b", "a"}));
  cluster.usage.unbind(cluster.pod("b"));
  CHECK(pods_of(cluster.usage, cluster.id("n")) == ids({"c", "a"}));
  cluster.bind("b", "m");
  CHECK(pods_of(cluster.usage, cluster.id("m")) == ids({"b", "d"}));
}

TEST_CASE("a pod that moved and moved back is where it was") {
  Cluster cluster({node("n").gpus(2), node("m").gpus(2)}, {pod("a").gpus(1), pod("b").gpus(1)});
  cluster.bind("a", "n", {0});
  cluster.bind("b", "n", {1});
  const ClusterUsage before = cluster.usage;
  const ClusterUsage::Mark mark = cluster.usage.mark();
  cluster.usage.unbind(cluster.pod("a"));
  cluster.bind("a", "m", {0});
  cluster.usage.revert(mark);
  CHECK(pods_of(cluster.usage, cluster.id("n")) == std::vector{cluster.pod("b"), cluster.pod("a")});
  CHECK(cluster.usage == before);
}

TEST_CASE("cordoning is undone and an unchanged cordon is no change") {
  Cluster cluster({node("n"), node("m").cordoned()});
  CHECK(cluster.usage.cordoned(cluster.id("m")));
  const ClusterUsage::Mark mark = cluster.usage.mark();
  cluster.usage.set_cordoned(cluster.id("m"), true);
  CHECK(cluster.usage.mark() == mark);
  cluster.usage.set_cordoned(cluster.id("m"), false);
  cluster.usage.set_cordoned(cluster.id("n"), true);
  CHECK(cluster.usage.cordoned(cluster.id("n")));
  cluster.usage.revert(mark);
  CHECK(!cluster.usage.cordoned(cluster.id("n")));
  CHECK(cluster.usage.cordoned(cluster.id("m")));
}

TEST_CASE("memory is declared in MiB, rounded up") {
  PodClass pod_class;
  CHECK(pod_class.gpu_memory_mib() == 0);
  pod_class.gpu_memory_bytes = 1;
  CHECK(pod_class.gpu_memory_mib() == 1);
  pod_class.gpu_memory_bytes = std::int64_t{10} << 30;
  CHECK(pod_class.gpu_memory_mib() == 10 * 1024);
}

}  // namespace gpusched
