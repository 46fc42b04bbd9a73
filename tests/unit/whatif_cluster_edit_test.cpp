#include "gpusched/whatif/cluster_edit.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("edits do the same to objects and to a trial, and a trial takes them back") {
  const ClusterEdit edit =
      GENERATE(as<ClusterEdit>{}, AddNodes{"n1", 2}, CordonNode{"n1", true}, CordonNode{"n1", false}, DrainNode{"n1"},
               LabelNode{"n1", "zone", "a"}, LabelNode{"n1", "kubernetes.io/hostname", std::nullopt},
               TaintNode{"n2", {"k", "v", "NoSchedule"}, false}, TaintNode{"n2", {"k", "", ""}, true},
               SetAllocatable{"n2", "nvidia.com/gpu", 8}, EvictPod{"default", "a"}, EvictPod{"default", "d"},
               MovePod{"default", "a", "n2"}, MovePod{"default", "d", "n2"});
  CAPTURE(describe(edit));
  const Snapshot base(small_cluster());
  Trial trial(base);
  REQUIRE(trial.apply(edit));
  const Result<objects::ClusterObjects> changed = apply(std::span(&edit, 1), small_cluster());
  REQUIRE(changed);
  CHECK(picture(trial.snapshot()) == picture(Snapshot(*changed)));
  trial.revert();
  CHECK(picture(trial.snapshot()) == picture(base));
}

TEST_CASE("a removed node takes its pods along") {
  const ClusterEdit edit = RemoveNode{"n1"};
  const objects::ClusterObjects changed = apply(std::span(&edit, 1), small_cluster()).value();
  REQUIRE(changed.nodes.size() == 1);
  CHECK(changed.pods[0].node_name.empty());
  CHECK_FALSE(changed.resource_claims[0].allocation);
  const Snapshot base(small_cluster());
  CHECK_FALSE(Trial(base).apply(edit));
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
  const ClusterEdit node = CordonNode{"n3", true};
  const auto failed = apply(std::span(&node, 1), small_cluster());
  REQUIRE_FALSE(failed);
  CHECK(failed.error().front().code == "unknown-node");
  CHECK(failed.error().front().hint == "did you mean n1?");
  const ClusterEdit pod = EvictPod{"default", "z"};
  CHECK(apply(std::span(&pod, 1), small_cluster()).error().front().code == "unknown-pod");
  const Snapshot base(small_cluster());
  Trial trial(base);
  CHECK_FALSE(trial.apply(node));
  CHECK_FALSE(trial.apply(pod));
  CHECK_FALSE(trial.apply(MovePod{"default", "a", "n3"}));
}

}  // namespace
}  // namespace gpusched::whatif
