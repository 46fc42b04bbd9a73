// What the kubelet and NVIDIA's device plugin do on a node.
#include "placement/kubelet.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gpusched/placement/place.hpp"
#include "placement/preferred.hpp"
#include "support/builders.hpp"

namespace gpusched::placement {
namespace {

using testing::Cluster;
using testing::node;
using testing::pod;

using Gpus = std::vector<std::uint16_t>;
using Matrix = std::vector<std::vector<int>>;

// Pair scores of the DGX-1 with V100 in go-gpuallocator's tests (common_test.go): NVLinks and PCIe together.
const Matrix kDgx1 = {{0, 150, 130, 230, 210, 10, 10, 10}, {150, 0, 230, 130, 10, 210, 10, 10},
                      {130, 230, 0, 250, 10, 10, 110, 10}, {230, 130, 250, 0, 10, 10, 10, 110},
                      {210, 10, 10, 10, 0, 150, 130, 230}, {10, 210, 10, 10, 150, 0, 230, 130},
                      {10, 10, 110, 10, 130, 230, 0, 250}, {10, 10, 10, 110, 230, 130, 250, 0}};

Gpus aligned(const Matrix& matrix, const Gpus& available, const Gpus& required, std::size_t size) {
  Gpus chosen =
      aligned_choice(available, required, size, [&](std::uint16_t a, std::uint16_t b) { return matrix[a][b]; });
  std::ranges::sort(chosen);
  return chosen;
}

/// The plugin's rule by walking every split, blanks included (-1).
Gpus naive_aligned(const Matrix& matrix, const Gpus& available, std::size_t size) {
  using Set = std::vector<int>;
  Set all(available.begin(), available.end());
  while (all.size() % size != 0) all.push_back(-1);
  const std::size_t padding = all.size() - available.size();
  const auto score = [&](const Set& set) {
    int sum = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (set[i] >= 0 && set[j] >= 0) {
          sum += matrix[static_cast<std::size_t>(set[i])][static_cast<std::size_t>(set[j])];
        }
      }
    }
    return sum;
  };
  std::vector<Set> best;
  int best_score = -1;
  std::vector<Set> split;
  const std::function<void(Set)> walk = [&](Set rest) {
    if (rest.empty()) {
      int sum = 0;
      for (const Set& set : split) sum += score(set);
      if (sum > best_score) {
        best_score = sum;
        best = split;
      }
      return;
    }
    std::vector<char> pick(rest.size() - 1);
    std::fill_n(pick.begin(), size - 1, char{1});
    do {  // from the lexicographically first choice on
      Set set{rest.front()};
      Set remaining;
      for (std::size_t i = 1; i < rest.size(); ++i) (pick[i - 1] != 0 ? set : remaining).push_back(rest[i]);
      const auto blanks = static_cast<std::size_t>(std::ranges::count(set, -1));
      if (blanks != 0 && blanks != padding) continue;
      split.push_back(set);
      walk(remaining);
      split.pop_back();
    } while (std::ranges::prev_permutation(pick).found);
  };
  walk(all);
  Gpus chosen;
  int most = -1;
  for (const Set& set : best) {
    if (score(set) <= most) continue;
    most = score(set);
    chosen.clear();
    for (const int gpu : set) {
      if (gpu >= 0) chosen.push_back(static_cast<std::uint16_t>(gpu));
    }
  }
  return chosen;
}

NumaDevices two_sockets(std::vector<int> free) {
  return {{0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}, std::vector<int>(8, 1), std::move(free)};
}

struct AffinityCase {
  const char* name;
  std::vector<int> free;
  int request;
  TopologyPolicy policy;
  std::uint64_t mask;
  bool admitted;
};

}  // namespace

// The table of TestBestEffortAllocate in go-gpuallocator's besteffort_test.go.
TEST_CASE("aligned allocation on a DGX-1") {
  const Gpus all{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(aligned(kDgx1, {0, 2, 4, 5}, {}, 2) == Gpus{4, 5});
  CHECK(aligned(kDgx1, {0, 4, 5, 6}, {}, 2) == Gpus{5, 6});
  CHECK(aligned(kDgx1, {0, 3, 1}, {}, 2) == Gpus{0, 3});
  CHECK(aligned(kDgx1, {0, 1, 4}, {}, 2) == Gpus{0, 4});
  CHECK(aligned(kDgx1, all, {4}, 1) == Gpus{4});
  CHECK(aligned(kDgx1, all, {4}, 2) == Gpus{4, 7});
  CHECK(aligned(kDgx1, all, {4}, 4) == Gpus{4, 5, 6, 7});
  CHECK(aligned(kDgx1, {1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3}, 4).empty());
  CHECK(aligned(kDgx1, all, {0, 2, 4, 6}, 4) == Gpus{0, 2, 4, 6});
  CHECK(aligned(kDgx1, all, {1, 2, 3, 4, 5, 6}, 4).empty());
  CHECK(aligned(kDgx1, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6}, 1).empty());
  CHECK(aligned(kDgx1, all, {}, 9).empty());
}

TEST_CASE("aligned allocation agrees with walking every split") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Matrix matrix(7, std::vector<int>(7));
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i] = static_cast<int>(random() % 4) * 10;
    }
    const std::size_t count = 2 + random() % 6;
    Gpus available;
    for (std::uint16_t i = 0; i < count; ++i) available.push_back(i);
    for (std::size_t size = 2; size <= count; ++size) {
      Gpus expected = naive_aligned(matrix, available, size);
      if (expected.size() != size) continue;  // the plugin prefers the padded set only when it scores best
      INFO(round << ": " << size << " of " << count);
      CHECK(aligned(matrix, available, {}, size) == expected);
    }
  }
}

TEST_CASE("more GPUs than are split are taken one by one") {
  Gpus available;
  for (std::uint16_t i = 0; i < 20; ++i) available.push_back(i);
  const Gpus chosen =
      aligned_choice(available, {}, 4, [](std::uint16_t a, std::uint16_t b) { return a % 2 == b % 2 ? 20 : 10; });
  CHECK(chosen == Gpus{0, 2, 4, 6});
}

TEST_CASE("the Topology Manager's policies") {
  const AffinityCase cases[] = {
      {"none", {1, 1, 0, 0, 1, 1, 0, 0}, 4, TopologyPolicy::kNone, 0, true},
      {"one-node-is-enough", {1, 1, 1, 1, 1, 1, 1, 1}, 4, TopologyPolicy::kSingleNumaNode, 1, true},
      {"the-second-node-has-room", {1, 0, 1, 1, 1, 1, 1, 1}, 4, TopologyPolicy::kSingleNumaNode, 2, true},
      {"two-halves-do-not-make-one", {1, 1, 0, 0, 1, 1, 0, 0}, 4, TopologyPolicy::kSingleNumaNode, 3, false},
      {"restricted-knows-that-one-would-do", {1, 1, 0, 0, 1, 1, 0, 0}, 4, TopologyPolicy::kRestricted, 3, false},
      {"best-effort-takes-it", {1, 1, 0, 0, 1, 1, 0, 0}, 4, TopologyPolicy::kBestEffort, 3, true},
      {"restricted-allows-two-when-one-never-does", {1, 1, 1, 1, 1, 1, 1, 1}, 6, TopologyPolicy::kRestricted, 3, true},
      {"single-never-allows-two", {1, 1, 1, 1, 1, 1, 1, 1}, 6, TopologyPolicy::kSingleNumaNode, 3, false},
      {"the-lower-of-two-halves", {1, 1, 0, 0, 1, 1, 1, 1}, 2, TopologyPolicy::kBestEffort, 1, true},
  };
  for (const AffinityCase& test : cases) {
    INFO(test.name);
    const NumaRequest request{two_sockets(test.free), test.request};
    const Affinity result = affinity(std::span(&request, 1), test.policy);
    CHECK(result.mask == test.mask);
    CHECK(result.admitted == test.admitted);
  }
}

TEST_CASE("nothing is refused while the NUMA nodes are unknown") {
  const NumaRequest unknown{{{}, std::vector<int>(8, -1), std::vector<int>(8, 1), std::vector<int>(8, 1)}, 4};
  CHECK(affinity(std::span(&unknown, 1), TopologyPolicy::kSingleNumaNode).admitted);
}

TEST_CASE("the Topology Manager merges the hints of several resources") {
  // GPUs 0 and 1 on NUMA node 0, 2 and 3 on node 1: whole ones, and MIG instances on 1 and 3.
  const auto devices = [](std::vector<int> all, std::vector<int> free) {
    return NumaDevices{{0, 1}, {0, 0, 1, 1}, std::move(all), std::move(free)};
  };
  struct Case {
    const char* name;
    std::vector<int> free_gpus, free_instances;
    int gpus, instances;
    TopologyPolicy policy;
    std::uint64_t mask;
    bool admitted;
  };
  const Case cases[] = {
      {"both-on-the-first", {1, 0, 1, 0}, {0, 2, 0, 2}, 1, 1, TopologyPolicy::kSingleNumaNode, 1, true},
      {"both-on-the-second", {0, 0, 1, 0}, {0, 2, 0, 2}, 1, 2, TopologyPolicy::kSingleNumaNode, 2, true},
      {"on-different-nodes", {1, 0, 0, 0}, {0, 0, 0, 2}, 1, 1, TopologyPolicy::kSingleNumaNode, 1, false},
      {"restricted-the-same", {1, 0, 0, 0}, {0, 0, 0, 2}, 1, 1, TopologyPolicy::kRestricted, 1, false},
      {"best-effort-takes-them", {1, 0, 0, 0}, {0, 0, 0, 2}, 1, 1, TopologyPolicy::kBestEffort, 1, true},
      {"instances-of-both-nodes", {1, 0, 1, 0}, {0, 1, 0, 1}, 1, 2, TopologyPolicy::kBestEffort, 3, true},
      {"more-than-one-node-ever-has", {1, 0, 1, 0}, {0, 2, 0, 2}, 2, 3, TopologyPolicy::kRestricted, 3, true},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    const std::vector<NumaRequest> requests = {{devices({1, 0, 1, 0}, test.free_gpus), test.gpus},
                                               {devices({0, 2, 0, 2}, test.free_instances), test.instances}};
    const Affinity result = affinity(requests, test.policy);
    CHECK(result.mask == test.mask);
    CHECK(result.admitted == test.admitted);
  }
}

TEST_CASE("an instance is on the NUMA node of its GPU") {
  Cluster cluster({node("n").gpus(2).mig({{"3g.40gb", "3g.40gb"}, {"3g.40gb", "3g.40gb"}})},
                  {pod("held").mig("3g.40gb"), pod("two").mig("3g.40gb", 2), pod("next").mig("3g.40gb", 2)});
  ClusterShape shape = cluster.usage.shape();
  shape.node_classes.front().gpus[1].numa_node = 1;
  shape.node_classes.front().gpus[0].numa_node = 0;
  ClusterUsage usage(std::make_shared<const ClusterShape>(shape));
  const auto add = [&](const char* name) { return usage.add_pod(cluster.usage.pod_class_id(cluster.pod(name))); };
  const PodId held = add("held");
  usage.bind(held, NodeId{0}, std::vector<GpuShare>{{0, 0, 0, 0}});
  const std::vector<PodId> pods = {add("two")};
  Options options;
  KubeletRules rules;
  rules.policy = TopologyPolicy::kSingleNumaNode;
  options.kubelet = std::make_shared<const KubeletRules>(rules);
  options.view = View::kExtended;
  const PlacementResult aligned = place_pods(usage, pods, options);
  CHECK(aligned.pods[0].consequences.empty());
  for (const GpuShare& share : usage.shares(pods[0])) CHECK(share.gpu == 1);
  // With one held on each GPU no NUMA node has two left.
  usage.unbind(pods[0]);
  usage.bind(add("held"), NodeId{0}, std::vector<GpuShare>{{1, 2, 0, 0}});
  const std::vector<PodId> next = {add("next")};
  const PlacementResult refused = place_pods(usage, next, options);
  REQUIRE(refused.pods[0].consequences.size() == 1);
  CHECK(consequence_text(usage.shape(), usage.pod_class(next[0]), refused.pods[0].consequences[0]) ==
        "the kubelet refuses the pod, TopologyAffinityError: no 2 free MIG instances on one NUMA node (policy "
        "single-numa-node)");
}

TEST_CASE("the plugin spreads replicas, packs them when told to, and lowest stands for any choice") {
  Cluster cluster({node("n").gpus(2).time_slicing(4)}, {pod("p").gpus(2).shared()});
  KubeletRules rules;
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 2}, {}, rules) == Gpus{0, 0});
  rules.pick = KubeletPick::kPreferred;
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 2}, {}, rules) == Gpus{0, 1});
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 5}, {}, rules) == Gpus{0, 0, 0, 1, 1});
  KubeletFacts packs;
  packs.packed = true;
  rules.nodes = {packs};
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 3}, {}, rules) == Gpus{0, 0, 0});
}

TEST_CASE("the plugin keeps bridged pairs together") {
  Cluster cluster({node("n").gpus(4).islands({{0, 1}, {2, 3}})}, {pod("held").gpus(1), pod("p").gpus(2)});
  cluster.bind("held", "n", {0});
  KubeletRules rules;
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 2}, {}, rules) == Gpus{1, 2});
  rules.pick = KubeletPick::kPreferred;
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 2}, {}, rules) == Gpus{2, 3});
  CHECK(kubelet_choice(cluster.usage, NodeId{0}, {kNvidiaGpu, 1}, {}, rules) == Gpus{1});
}

TEST_CASE("MPS gives each client its share of memory and threads, and one replica a container") {
  Cluster cluster({node("n").gpus(1, "A100", 40).time_slicing(10)},
                  {pod("small").gpus(1).shared().memory_gib(4), pod("large").gpus(1).shared().memory_gib(5),
                   pod("two").gpus(2).shared()});
  Options options;
  KubeletRules rules;
  KubeletFacts facts;
  facts.mps = facts.one_replica_only = true;
  rules.nodes = {facts};
  options.kubelet = std::make_shared<const KubeletRules>(rules);
  options.view = View::kExtended;
  const PlacementResult result = place_pods(cluster.usage, cluster.pods, options);
  const auto kinds = [&](std::size_t pod) {
    std::vector<std::string> names;
    for (const Consequence& found : result.pods[pod].consequences) {
      names.emplace_back(consequence_name(found.kind));
    }
    return names;
  };
  CHECK(kinds(0).empty());
  CHECK(kinds(1) == std::vector<std::string>{"mps-memory-below-need"});
  CHECK(kinds(2) == std::vector<std::string>{"same-physical-gpu", "replica-limit"});
  const auto text = [&](std::size_t pod, std::size_t i) {
    return consequence_text(cluster.shape(), cluster.usage.pod_class(cluster.pods[pod]),
                            result.pods[pod].consequences[i]);
  };
  CHECK(text(1, 0) == "needs 5 GiB per GPU, MPS gives each of 10 clients 4 GiB: out of memory when the weights load");
  CHECK(text(2, 1) ==
        "the kubelet refuses the pod, UnexpectedAdmissionError: invalid request: maximum request size for shared "
        "resources is 1; found 2");
}

}  // namespace gpusched::placement
