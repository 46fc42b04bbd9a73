#include "gpusched/whatif/model_edit.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "gpusched/model/node_labels.hpp"
#include "support/builders.hpp"

namespace gpusched::whatif {
namespace {

using testing::node;
using testing::pod;

/// The edits' model of a test cluster whose pods on nodes have controllers, if not said otherwise.
gpusched::Cluster cluster_of(const testing::Cluster& built) {
  gpusched::Cluster cluster{built.usage, {}, {}, {}, {}};
  for (const PodId pod : built.pods) {
    if (!built.usage.node_of(pod).valid()) {
      cluster.pods.push_back(pod);
    }
  }
  cluster.pod_facts.resize(built.usage.pod_count());
  return cluster;
}

Result<EditedCluster> edit(const gpusched::Cluster& cluster, std::vector<ClusterEdit> edits) {
  return apply(edits, cluster, {});
}

std::string place_of(const gpusched::Cluster& cluster, std::size_t pod) {
  const NodeId node = cluster.usage.node_of(PodId{pod});
  return node.valid() ? std::string(cluster.usage.shape().name(node)) : "";
}

std::string code_of(const Result<EditedCluster>& result) {
  return result ? "" : result.error().front().code;
}

testing::Cluster two_nodes() {
  testing::Cluster built({node("a").gpus(4).one_island().label("pool", "x"), node("b").gpus(4).one_island()},
                         {pod("p").gpus(2), pod("q").gpus(2), pod("r").gpus(1)});
  built.bind("p", "a", {0, 1});
  built.bind("q", "a", {2, 3});
  built.bind("r", "b", {0});
  return built;
}

TEST_CASE("what is known of a kubelet stays with its node, and MPS is known of a node that is shared by it") {
  gpusched::Cluster cluster = cluster_of(two_nodes());
  cluster.kubelet = {{TopologyPolicy::kRestricted, false, false, false}, {TopologyPolicy::kNone, false, false, false}};
  const EditedCluster result =
      edit(cluster, {DeletePod{"p"}, DeletePod{"q"}, RemoveNode{"a"}, ShareGpus{"b", SharingStrategy::kMps, 4, false}})
          .value();
  REQUIRE(result.cluster.kubelet.size() == 1);
  CHECK(result.cluster.kubelet[0].topology_policy == TopologyPolicy::kNone);
  CHECK(result.cluster.kubelet[0].mps);
  CHECK(result.cluster.kubelet[0].one_replica_only);
}

TEST_CASE("drain cordons, moves what fits elsewhere and leaves the rest Pending") {
  const EditedCluster result = edit(cluster_of(two_nodes()), {DrainNode{"a"}}).value();
  CHECK(place_of(result.cluster, 0) == "b");
  CHECK(place_of(result.cluster, 1).empty());
  CHECK(result.cluster.pods == std::vector{PodId{1}});
  CHECK(result.cluster.usage.cordoned(result.cluster.usage.shape().find_node("a")));
  CHECK(
      result.effects[0].effect ==
      "2 pods evicted, 1 placed (b), 1 Pending: 0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) were "
      "unschedulable; 4 free GPUs out of reach");
}

TEST_CASE("a node may be meant by a selector, which sees the labels that edits before it set") {
  const gpusched::Cluster cluster = cluster_of(two_nodes());
  CHECK(edit(cluster, {CordonNode{"pool=x"}}).value().effects[0].nodes == std::vector<std::string>{"a"});
  CHECK(edit(cluster, {CordonNode{"pool!=x"}}).value().effects[0].nodes == std::vector<std::string>{"b"});
  CHECK(edit(cluster, {LabelNode{"b", "pool", "x"}, CordonNode{"pool=x"}}).value().effects[1].nodes ==
        std::vector<std::string>{"a", "b"});
  CHECK(code_of(edit(cluster, {LabelNode{"a", "pool", std::nullopt}, CordonNode{"pool=x"}})) == "no-node-matches");
}

TEST_CASE("a budget lets the next pod go when the evicted one runs again, and keeps it otherwise") {
  gpusched::Cluster cluster = cluster_of(two_nodes());
  cluster.budgets = {{"ml/two", 1}};
  cluster.pod_facts[0].budgets = {0};
  cluster.pod_facts[1].budgets = {0};
  SECTION("p finds a place, so q may go and finds none") {
    const EditedCluster result = edit(cluster, {DrainNode{"a"}}).value();
    CHECK(result.effects[0].pods[1].change == PodChange::kPending);
    CHECK(result.cluster.budgets[0].allowed == 0);
  }
  SECTION("p finds no place, so q has to stay") {
    const EditedCluster result = edit(cluster, {CordonNode{"b"}, DrainNode{"a"}}).value();
    CHECK(result.effects[1].pods[0].change == PodChange::kPending);
    CHECK(result.effects[1].pods[1].change == PodChange::kForbidden);
    CHECK(place_of(result.cluster, 1) == "a");
    CHECK(result.effects[1].effect.ends_with(
        "; 1 pod kept (q): the PodDisruptionBudget ml/two allows no more disruption; 2 free GPUs out of reach"));
  }
  SECTION("nothing may go") {
    cluster.budgets[0].allowed = 0;
    const EditedCluster result = edit(cluster, {DrainNode{"a"}}).value();
    CHECK(result.effects[0].effect ==
          "no pod to evict; 2 pods kept (p, q): the PodDisruptionBudget ml/two allows no more disruption");
  }
  SECTION("the eviction API supports one budget for a pod") {
    cluster.budgets.push_back({"ml/other", 5});
    cluster.pod_facts[0].budgets = {0, 1};
    const EditedCluster result = edit(cluster, {DrainNode{"a"}}).value();
    CHECK(result.effects[0].pods[0].change == PodChange::kForbidden);
  }
}

TEST_CASE("pods of DaemonSets stay on a drain, and pods that nobody makes again are named") {
  gpusched::Cluster cluster = cluster_of(two_nodes());
  cluster.pod_facts[0].control = PodControl::kStays;
  cluster.pod_facts[1].control = PodControl::kNone;
  const EditedCluster result = edit(cluster, {DrainNode{"a"}}).value();
  CHECK(place_of(result.cluster, 0) == "a");
  CHECK(place_of(result.cluster, 1) == "b");
  CHECK(result.effects[0].effect ==
        "1 pod evicted, 1 placed (b); 1 pod of DaemonSets or of the node stay; 1 pod without a controller (q): kubectl "
        "drain refuses without --force, and nobody makes it again; 2 free GPUs out of reach");
}

TEST_CASE("a removed node's pods want a place, if somebody makes them again") {
  gpusched::Cluster cluster = cluster_of(two_nodes());
  cluster.pod_facts[1].control = PodControl::kNone;
  const EditedCluster result = edit(cluster, {RemoveNode{"a"}}).value();
  CHECK(result.cluster.usage.shape().nodes.size() == 1);
  CHECK(place_of(result.cluster, 0) == "b");
  CHECK(place_of(result.cluster, 1).empty());
  CHECK(result.cluster.pods.empty());
  CHECK(place_of(result.cluster, 2) == "b");
}

TEST_CASE("a node like another one is of its class, without its pods and its cordon") {
  const gpusched::Cluster cluster = cluster_of(two_nodes());
  const EditedCluster result =
      edit(cluster, {CordonNode{"a"}, AddNodes{"a", 2}, AddNodes{"a", 1}, DrainNode{"a"}}).value();
  const ClusterShape& shape = result.cluster.usage.shape();
  CHECK(result.effects[1].nodes == std::vector<std::string>{"a-new-1", "a-new-2"});
  CHECK(result.effects[2].nodes == std::vector<std::string>{"a-new-3"});
  CHECK(result.cluster.usage.node_class(shape.find_node("a-new-2")) ==
        result.cluster.usage.node_class(shape.find_node("a")));
  CHECK_FALSE(result.cluster.usage.cordoned(shape.find_node("a-new-1")));
  CHECK(result.cluster.pods.empty());
}

TEST_CASE("a node like a cordoned one is not cordoned, has its own host name, and the kubelet of its example") {
  const testing::Cluster built(
      {node("a").gpus(1).taint("node.kubernetes.io/unschedulable").label("kubernetes.io/hostname", "a")});
  gpusched::Cluster cluster = cluster_of(built);
  cluster.kubelet.resize(1);
  cluster.kubelet[0].one_replica_only = true;
  const EditedCluster result = edit(cluster, {AddNodes{"a", 2}}).value();
  const ClusterShape& shape = result.cluster.usage.shape();
  for (const std::string name : {"a-new-1", "a-new-2"}) {
    const NodeId added = shape.find_node(name);
    const NodeClass& its = result.cluster.usage.node_class(added);
    CHECK(shape.taint_sets[its.taints.index()].empty());
    REQUIRE(shape.label_sets[its.labels.index()].size() == 1);
    CHECK(shape.text(shape.label_sets[its.labels.index()][0].second) == name);
    CHECK(result.cluster.kubelet.at(added.index()).one_replica_only);
  }
  const NodeTemplate copy = template_like(built.shape(), built.id("a"));
  CHECK(copy.name == "a");
  REQUIRE(copy.shape->nodes.size() == 1);
  CHECK(
      copy.shape->taint_sets[copy.shape->node_classes[copy.shape->nodes[0].node_class.index()].taints.index()].empty());
}

TEST_CASE("the taint NoExecute makes pods leave that do not tolerate it") {
  const TaintNode taint{"a", {"k", "v", "NoExecute"}, false};
  const EditedCluster result = edit(cluster_of(two_nodes()), {taint}).value();
  CHECK(place_of(result.cluster, 0) == "b");
  CHECK(result.effects[0].pods.size() == 2);
  const EditedCluster soft = edit(cluster_of(two_nodes()), {TaintNode{"a", {"k", "v", "NoSchedule"}, false}}).value();
  CHECK(place_of(soft.cluster, 0) == "a");
}

TEST_CASE("sharing multiplies what a node offers and keeps who is there") {
  testing::Cluster built({node("l4").gpus(2, "L4", 24)}, {pod("p").gpus(1)});
  built.bind("p", "l4", {0});
  const gpusched::Cluster cluster = cluster_of(built);
  const ShareGpus four{"l4", SharingStrategy::kTimeSlicing, 4, false};
  const EditedCluster shared = edit(cluster, {four}).value();
  const NodeId l4{0};
  CHECK(shared.cluster.usage.node_class(l4).allocatable[kNvidiaGpu.index()] == 8);
  CHECK(shared.cluster.usage.free_milli(l4)[0] == 3000);
  CHECK(shared.cluster.usage.free_milli(l4)[1] == 4000);

  const EditedCluster renamed = edit(cluster, {ShareGpus{"l4", SharingStrategy::kMps, 3, true}}).value();
  const ClusterShape& shape = renamed.cluster.usage.shape();
  CHECK(renamed.cluster.usage.node_class(l4).allocatable[kNvidiaGpu.index()] == 0);
  CHECK(renamed.cluster.usage.node_class(l4).allocatable[shape.find_resource("nvidia.com/gpu.shared").index()] == 6);

  const EditedCluster back = edit(cluster, {four, ShareGpus{"l4"}}).value();
  CHECK(back.cluster.usage.node_class(l4) == cluster.usage.node_class(l4));
}

/// The labels of a node as "key=value", sorted.
std::vector<std::string> labels_of(const gpusched::Cluster& cluster, NodeId node) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : label_texts(cluster.usage.shape(), cluster.usage.node_class(node).labels)) {
    texts.push_back(std::string(key) + "=" + std::string(value));
  }
  std::ranges::sort(texts);
  return texts;
}

TEST_CASE("sharing rewrites the labels of GPU Feature Discovery, and makes none on a node that has none") {
  const gpusched::Cluster cluster = cluster_of(testing::Cluster(
      {node("l4").gpus(2, "L4", 24).label("nvidia.com/gpu.product", "NVIDIA-L4"), node("plain").gpus(1, "L4", 24)}));
  const ShareGpus four{"l4", SharingStrategy::kTimeSlicing, 4, false};
  CHECK(labels_of(edit(cluster, {four}).value().cluster, NodeId{0}) ==
        std::vector<std::string>{"nvidia.com/gpu.product=NVIDIA-L4-SHARED", "nvidia.com/gpu.replicas=4",
                                 "nvidia.com/gpu.sharing-strategy=time-slicing"});
  CHECK(labels_of(edit(cluster, {four, ShareGpus{"l4", SharingStrategy::kMps, 2, true}}).value().cluster, NodeId{0}) ==
        std::vector<std::string>{"nvidia.com/gpu.product=NVIDIA-L4", "nvidia.com/gpu.replicas=2",
                                 "nvidia.com/gpu.sharing-strategy=mps"});
  CHECK(labels_of(edit(cluster, {four, ShareGpus{"l4"}}).value().cluster, NodeId{0}) ==
        std::vector<std::string>{"nvidia.com/gpu.product=NVIDIA-L4", "nvidia.com/gpu.replicas=1",
                                 "nvidia.com/gpu.sharing-strategy=none"});
  const ShareGpus plain{"plain", SharingStrategy::kTimeSlicing, 4, false};
  CHECK(labels_of(edit(cluster, {plain}).value().cluster, NodeId{1}).empty());
}

TEST_CASE("a label that names an NVLink domain puts the node into it") {
  const std::string clique = "nvidia.com/gpu.clique";
  const std::string by_driver = "resource.nvidia.com/computeDomain.cliqueID";
  gpusched::Cluster cluster = cluster_of(
      testing::Cluster({node("a").gpus(4).label(clique, "u.1"), node("b").gpus(4), node("c").gpus(4).label("k", "v")}));
  const auto domain_of = [&](std::vector<ClusterEdit> edits, std::size_t node) {
    const gpusched::Cluster edited = edit(cluster, std::move(edits)).value().cluster;
    return node < edited.nvlink_domains.size() ? std::string(edited.usage.shape().text(edited.nvlink_domains[node]))
                                               : std::string();
  };
  cluster.nvlink_domains = {cluster.usage.shape().strings.find("u.1")};
  CHECK(domain_of({LabelNode{"b", clique, "u.1"}}, 1) == "u.1");
  CHECK(domain_of({LabelNode{"b", by_driver, "u.2"}}, 1) == "u.2");
  CHECK(domain_of({LabelNode{"a", clique, "u.3"}}, 0) == "u.3");
  CHECK(domain_of({LabelNode{"a", clique, std::nullopt}}, 0).empty());
  CHECK(domain_of({LabelNode{"a", by_driver, "u.2"}}, 0) == "u.1");
  CHECK(domain_of({LabelNode{"a", by_driver, "u.2"}, LabelNode{"a", clique, std::nullopt}}, 0) == "u.2");
  CHECK(domain_of({LabelNode{"a", "k", "w"}}, 0) == "u.1");
}

TEST_CASE("fewer replicas than holders are refused") {
  testing::Cluster built({node("l4").gpus(1, "L4", 24).time_slicing(4)},
                         {pod("p").gpus(1).shared(), pod("q").gpus(1).shared()});
  built.bind("p", "l4", {0});
  built.bind("q", "l4", {0});
  const Result<EditedCluster> result = edit(cluster_of(built), {ShareGpus{"l4"}});
  REQUIRE(code_of(result) == "gpu-busy");
  CHECK(result.error().front().message == "GPU 0 of l4 is held by p, q, more than 1 replica can serve");
  CHECK(edit(cluster_of(built), {DeletePod{"p"}, ShareGpus{"l4"}}));
}

TEST_CASE("a repartition keeps busy instances in their place") {
  testing::Cluster built({node("mig").gpus(1).mig({{"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"}})},
                         {pod("p").mig("2g.20gb")});
  built.bind_instances("p", "mig", {2});
  const gpusched::Cluster cluster = cluster_of(built);
  const NodeId mig{0};
  const auto layout = [&](std::string text) { return RepartitionGpus{"mig", std::nullopt, std::move(text)}; };

  const EditedCluster kept = edit(cluster, {layout("4g.40gb+2g.20gb")}).value_or(EditedCluster{cluster, {}});
  CHECK(kept.effects.empty());  // 2g.20gb@2 leaves no room for a 4g, which starts at 0
  const EditedCluster result = edit(cluster, {layout("1g.20gb+2g.20gb+3g.40gb")}).value();
  CHECK(result.effects[0].effect == "GPU 0: 1g.20gb@0, 2g.20gb@2, 3g.40gb@4");
  CHECK(result.cluster.usage.instance_holders(mig)[1] == PodId{0});
  CHECK(result.cluster.usage.shares(PodId{0})[0].instance == 1);

  CHECK(code_of(edit(cluster, {layout("all-1g.10gb")})) == "mig-instance-busy");
  CHECK(code_of(edit(cluster, {layout("all-disabled")})) == "mig-instance-busy");
  CHECK(code_of(edit(cluster, {layout("9g.90gb")})) == "mig-profile-unknown");
  CHECK(code_of(edit(cluster, {layout("8x1g.10gb")})) == "mig-layout-impossible");
  CHECK(code_of(edit(cluster, {RepartitionGpus{"mig", std::uint16_t{1}, "all-disabled"}})) == "gpu-out-of-range");
  const EditedCluster off = edit(cluster, {DeletePod{"p"}, layout("all-disabled")}).value();
  CHECK(off.cluster.usage.node_class(mig).allocatable[kNvidiaGpu.index()] == 1);
  CHECK_FALSE(off.cluster.usage.node_class(mig).gpus[0].mig);
}

TEST_CASE("a profile's suffix is no next profile") {
  testing::Cluster built({node("mig").gpus(1)});
  const EditedCluster result =
      edit(cluster_of(built), {RepartitionGpus{"mig", std::nullopt, "1g.10gb+me+2x1g.10gb"}}).value();
  CHECK(result.effects[0].effect == "GPU 0: 1g.10gb+me@0, 1g.10gb@1, 1g.10gb@2");
}

TEST_CASE("scale adds Pending copies and takes the youngest away") {
  gpusched::Cluster cluster =
      cluster_of(testing::Cluster({node("a").gpus(4)}, {pod("w-0").gpus(1), pod("w-1").gpus(1), pod("v").gpus(2)}));
  const EditedCluster more = edit(cluster, {ScaleOwner{"pod", "", "w", 4}}).value();
  REQUIRE(more.cluster.pods.size() == 5);
  CHECK(more.cluster.usage.shape().text(more.cluster.usage.pod_name(more.cluster.pods[3])) == "w-2");
  CHECK(more.cluster.usage.pod_class_id(more.cluster.pods[3]) == cluster.usage.pod_class_id(PodId{0}));
  const EditedCluster fewer = edit(cluster, {ScaleOwner{"Pod", "", "w", 1}}).value();
  CHECK(fewer.cluster.pods == std::vector{PodId{0}, PodId{2}});
  CHECK(edit(cluster, {ScaleOwner{"po", "", "w", 0}}).value().cluster.pods == std::vector{PodId{2}});
  const Result<EditedCluster> unknown = edit(cluster, {ScaleOwner{"deployment", "", "w", 1}});
  CHECK(code_of(unknown) == "unknown-owner");
}

TEST_CASE("a name that several namespaces have is ambiguous") {
  const gpusched::Cluster cluster =
      cluster_of(testing::Cluster({node("a").gpus(4)}, {pod("x/p").gpus(1), pod("y/p").gpus(1)}));
  CHECK(code_of(edit(cluster, {DeletePod{"p"}})) == "ambiguous-pod");
  CHECK(edit(cluster, {DeletePod{"x/p"}}).value().cluster.pods == std::vector{PodId{1}});
  CHECK(code_of(edit(cluster, {DeletePod{"x/q"}})) == "unknown-pod");
}

}  // namespace
}  // namespace gpusched::whatif
