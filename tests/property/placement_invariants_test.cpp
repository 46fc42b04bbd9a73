// Whatever is placed, nothing is handed out twice and the books balance.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "gpusched/placement/place.hpp"
#include "gpusched/topology/all_reduce.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::placement {
namespace {

using testing::Cluster;
using testing::Random;

struct Held {
  std::vector<std::int32_t> milli, memory_mib;
  std::vector<int> instances;
};

/// What the bound pods of a node hold, added up from their shares.
Held held_on(const ClusterUsage& usage, NodeId node) {
  const NodeClass& node_class = usage.node_class(node);
  Held held;
  held.milli.resize(node_class.gpus.size());
  held.memory_mib.resize(node_class.gpus.size());
  held.instances.resize(node_class.instances.size());
  for (std::size_t i = 0; i < usage.pod_count(); ++i) {
    if (usage.node_of(PodId{i}) != node) continue;
    for (const GpuShare& share : usage.shares(PodId{i})) {
      if (share.instance == GpuShare::kNoInstance) {
        held.milli[share.gpu] += share.milli;
        held.memory_mib[share.gpu] += share.memory_mib;
      } else {
        ++held.instances[share.instance];
      }
    }
  }
  return held;
}

std::int64_t requested_on(const ClusterUsage& usage, NodeId node, ResourceId resource) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < usage.pod_count(); ++i) {
    if (usage.node_of(PodId{i}) != node) continue;
    sum += resource == kPods ? 1 : 0;
    for (const auto& [id, amount] : usage.pod_class(PodId{i}).requests) sum += id == resource ? amount : 0;
  }
  return sum;
}

void check_node(const ClusterUsage& usage, NodeId node) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(node);
  const Held held = held_on(usage, node);
  for (std::size_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    const std::int32_t whole = kWholeGpuMilli * node_class.gpus[gpu].replicas;
    CHECK(held.milli[gpu] <= whole);
    CHECK((!node_class.gpus[gpu].mig || held.milli[gpu] == 0));
    CHECK(usage.free_milli(node)[gpu] == whole - held.milli[gpu]);
    CHECK(usage.free_memory_mib(node)[gpu] == shape.board(node_class.gpus[gpu]).memory_mib - held.memory_mib[gpu]);
  }
  std::set<std::pair<int, int>> slices;  // GPU and memory slice of the instances that are held
  for (std::size_t i = 0; i < node_class.instances.size(); ++i) {
    CHECK(held.instances[i] <= 1);
    CHECK(usage.instance_holders(node)[i].valid() == (held.instances[i] == 1));
    const MigInstance& instance = node_class.instances[i];
    for (int slice = 0; held.instances[i] == 1 && slice < instance.memory_slices; ++slice) {
      CHECK(slices.emplace(instance.gpu, instance.start + slice).second);
    }
  }
  for (std::size_t r = 0; r < shape.resources.size(); ++r) {
    const ResourceId resource{r};
    CHECK(usage.used(node, resource) == requested_on(usage, node, resource));
    const std::int64_t limit = node_class.allocatable[r];
    // Fractions of a GPU count as a whole one in requests, so only the GPUs themselves bound them.
    CHECK((limit == kNotModelled || resource == kNvidiaGpu || usage.used(node, resource) <= limit));
  }
}

/// The promises of the gpu view for one pod that was placed.
void check_hardware(const ClusterUsage& usage, const PodOutcome& outcome) {
  const ClusterShape& shape = usage.shape();
  const PodClass& pod = usage.pod_class(outcome.pod);
  const NodeClass& node_class = usage.node_class(outcome.node);
  std::vector<std::uint16_t> gpus;
  for (const GpuShare& share : outcome.shares) {
    const Gpu& gpu = node_class.gpus[share.gpu];
    CHECK((!pod.model.valid() || shape.board(gpu).model == pod.model));
    if (share.instance != GpuShare::kNoInstance) continue;
    gpus.push_back(share.gpu);
    CHECK((gpu.replicas > 1) == pod.shared);
    CHECK(pod.gpu_memory_mib() <= shape.board(gpu).memory_mib);
  }
  CHECK(std::ranges::is_sorted(gpus));
  CHECK(std::ranges::adjacent_find(gpus) == gpus.end());  // never two replicas of one GPU
  if (pod.nvlink && pod.gpus > 1) CHECK(topology::islands_spanned(node_class, outcome.shares) == 1);
  for (const Consequence& consequence : outcome.consequences) {
    CHECK(consequence.kind == ConsequenceKind::kSpansIslands);
  }
}

int devices_wanted(const PodClass& pod) {
  int wanted = pod.gpus;
  for (const MigRequest& request : pod.mig) wanted += request.count;
  return wanted;
}

}  // namespace

TEST_CASE("nothing is over-committed by any view, policy or preemption") {
  std::size_t placed = 0;
  std::size_t pending = 0;
  std::size_t evicted = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, random.between(1, 30)));
    const Options options = testing::random_options(random);
    const PlacementResult result = place_pods(cluster.usage, cluster.pods, options);
    for (std::size_t n = 0; n < cluster.shape().nodes.size(); ++n) check_node(cluster.usage, NodeId{n});
    std::map<PodId, NodeId> last;
    for (const PodOutcome& outcome : result.pods) {
      last[outcome.pod] = outcome.evicted_by.valid() ? NodeId{} : outcome.node;
      placed += outcome.node.valid() ? 1 : 0;
      pending += outcome.node.valid() ? 0 : 1;
      evicted += outcome.victims.size();
      CHECK((outcome.reasons == nullptr) == outcome.node.valid());
      if (!outcome.node.valid()) continue;
      CHECK(std::ssize(outcome.shares) == devices_wanted(cluster.usage.pod_class(outcome.pod)));
      if (options.view == View::kGpu) check_hardware(cluster.usage, outcome);
    }
    for (const auto& [pod, node] : last) CHECK(cluster.usage.node_of(pod) == node);
  }
  CHECK(placed > 1000);
  CHECK(pending > 500);
  CHECK(evicted > 100);
}

TEST_CASE("a new node never makes a pod unplaceable") {
  std::size_t gained = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<testing::NodeSpec> nodes = testing::random_nodes(random);
    const std::vector<testing::PodSpec> pods{testing::random_pod(random, "p")};
    const Options options = testing::random_options(random);
    Cluster before(nodes, pods);
    nodes.insert(nodes.begin() + random.below(static_cast<int>(nodes.size()) + 1),
                 testing::random_node(random, random.one_in(2) ? "a" : "z"));
    Cluster after(nodes, pods);
    const bool fitted = place_pods(before.usage, before.pods, options).unplaced() == 0;
    const bool fits = place_pods(after.usage, after.pods, options).unplaced() == 0;
    CHECK((fits || !fitted));
    gained += fits && !fitted ? 1 : 0;
  }
  CHECK(gained > 20);
}

TEST_CASE("fill counts what placing one pod after another gives") {
  std::size_t bounded = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, 8));
    const Options options = testing::random_options(random);
    static_cast<void>(place_pods(cluster.usage, cluster.pods, options));
    const PodClassId pod_class = cluster.usage.pod_class_id(cluster.pods.back());
    const ClusterUsage before = cluster.usage;
    const auto result = fill(cluster.usage, pod_class, options);
    CHECK(cluster.usage == before);
    if (!result) {
      CHECK(result.error().front().code == "fill-unbounded");
      continue;
    }
    ++bounded;
    std::map<NodeId, std::size_t> per_node;
    std::size_t count = 0;
    ClusterUsage copy = before;
    for (;;) {  // a fresh placer each time, so nothing is remembered
      const NodeId node = Placer(copy, options).place(copy.add_pod(pod_class));
      if (!node.valid()) break;
      ++per_node[node];
      ++count;
    }
    CHECK(result->count == count);
    CHECK(std::map<NodeId, std::size_t>(result->per_node.begin(), result->per_node.end()) == per_node);
    CHECK(std::ranges::is_sorted(result->per_node, {},
                                 [&](const auto& entry) { return copy.shape().name(entry.first); }));
  }
  CHECK(bounded > 200);
}

}  // namespace gpusched::placement
