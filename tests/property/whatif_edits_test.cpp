#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "gpusched/placement/place.hpp"
#include "gpusched/whatif/model_edit.hpp"
#include "gpusched/whatif/object_edit.hpp"
#include "support/kube_objects.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::whatif {
namespace {

using testing::Random;

/// A random cluster with some of its pods placed.
gpusched::Cluster random_model(Random& random) {
  const testing::Cluster built(testing::random_nodes(random), testing::random_pods(random, random.between(2, 20)));
  gpusched::Cluster cluster{built.usage, {}, {}, {}, {}};
  for (const PodId pod : built.pods) {
    if (random.one_in(3)) {
      cluster.pods.push_back(pod);
    } else {
      placement::Placer placer(cluster.usage, {});
      if (!placer.place(pod).valid()) {
        cluster.pods.push_back(pod);
      }
    }
  }
  cluster.pod_facts.resize(cluster.usage.pod_count());
  for (PodFacts& facts : cluster.pod_facts) {
    facts.control = random.one_in(5)   ? PodControl::kStays
                    : random.one_in(5) ? PodControl::kNone
                                       : PodControl::kController;
  }
  cluster.usage.commit();
  return cluster;
}

std::string random_node_of(Random& random, const gpusched::Cluster& cluster) {
  const ClusterShape& shape = cluster.usage.shape();
  return std::string(shape.text(random.pick(shape.nodes).name));
}

/// Everything about a cluster that a scheduler can see, by name.
std::string picture(const gpusched::Cluster& cluster) {
  const ClusterUsage& usage = cluster.usage;
  const ClusterShape& shape = usage.shape();
  std::string text;
  for (const NodeId node : shape.nodes_by_name) {
    const NodeClass& node_class = usage.node_class(node);
    text += std::string(shape.name(node)) + (usage.cordoned(node) ? " cordoned" : "");
    for (const auto& [key, value] : shape.label_sets[node_class.labels.index()]) {
      text += " " + std::string(shape.text(key)) + "=" + std::string(shape.text(value));
    }
    text += " taints " + std::to_string(shape.taint_sets[node_class.taints.index()].size());
    for (std::size_t i = 0; i < node_class.allocatable.size(); ++i) {
      if (node_class.allocatable[i] != 0) {
        text += " " + std::string(shape.name(ResourceId{i})) + ":" + std::to_string(node_class.allocatable[i]) + "-" +
                std::to_string(usage.used(node, ResourceId{i}));
      }
    }
    for (const std::int32_t free : usage.free_milli(node)) {
      text += " " + std::to_string(free);
    }
    for (const MigInstance& instance : node_class.instances) {
      text += " " + std::to_string(instance.gpu) + "." + std::string(shape.text(instance.profile)) + "@" +
              std::to_string(instance.start);
    }
    text += "\n";
  }
  for (std::size_t i = 0; i < usage.pod_count(); ++i) {
    const NodeId node = usage.node_of(PodId{i});
    text += std::to_string(i) + (node.valid() ? std::string(shape.name(node)) : std::string()) + "\n";
  }
  return text;
}

std::size_t present(const gpusched::Cluster& cluster) {
  std::size_t count = cluster.pods.size();
  for (std::size_t i = 0; i < cluster.usage.pod_count(); ++i) {
    count += cluster.usage.node_of(PodId{i}).valid() ? 1 : 0;
  }
  return count;
}

TEST_CASE("an edit and its inverse leave the cluster as it was") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const gpusched::Cluster cluster = random_model(random);
    const std::string node = random_node_of(random, cluster);
    CAPTURE(seed, node);
    const std::vector<std::vector<ClusterEdit>> pairs = {
        {LabelNode{node, "new-key", "v"}, LabelNode{node, "new-key", std::nullopt}},
        {TaintNode{node, {"new-key", "v", "NoSchedule"}, false}, TaintNode{node, {"new-key", "", ""}, true}},
        {ScaleOwner{"pod", "", "none", 0}},
    };
    for (const std::vector<ClusterEdit>& edits : pairs) {
      const Result<EditedCluster> after = apply(edits, cluster, {});
      if (after) {
        CHECK(picture(after->cluster) == picture(cluster));
      } else {
        CHECK(after.error().front().code == "unknown-owner");
      }
    }
    const NodeId id = cluster.usage.shape().find_node(node);
    const bool was = cluster.usage.cordoned(id);
    const std::vector<ClusterEdit> cordons = {CordonNode{node, !was}, CordonNode{node, was}};
    CHECK(picture(apply(cordons, cluster, {}).value().cluster) == picture(cluster));
  }
}

TEST_CASE("a drain keeps the number of pods, over-commits nothing and leaves only pods that stay") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const gpusched::Cluster cluster = random_model(random);
    const std::string node = random_node_of(random, cluster);
    CAPTURE(seed, node);
    const std::vector<ClusterEdit> edits = {DrainNode{node}};
    const EditedCluster after = apply(edits, cluster, {}).value();
    CHECK(present(after.cluster) == present(cluster));
    const ClusterUsage& usage = after.cluster.usage;
    const NodeId id = usage.shape().find_node(node);
    for (PodId pod = usage.first_pod(id); pod.valid(); pod = usage.next_pod(pod)) {
      CHECK((cluster.pod_facts[pod.index()].control == PodControl::kStays ||
             usage.pod_class(pod).tolerations.size() > 0));  // a pod that tolerates cordons may come back
    }
    for (std::size_t i = 0; i < usage.shape().nodes.size(); ++i) {
      for (const std::int32_t free : usage.free_milli(NodeId{i})) {
        CHECK(free >= 0);
      }
    }
    std::size_t moved = 0;
    for (const PodFate& fate : after.effects[0].pods) {
      moved += fate.change == PodChange::kMoved || fate.change == PodChange::kPending ? 1 : 0;
    }
    std::size_t left = 0;
    for (std::size_t i = 0; i < cluster.usage.pod_count(); ++i) {
      left += cluster.usage.node_of(PodId{i}) == id && cluster.pod_facts[i].control != PodControl::kStays ? 1 : 0;
    }
    CHECK(moved == left);
  }
}

TEST_CASE("a removed node takes nothing of the others along") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const gpusched::Cluster cluster = random_model(random);
    const std::string node = random_node_of(random, cluster);
    CAPTURE(seed, node);
    const std::vector<ClusterEdit> edits = {RemoveNode{node}};
    const EditedCluster after = apply(edits, cluster, {}).value();
    const ClusterShape& shape = after.cluster.usage.shape();
    CHECK(shape.nodes.size() + 1 == cluster.usage.shape().nodes.size());
    CHECK_FALSE(shape.find_node(node).valid());
    for (std::size_t i = 0; i < cluster.usage.pod_count(); ++i) {
      const NodeId was = cluster.usage.node_of(PodId{i});
      if (was.valid() && cluster.usage.shape().name(was) != node) {
        const NodeId is = after.cluster.usage.node_of(PodId{i});
        REQUIRE(is.valid());
        CHECK(shape.name(is) == cluster.usage.shape().name(was));
        CHECK(std::ranges::equal(after.cluster.usage.shares(PodId{i}), cluster.usage.shares(PodId{i})));
      }
    }
  }
}

TEST_CASE("the order of edits matters: a node that is added first takes what is drained") {
  const testing::Cluster built({testing::node("a").gpus(4)}, {testing::pod("p").gpus(4)});
  gpusched::Cluster cluster{built.usage, {}, {}, {}, {}};
  cluster.usage.bind(PodId{0}, NodeId{0}, std::vector<GpuShare>{{0}, {1}, {2}, {3}});
  cluster.pod_facts.resize(1);
  auto same = std::make_shared<NodeTemplate>();
  same->name = "a";
  same->shape = testing::Cluster({testing::node("a").gpus(4)}).usage.shape_ptr();
  const std::vector<ClusterEdit> first = {AddShape{same, 1}, DrainNode{"a"}};
  const std::vector<ClusterEdit> last = {DrainNode{"a"}, AddShape{same, 1}};
  CHECK(apply(first, cluster, {}).value().cluster.pods.empty());
  CHECK(apply(last, cluster, {}).value().cluster.pods == std::vector{PodId{0}});
}

/// Kubernetes nodes with GPUs and pods of controllers, some of them bound where they fit.
objects::ClusterObjects random_objects(Random& random) {
  objects::ClusterObjects cluster;
  std::vector<int> free;
  for (int i = 0; i < random.between(1, 5); ++i) {
    free.push_back(random.between(0, 8));
    cluster.nodes.push_back(testing::simple_node("n" + std::to_string(i), free.back()));
  }
  for (int i = 0; i < random.between(1, 9); ++i) {
    const int gpus = random.between(0, 3);
    const auto node = static_cast<std::size_t>(random.below(static_cast<int>(free.size())));
    const bool fits = free[node] >= gpus && !random.one_in(4);
    free[node] -= fits ? gpus : 0;
    objects::Pod pod = testing::simple_pod("p" + std::to_string(i), fits ? "n" + std::to_string(node) : "", gpus);
    if (!random.one_in(5)) {
      pod.meta.owner_references.edit() = {{"apps/v1", random.one_in(4) ? "DaemonSet" : "ReplicaSet", "w", "", true}};
    }
    cluster.pods.push_back(std::move(pod));
  }
  return cluster;
}

TEST_CASE("a drain of objects keeps their number and over-commits no node") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const objects::ClusterObjects cluster = random_objects(random);
    const std::string node = random.pick(cluster.nodes).meta.name;
    CAPTURE(seed, node);
    const std::vector<ClusterEdit> edits = {DrainNode{node}};
    const EditedObjects after = apply(edits, cluster, ObjectEditOptions{}).value();
    CHECK(after.cluster.pods.size() == cluster.pods.size());
    std::map<std::string, std::int64_t> used;
    for (const objects::Pod& pod : after.cluster.pods) {
      if (!pod.node_name.empty()) {
        for (const auto& [name, amount] : objects::pod_demand(pod).requests.scalars) {
          used[pod.node_name] += amount;
        }
        CHECK((pod.node_name != node || stays_on_drain(pod)));
      }
    }
    for (const objects::Node& known : after.cluster.nodes) {
      const Quantity* const offered = objects::find(known.status.allocatable, "nvidia.com/gpu");
      CHECK(used[known.meta.name] <= (offered == nullptr ? 0 : offered->value()));
    }
  }
}

TEST_CASE("an edit of a node's object and its inverse leave the objects as they were") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const objects::ClusterObjects cluster = random_objects(random);
    const std::string node = random.pick(cluster.nodes).meta.name;
    CAPTURE(seed, node);
    const std::vector<ClusterEdit> edits = {LabelNode{node, "new-key", "v"}, LabelNode{node, "new-key", std::nullopt},
                                            TaintNode{node, {"new-key", "v", "NoSchedule"}, false},
                                            TaintNode{node, {"new-key", "", ""}, true}};
    const EditedObjects after = apply(edits, cluster, ObjectEditOptions{}).value();
    CHECK(after.cluster.nodes == cluster.nodes);
    CHECK(after.cluster.pods == cluster.pods);
  }
}

}  // namespace
}  // namespace gpusched::whatif
