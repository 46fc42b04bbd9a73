#include "gpusched/whatif/cluster_edit.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "gpusched/objects/set_label.hpp"
#include "gpusched/whatif/trial.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::whatif {
namespace {

using kubescheduler::NodeIndex;
using kubescheduler::Snapshot;
using testing::simple_node;
using testing::simple_pod;

objects::ClusterObjects small_cluster() {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 4), simple_node("n2", 4)};
  cluster.pods = {simple_pod("a", "n1", 2), simple_pod("b", "n1", 1), simple_pod("c", "n2", 3), simple_pod("d")};
  objects::Pod daemon = simple_pod("agent", "n1");
  daemon.meta.owner_references.edit() = {{"apps/v1", "DaemonSet", "agent", "", true}};
  cluster.pods.push_back(daemon);
  objects::ResourceClaim claim;
  claim.name = "devices";
  claim.namespace_name = "default";
  claim.allocation.emplace();
  claim.reserved_for = {{"", "pods", "a", "uid-a"}};
  cluster.resource_claims = {claim};
  return cluster;
}

/// What the scheduler sees of a cluster: nodes, what is used on them, and which claims are allocated.
std::string picture(const Snapshot& snapshot) {
  std::string text;
  for (const kubescheduler::NodeState& node : snapshot.nodes()) {
    text += node.name() + (node.object->spec.unschedulable ? " cordoned" : "");
    for (const objects::Taint& taint : node.object->spec.taints) {
      text += " " + taint.key + ":" + taint.effect;
    }
    for (const auto& [key, value] : node.object->meta.labels) {
      text += " " + key + "=" + value;
    }
    const auto gpu = snapshot.find_resource("nvidia.com/gpu");
    text += " " + std::to_string(node.usage.of(gpu)) + "/" + std::to_string(node.allocatable_of(gpu)) + " " +
            std::to_string(node.usage.pods.size()) + "\n";
  }
  for (const objects::ResourceClaim& claim : snapshot.resource_claims()) {
    text += claim.name + (claim.allocation ? " allocated\n" : " free\n");
  }
  return text;
}

/// What the edit comes to, done to the objects by hand.
struct TrialCase {
  ClusterEdit edit;
  std::function<void(objects::ClusterObjects&)> by_hand;
};

void cordon_by_hand(objects::Node& node) {
  node.spec.unschedulable = true;
  node.spec.taints.push_back({"node.kubernetes.io/unschedulable", "", "NoSchedule"});
}

void evict_by_hand(objects::ClusterObjects& cluster, std::size_t pod) {
  cluster.pods[pod].node_name.clear();
  if (pod == 0) {  // "a" has the claim
    cluster.resource_claims[0].allocation.reset();
    cluster.resource_claims[0].reserved_for.clear();
  }
}

TEST_CASE("a trial does what its edits say, and takes it back") {
  const std::vector<TrialCase> cases = {
      {AddNodes{"n1", 2},
       [](auto& c) {
         for (const char* const name : {"n1-new-1", "n1-new-2"}) c.nodes.push_back(simple_node(name, 4));
       }},
      {CordonNode{"n1", true}, [](auto& c) { cordon_by_hand(c.nodes[0]); }},
      {CordonNode{"n1", false}, [](auto&) {}},
      {DrainNode{"n1"},
       [](auto& c) {
         cordon_by_hand(c.nodes[0]);
         evict_by_hand(c, 0);
         evict_by_hand(c, 1);
       }},
      {LabelNode{"n1", "zone", "a"}, [](auto& c) { objects::set_label(c.nodes[0].meta.labels.edit(), "zone", "a"); }},
      {LabelNode{"n1", "kubernetes.io/hostname", std::nullopt},
       [](auto& c) { objects::set_label(c.nodes[0].meta.labels.edit(), "kubernetes.io/hostname", std::nullopt); }},
      {TaintNode{"n2", {"k", "v", "NoSchedule"}, false},
       [](auto& c) { c.nodes[1].spec.taints.push_back({"k", "v", "NoSchedule"}); }},
      {TaintNode{"n2", {"k", "", ""}, true}, [](auto&) {}},
      {SetAllocatable{"n2", "nvidia.com/gpu", 8}, [](auto& c) { c.nodes[1] = simple_node("n2", 8); }},
      {EvictPod{"default", "a"}, [](auto& c) { evict_by_hand(c, 0); }},
      {EvictPod{"default", "d"}, [](auto&) {}},
      {MovePod{"default", "a", "n2"}, [](auto& c) { c.pods[0].node_name = "n2"; }},
      {MovePod{"default", "d", "n2"}, [](auto& c) { c.pods[3].node_name = "n2"; }},
  };
  for (const TrialCase& test : cases) {
    INFO(describe(test.edit));
    const Snapshot base(small_cluster());
    Trial trial(base);
    REQUIRE(trial.apply(test.edit));
    objects::ClusterObjects wanted = small_cluster();
    test.by_hand(wanted);
    CHECK(picture(trial.snapshot()) == picture(Snapshot(wanted)));
    trial.revert();
    CHECK(picture(trial.snapshot()) == picture(base));
  }
  const Snapshot base(small_cluster());
  CHECK(Trial(base).apply(RemoveNode{"n1"}).error().front().code == "not-a-trial-edit");
}

TEST_CASE("a claim is free when the last of the pods that use it has left") {
  objects::ClusterObjects cluster = small_cluster();
  cluster.resource_claims[0].reserved_for.push_back({"", "pods", "b", "uid-b"});
  Trial trial{Snapshot(cluster)};
  REQUIRE(trial.apply(EvictPod{"default", "a"}));
  CHECK(trial.snapshot().resource_claims()[0].allocation);
  REQUIRE(trial.apply(EvictPod{"default", "b"}));
  CHECK_FALSE(trial.snapshot().resource_claims()[0].allocation);
  trial.revert();
  CHECK(trial.snapshot().resource_claims()[0].reserved_for.size() == 2);
}

TEST_CASE("unknown names are errors") {
  const Snapshot base(small_cluster());
  Trial trial(base);
  const auto failed = trial.apply(CordonNode{"n3", true});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().front().code == "unknown-node");
  CHECK(failed.error().front().hint == "did you mean n1?");
  CHECK(trial.apply(EvictPod{"default", "z"}).error().front().code == "unknown-pod");
  CHECK_FALSE(trial.apply(MovePod{"default", "a", "n3"}));
}

}  // namespace
}  // namespace gpusched::whatif
