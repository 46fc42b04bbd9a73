#include "gpusched/whatif/object_edit.hpp"

#include <catch2/catch.hpp>

#include "support/kube_objects.hpp"

namespace gpusched::whatif {
namespace {

using testing::simple_node;
using testing::simple_pod;

objects::Pod owned(objects::Pod pod, std::string_view kind, std::string_view owner) {
  pod.meta.owner_references.edit() = {{"apps/v1", std::string(kind), std::string(owner), "", true}};
  pod.meta.uid = "uid-" + pod.meta.name;
  return pod;
}

/// n1 with p, q (2 GPUs each), n2 with r (1 GPU), 4 GPUs each; all of the StatefulSet w.
objects::ClusterObjects two_nodes() {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 4), simple_node("n2", 4)};
  cluster.pods = {owned(simple_pod("p", "n1", 2), "StatefulSet", "w"),
                  owned(simple_pod("q", "n1", 2), "StatefulSet", "w"),
                  owned(simple_pod("r", "n2", 1), "StatefulSet", "w")};
  for (objects::Pod& pod : cluster.pods) {
    pod.meta.labels.edit() = {{"app", "w"}};
  }
  return cluster;
}

Result<EditedObjects> edit(const objects::ClusterObjects& cluster, std::vector<ClusterEdit> edits,
                           std::vector<std::int32_t> allowed = {}) {
  ObjectEditOptions options;
  options.allowed_disruptions = std::move(allowed);
  options.model_of = [](const objects::Node&) -> Result<ShapePtr> { return fail("no-model", "none in this test"); };
  return apply(edits, cluster, options);
}

std::string node_of(const EditedObjects& edited, std::string_view pod) {
  for (const objects::Pod& known : edited.cluster.pods) {
    if (known.meta.name == pod) {
      return known.node_name;
    }
  }
  return "gone";
}

std::string code_of(const Result<EditedObjects>& result) {
  return result ? "" : result.error().front().code;
}

/// One device on each node, and p's claim on that of n1, made from a template when `generated`.
objects::ClusterObjects with_claims(bool generated) {
  objects::ClusterObjects cluster = testing::cluster_from(R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpu}
spec: {driver: d.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n2-gpu}
spec: {driver: d.example.com, nodeName: n2, pool: {name: n2, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: claim, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}
status:
  allocation:
    devices: {results: [{request: r, driver: d.example.com, pool: n1, device: gpu-0}]}
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}
  reservedFor: [{resource: pods, name: p, uid: uid-p}]
)");
  cluster.nodes = {simple_node("n1"), simple_node("n2")};
  cluster.pods = {owned(simple_pod("p", "n1"), "StatefulSet", "w")};
  objects::PodResourceClaim use;
  use.name = "dev";
  if (generated) {
    use.template_name = "template";
    cluster.pods[0].status.edit().resource_claim_statuses = {{"dev", "claim"}};
    cluster.resource_claims[0].owner_kind = "Pod";
    cluster.resource_claims[0].owner_uid = "uid-p";
  } else {
    use.claim_name = "claim";
  }
  cluster.pods[0].spec.edit().resource_claims = {use};
  return cluster;
}

TEST_CASE("the scheduler places drained pods again, and what finds no place is Pending") {
  const EditedObjects result = edit(two_nodes(), {DrainNode{"n1"}}).value();
  CHECK(node_of(result, "p") == "n2");
  CHECK(node_of(result, "q").empty());
  CHECK(result.pending == std::vector<std::pair<std::string, std::string>>{{"default", "q"}});
  CHECK(result.effects[0].effect ==
        "2 pods evicted, 1 placed (n2), 1 Pending: 0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) "
        "were "
        "unschedulable");
  CHECK(result.cluster.nodes[0].spec.unschedulable);
  CHECK(result.cordoned == std::vector<std::string>{"n1"});
}

TEST_CASE("budgets, DaemonSets and pods without a controller decide what a drain may do") {
  objects::ClusterObjects cluster = two_nodes();
  cluster.pods[1].meta.labels.edit() = {};
  cluster.pods[1].meta.owner_references = {};
  cluster.pods.push_back(owned(simple_pod("agent", "n1"), "DaemonSet", "agent"));
  objects::PodDisruptionBudget budget;
  budget.meta.name = "w";
  budget.meta.namespace_name = "default";
  budget.selector = objects::LabelSelector{{{"app", "w"}}, {}};
  cluster.disruption_budgets = {budget};
  const EditedObjects kept = edit(cluster, {DrainNode{"n1"}}).value();
  CHECK(node_of(kept, "p") == "n1");
  CHECK(node_of(kept, "q") == "n2");
  CHECK(kept.effects[0].effect ==
        "1 pod evicted, 1 placed (n2); 1 pod kept (default/p): the PodDisruptionBudget default/w allows no more "
        "disruption; 1 pod of DaemonSets or of the node stay; 1 pod without a controller (default/q): kubectl drain "
        "refuses without --force, and nobody makes it again");
  CHECK(node_of(edit(cluster, {DrainNode{"n1"}}, {1}).value(), "p") == "n2");
}

TEST_CASE("a cordon is taken back, and a second one changes nothing") {
  objects::ClusterObjects cluster = two_nodes();
  cluster.nodes[0].spec.unschedulable = true;
  cluster.nodes[0].spec.taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  const EditedObjects result =
      edit(cluster, {CordonNode{"n1", true}, CordonNode{"n1", false}, CordonNode{"n1", false}}).value();
  CHECK_FALSE(result.cluster.nodes[0].spec.unschedulable);
  CHECK(result.cluster.nodes[0].spec.taints.empty());
  CHECK(result.cordoned.empty());
  CHECK(result.effects[0].effect == "cordoned already");
  CHECK(result.effects[1].effect == "n1 takes pods again");
  CHECK(result.effects[2].effect == "schedulable already");
}

TEST_CASE("a claim that the scheduler made for a drained pod goes, and the claims behind it are still found") {
  objects::ClusterObjects cluster = with_claims(false);
  objects::ResourceClaim extended;
  extended.name = "extended";
  extended.namespace_name = "default";
  extended.owner_kind = "Pod";
  extended.owner_uid = "uid-e";
  extended.for_extended_resources = true;
  extended.allocation.emplace();
  extended.reserved_for = {{"", "pods", "e", "uid-e"}};
  cluster.resource_claims.insert(cluster.resource_claims.begin(), extended);
  cluster.pods.insert(cluster.pods.begin(), owned(simple_pod("e", "n1"), "StatefulSet", "w"));
  const EditedObjects result = edit(cluster, {DrainNode{"n1"}}).value();
  CHECK(node_of(result, "e") == "n2");
  CHECK(node_of(result, "p") == "n2");
  REQUIRE(result.cluster.resource_claims.size() == 1);
  CHECK(result.cluster.resource_claims[0].name == "claim");
  REQUIRE(result.cluster.resource_claims[0].allocation);
  CHECK(result.cluster.resource_claims[0].allocation->results[0].pool == "n2");
}

TEST_CASE("a drained pod takes its claim along") {
  const bool generated = GENERATE(false, true);
  CAPTURE(generated);
  const EditedObjects result = edit(with_claims(generated), {DrainNode{"n1"}}).value();
  CHECK(node_of(result, "p") == "n2");
  const objects::ResourceClaim& claim = result.cluster.resource_claims.at(0);
  REQUIRE(claim.allocation);
  CHECK(claim.allocation->results.at(0).pool == "n2");
  CHECK(claim.reserved_for.size() == 1);
}

TEST_CASE("a claim that another pod uses as well stays where it is, and holds its pods there") {
  objects::ClusterObjects cluster = with_claims(false);
  cluster.resource_claims[0].reserved_for.push_back({"", "pods", "other", "uid-other"});
  const EditedObjects result = edit(cluster, {DrainNode{"n1"}}).value();
  CHECK(node_of(result, "p").empty());
  CHECK(result.cluster.resource_claims.at(0).allocation->results.at(0).pool == "n1");
}

TEST_CASE("a removed node takes its slices along") {
  const EditedObjects result = edit(with_claims(true), {RemoveNode{"n1"}}).value();
  REQUIRE(result.cluster.resource_slices.size() == 1);
  CHECK(result.cluster.resource_slices[0].spec.node_name == "n2");
  CHECK(node_of(result, "p") == "n2");
}

TEST_CASE("a deleted pod leaves no claim of its own, and one that was there before it is free") {
  CHECK(edit(with_claims(true), {DeletePod{"p"}}).value().cluster.resource_claims.empty());
  const EditedObjects result = edit(with_claims(false), {DeletePod{"default/p"}}).value();
  CHECK(result.cluster.pods.empty());
  CHECK_FALSE(result.cluster.resource_claims.at(0).allocation);
  CHECK(code_of(edit(with_claims(false), {DeletePod{"default/x"}})) == "unknown-pod");
}

TEST_CASE("scaled pods get claims of their own, and fewer pods are the oldest") {
  const EditedObjects more = edit(with_claims(true), {ScaleOwner{"sts", "", "w", 3}}).value();
  CHECK(more.pending.size() == 2);
  CHECK(more.cluster.resource_claims.size() == 3);
  CHECK(more.cluster.resource_claims[2].name == "w-new-2-dev");
  CHECK(more.cluster.resource_claims[2].owner_uid == more.cluster.pods[2].meta.uid);
  CHECK_FALSE(more.cluster.resource_claims[2].allocation);

  objects::ClusterObjects cluster = two_nodes();
  cluster.pods[0].meta.creation_timestamp = objects::Timestamp{30, 0};
  cluster.pods[1].meta.creation_timestamp = objects::Timestamp{10, 0};
  cluster.pods[2].meta.creation_timestamp = objects::Timestamp{20, 0};
  const EditedObjects fewer = edit(cluster, {ScaleOwner{"statefulset", "default", "w", 1}}).value();
  REQUIRE(fewer.cluster.pods.size() == 1);
  CHECK(fewer.cluster.pods[0].meta.name == "q");
  CHECK(code_of(edit(cluster, {ScaleOwner{"statefulset", "other", "w", 1}})) == "unknown-owner");
}

TEST_CASE("sharing writes what the device plugin and GPU Feature Discovery would") {
  objects::ClusterObjects cluster = two_nodes();
  cluster.nodes[0].meta.labels.edit() = {{"nvidia.com/gpu.product", "NVIDIA-L4"}};
  const ShareGpus four{"n1", SharingStrategy::kTimeSlicing, 4, false};
  const auto label = [](const EditedObjects& edited, std::string_view key) {
    const std::string* const value = objects::find(edited.cluster.nodes[0].meta.labels, key);
    return value == nullptr ? "" : *value;
  };
  const EditedObjects shared = edit(cluster, {four}).value();
  CHECK(shared.effects[0].effect == "it offers 16 nvidia.com/gpu");
  CHECK(label(shared, "nvidia.com/gpu.product") == "NVIDIA-L4-SHARED");
  CHECK(label(shared, "nvidia.com/gpu.replicas") == "4");
  const EditedObjects renamed = edit(cluster, {four, ShareGpus{"n1", SharingStrategy::kMps, 2, true}}).value();
  CHECK(renamed.effects[1].effect == "it offers 8 nvidia.com/gpu.shared");
  CHECK(label(renamed, "nvidia.com/gpu.product") == "NVIDIA-L4");
  CHECK(label(renamed, "nvidia.com/gpu.sharing-strategy") == "mps");
  const EditedObjects back = edit(cluster, {four, ShareGpus{"n1"}}).value();
  CHECK(back.cluster.nodes[0].status.allocatable == cluster.nodes[0].status.allocatable);
  cluster.pods.push_back(owned(simple_pod("s", "n1", 8), "StatefulSet", "w"));
  CHECK(code_of(edit(cluster, {four, ShareGpus{"n1", SharingStrategy::kTimeSlicing, 2, false}})) == "gpu-busy");
}

TEST_CASE("a node like another one has its labels and devices, but neither its pods nor its cordon") {
  objects::ClusterObjects cluster = with_claims(false);
  cluster.nodes[0].spec.unschedulable = true;
  cluster.nodes[0].meta.labels.edit() = {{"kubernetes.io/hostname", "n1"}, {"pool", "x"}};
  const EditedObjects result = edit(cluster, {AddNodes{"n1", 1}, DrainNode{"n2"}}).value();
  REQUIRE(result.cluster.nodes.size() == 3);
  const objects::Node& added = result.cluster.nodes[2];
  CHECK(added.meta.name == "n1-new-1");
  CHECK(*objects::find(added.meta.labels, "kubernetes.io/hostname") == "n1-new-1");
  CHECK_FALSE(added.spec.unschedulable);
  REQUIRE(result.cluster.resource_slices.size() == 3);
  CHECK(result.cluster.resource_slices[2].spec.pool.name == "n1-new-1");
  CHECK(node_of(edit(cluster, {AddNodes{"n1", 1}, CordonNode{"n2"}, DrainNode{"n1"}}).value(), "p") == "n1-new-1");
  CHECK(code_of(edit(cluster, {AddNodes{"n3", 1}})) == "unknown-node");
}

TEST_CASE("a node that joins a cluster with a DRA driver publishes its GPUs") {
  objects::ClusterObjects cluster = with_claims(false);
  for (objects::ResourceSlice& slice : cluster.resource_slices) {
    slice.spec.driver = "gpu.nvidia.com";
  }
  auto joining = std::make_shared<NodeTemplate>();
  joining->object = node_of(**find_node_shape("p4de.24xlarge"));
  joining->name = joining->object.meta.name;
  ShapeBuilder builder;
  NodeClass node_class;
  node_class.gpus = {Gpu{.board = builder.board({.model = builder.text("A100-SXM4-80GB"), .memory_mib = 81920})}};
  builder.node("p4de.24xlarge", builder.node_class(node_class));
  joining->shape = std::move(builder).build();
  const EditedObjects result = edit(cluster, {AddShape{joining, 2}}).value();
  REQUIRE(result.cluster.resource_slices.size() == 4);
  CHECK(result.cluster.resource_slices[3].spec.node_name == "p4de.24xlarge-new-2");
  CHECK(result.cluster.resource_slices[3].spec.driver == "gpu.nvidia.com");
  CHECK(objects::find(result.cluster.nodes.back().status.allocatable, "nvidia.com/gpu") == nullptr);
}

}  // namespace
}  // namespace gpusched::whatif
