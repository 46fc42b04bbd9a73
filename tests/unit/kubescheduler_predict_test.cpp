#include "gpusched/kubescheduler/predict.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "support/kube_objects.hpp"

namespace gpusched::kubescheduler {
namespace {

using testing::simple_node;
using testing::simple_pod;

Prediction predict_in(ClusterObjects objects, const objects::Pod& pod, const PredictOptions& options = {}) {
  return predict(Snapshot(std::move(objects)), pod, options);
}

/// n1 with 2 GPUs, n2 without.
ClusterObjects two_nodes() {
  ClusterObjects objects;
  objects.nodes = {simple_node("n1", 2), simple_node("n2")};
  return objects;
}

struct Case {
  const char* name;
  std::function<void(ClusterObjects&, objects::Pod&)> change;
  const char* message;  ///< without the text of preemption
};

TEST_CASE("each filter refuses with its reason") {
  const Case c = GENERATE(
      Case{"too-few-gpus", [](auto&, auto& pod) { pod = simple_pod("p", "", 3); },
           "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."},
      Case{"several-resources-count-each",
           [](auto&, auto& pod) {
             pod = simple_pod("p", "", 3);
             pod.spec.edit().containers[0].resources.requests[0].second = Quantity::from_int64(5);
           },
           "0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient nvidia.com/gpu."},
      Case{"too-many-pods",
           [](auto& objects, auto&) {
             for (objects::Node& node : objects.nodes) {
               node.status.allocatable[2].second = Quantity();
             }
           },
           "0/2 nodes are available: 2 Too many pods."},
      Case{"cordoned-and-tainted",
           [](auto& objects, auto&) {
             objects.nodes[0].spec.unschedulable = true;
             objects.nodes[1].spec.taints = {{"sku", "gpu", "NoSchedule"}};
           },
           "0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable."},
      Case{"node-selector", [](auto&, auto& pod) { pod.spec.edit().node_selector = {{"zone", "a"}}; },
           "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."},
      Case{"empty-affinity-matches-nothing",
           [](auto&, auto& pod) { pod.spec.edit().affinity.node.emplace().required.emplace().terms.emplace_back(); },
           "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."},
      Case{"named-nodes",
           [](auto&, auto& pod) {
             pod.spec.edit().affinity.node.emplace().required.emplace().terms = {
                 {{}, {{"metadata.name", "In", {"gone"}}}}};
           },
           "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."},
      Case{"features-of-the-node",
           [](auto& objects, auto& pod) {
             pod.spec.edit().host_network = true;
             pod.spec.edit().host_users = false;
             objects.nodes[0].status.declared_features = {"RestartAllContainersOnContainerExits"};
           },
           "0/2 nodes are available: 2 node(s) didn't match Pod's required features."},
      Case{"anti-affinity-of-a-pod-that-runs",
           [](auto& objects, auto& pod) {
             pod.meta.labels.edit() = {{"app", "web"}};
             for (const char* const node : {"n1", "n2"}) {
               objects::Pod other = simple_pod(std::string("on-") + node, node);
               objects::PodAffinityTerm term;
               term.label_selector.emplace().match_labels = {{"app", "web"}};
               term.topology_key = "kubernetes.io/hostname";
               other.spec.edit().affinity.pod_anti.emplace().required = {term};
               objects.pods.push_back(std::move(other));
             }
           },
           "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules."},
      Case{"affinity-to-nobody",
           [](auto&, auto& pod) {
             objects::PodAffinityTerm term;
             term.label_selector.emplace().match_labels = {{"app", "db"}};
             term.topology_key = "kubernetes.io/hostname";
             pod.spec.edit().affinity.pod.emplace().required = {term};
           },
           "0/2 nodes are available: 2 node(s) didn't match pod affinity rules."},
      Case{"ports",
           [](auto& objects, auto& pod) {
             pod.spec.edit().containers[0].ports = {{80, 80, "", ""}};
             objects.pods = {simple_pod("a", "n1"), simple_pod("b", "n2")};
             objects.pods[0].spec.edit().containers[0].ports = {{80, 80, "10.0.0.1", "TCP"}};
             objects.pods[1].spec.edit().containers[0].ports = {{80, 80, "", "TCP"}};
           },
           "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports."},
      Case{"missing-topology-label",
           [](auto&, auto& pod) {
             objects::TopologySpreadConstraint constraint;
             constraint.topology_key = "zone";
             constraint.when_unsatisfiable = "DoNotSchedule";
             pod.spec.edit().topology_spread_constraints = {constraint};
           },
           "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required "
           "label)."});
  CAPTURE(c.name);
  ClusterObjects objects = two_nodes();
  objects::Pod pod = simple_pod("p");
  c.change(objects, pod);
  pod.spec.edit().preemption_policy = "Never";
  const Prediction prediction = predict_in(std::move(objects), pod);
  CHECK(prediction.verdict == Verdict::kUnschedulable);
  CHECK(prediction.message == std::string(c.message) + " preemption: not eligible due to preemptionPolicy=Never.");
}

TEST_CASE("a pod that fits goes to the best node") {
  ClusterObjects objects = two_nodes();
  objects.pods = {simple_pod("busy", "n1")};
  const Prediction prediction = predict_in(std::move(objects), simple_pod("p"));
  CHECK(prediction.verdict == Verdict::kScheduled);
  CHECK(prediction.node == "n2");
  CHECK(prediction.feasible_nodes == std::vector<std::string>{"n1", "n2"});
  CHECK(prediction.best_nodes == std::vector<std::string>{"n2"});
  REQUIRE(prediction.nodes.size() == 2);
  CHECK(prediction.nodes[0].scores.front().plugin == "TaintToleration");
  CHECK(prediction.nodes[0].scores.front().weighted == 300);
}

TEST_CASE("one feasible node is taken without scores") {
  const Prediction prediction = predict_in(two_nodes(), simple_pod("p", "", 1));
  CHECK(prediction.node == "n1");
  CHECK(prediction.nodes[0].scores.empty());
  CHECK(prediction.nodes[1].status.reasons == std::vector<std::string>{"Insufficient nvidia.com/gpu"});
  CHECK(prediction.nodes[1].status.code == StatusCode::kUnresolvable);
}

TEST_CASE("pods are kept from the queue") {
  objects::Pod pod = simple_pod("p");
  SECTION("by gates") {
    pod.spec.edit().scheduling_gates = {"a.io/x", "b.io/y"};
    const Prediction prediction = predict_in(two_nodes(), pod);
    CHECK(prediction.verdict == Verdict::kGated);
    CHECK(prediction.reason == "SchedulingGated");
    CHECK(prediction.plugin_message == "waiting for scheduling gates: [a.io/x b.io/y]");
  }
  SECTION("by another scheduler") {
    pod.spec.edit().scheduler_name = "volcano";
    CHECK(predict_in(two_nodes(), pod).verdict == Verdict::kWaiting);
  }
  SECTION("by their deletion") {
    pod.meta.deletion_timestamp.emplace();
    CHECK(predict_in(two_nodes(), pod).plugin_message == "skip schedule deleting pod: default/p");
  }
  SECTION("by a claim that is not there") {
    pod.spec.edit().resource_claims = {{"gpu", "train", std::nullopt}};
    const Prediction prediction = predict_in(two_nodes(), pod);
    CHECK(prediction.verdict == Verdict::kWaiting);
    CHECK(prediction.plugin == "DynamicResources");
    CHECK(prediction.plugin_message == "could not find ResourceClaim \"default/train\"");
  }
  SECTION("by a template that nobody has looked at") {
    pod.spec.edit().resource_claims = {{"gpu", std::nullopt, "template"}};
    CHECK(predict_in(two_nodes(), pod).plugin_message == "pod \"default/p\": ResourceClaim not created yet");
  }
}

TEST_CASE("a claim takes 256 pods, and the next one fails while it is bound") {
  kubescheduler::ClusterObjects objects = two_nodes();
  objects::ResourceClaim& claim = objects.resource_claims.emplace_back();
  claim.name = "shared";
  claim.namespace_name = "default";
  claim.allocation.emplace();
  objects::Pod pod = simple_pod("p");
  pod.meta.uid = "p-uid";
  pod.spec.edit().resource_claims = {{"gpu", "shared", std::nullopt}};
  for (int i = 0; i < 255; ++i) {
    claim.reserved_for.push_back({"", "pods", "user", std::to_string(i)});
  }
  CHECK(predict_in(objects, pod).verdict == Verdict::kScheduled);
  claim.reserved_for.push_back({"", "pods", "user", "last"});
  const Prediction prediction = predict_in(objects, pod);
  CHECK(prediction.verdict == Verdict::kError);
  CHECK(prediction.reason == "SchedulerError");
  CHECK(prediction.message ==
        "running PreBind plugin \"DynamicResources\": add reservation to claim default/shared: "
        "ResourceClaim.resource.k8s.io \"shared\" is invalid: status.reservedFor: Too many: 257: must have at most 256 "
        "items");
  CHECK(prediction.node.empty());
  claim.reserved_for.back().uid = pod.meta.uid;  // it has its reservation already
  CHECK(predict_in(objects, pod).verdict == Verdict::kScheduled);
}

TEST_CASE("a cluster without nodes has a text of its own") {
  const Prediction prediction = predict_in({}, simple_pod("p"));
  CHECK(prediction.message == "no nodes available to schedule pods");
  CHECK(prediction.reason == "Unschedulable");
}

TEST_CASE("a missing claim of a volume ends with not found") {
  objects::Pod pod = simple_pod("p");
  pod.spec.edit().volumes.emplace_back().persistent_volume_claim = {"data", false};
  const Prediction prediction = predict_in(two_nodes(), pod);
  CHECK(prediction.message == "0/2 nodes are available: persistentvolumeclaim \"data\" not found. not found");
  REQUIRE(prediction.pre_filter.size() == 1);
  CHECK(prediction.pre_filter.front().plugin == "VolumeRestrictions");
}

TEST_CASE("a nominated node that passes is taken at once") {
  objects::Pod pod = simple_pod("p");
  pod.nominated_node_name = "n1";
  ClusterObjects objects = two_nodes();
  objects.pods = {simple_pod("busy", "n1")};
  const Prediction prediction = predict_in(std::move(objects), pod);
  CHECK(prediction.node == "n1");
  CHECK(prediction.feasible_nodes == std::vector<std::string>{"n1"});
}

TEST_CASE("room promised to a pod of equal priority is not given away") {
  ClusterObjects objects = two_nodes();
  objects::Pod waiting = simple_pod("waiting", "", 2);
  waiting.nominated_node_name = "n1";
  objects.pods = {waiting};
  CHECK(predict_in(objects, simple_pod("p", "", 1)).verdict == Verdict::kUnschedulable);
  CHECK(predict_in(objects, simple_pod("p", "", 1, 10)).node == "n1");
}

TEST_CASE("added affinity of the profile counts for every pod") {
  PredictOptions options;
  options.configuration.profiles[0].added_affinity.required.emplace().terms = {{{{"zone", "In", {"a"}}}, {}}};
  objects::Pod pod = simple_pod("p");
  pod.spec.edit().preemption_policy = "Never";
  CHECK(
      predict_in(two_nodes(), pod, options).message ==
      "0/2 nodes are available: 2 node(s) didn't match scheduler-enforced node affinity. preemption: not eligible due "
      "to preemptionPolicy=Never.");
}

TEST_CASE("a plugin that is switched off neither filters nor scores") {
  PredictOptions options;
  auto& plugins = options.configuration.profiles[0].plugins;
  plugins[static_cast<std::size_t>(objects::ExtensionPoint::kFilter)].disabled = {"TaintToleration"};
  plugins[static_cast<std::size_t>(objects::ExtensionPoint::kScore)].disabled = {"*"};
  plugins[static_cast<std::size_t>(objects::ExtensionPoint::kScore)].enabled = {{"ImageLocality", 5}};
  ClusterObjects objects = two_nodes();
  objects.nodes[0].spec.taints = {{"sku", "gpu", "NoSchedule"}};
  const Prediction prediction = predict_in(std::move(objects), simple_pod("p"), options);
  CHECK(prediction.feasible_nodes.size() == 2);
  REQUIRE(prediction.nodes[0].scores.size() == 1);
  CHECK(prediction.nodes[0].scores[0].plugin == "ImageLocality");
}

TEST_CASE("from a hundred nodes on the real scheduler samples") {
  ClusterObjects objects;
  for (int i = 0; i < 300; ++i) {
    objects.nodes.push_back(simple_node("n" + std::to_string(1000 + i)));
  }
  CHECK(predict_in(objects, simple_pod("p")).sampled);
  PredictOptions all;
  all.configuration.percentage_of_nodes_to_score = 100;
  CHECK_FALSE(predict_in(objects, simple_pod("p"), all).sampled);
}

}  // namespace
}  // namespace gpusched::kubescheduler
