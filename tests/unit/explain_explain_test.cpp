#include "gpusched/explain/explain.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/kube_objects.hpp"

// The situations of public reports; the expected texts are the product's own.
namespace gpusched::explain {
namespace {

using testing::simple_node;
using testing::simple_pod;

struct Answer {
  kubescheduler::Prediction prediction;
  Explanation explanation;

  [[nodiscard]] std::string message() const { return prediction.message; }
  [[nodiscard]] std::string verdict() const {
    if (explanation.findings.empty()) {
      return "";
    }
    const Finding& first = explanation.findings.front();
    return first.verdict + (first.by.empty() ? "" : " by " + first.by);
  }
  [[nodiscard]] std::string verdict_text() const { return explanation.findings.front().text; }
  /// The texts of all findings of a kind.
  [[nodiscard]] std::vector<std::string> said(std::string_view kind) const {
    std::vector<std::string> texts;
    for (const Finding& finding : explanation.findings) {
      if (finding.verdict == kind) {
        texts.push_back(finding.text);
      }
    }
    return texts;
  }
  [[nodiscard]] std::vector<std::string> fixes() const {
    std::vector<std::string> changes;
    for (const Fix& fix : explanation.fixes) {
      changes.push_back(fix.change);
    }
    return changes;
  }
  [[nodiscard]] bool has_fix(const std::string& change) const {
    return std::ranges::find(explanation.fixes, change, &Fix::change) != explanation.fixes.end();
  }
};

using Texts = std::vector<std::string>;

Answer ask(objects::ClusterObjects cluster, const objects::Pod& pod, kubescheduler::SchedulerVersion version = {}) {
  kubescheduler::PredictOptions options;
  options.rules = kubescheduler::rules_for(version);
  const kubescheduler::Snapshot snapshot(std::move(cluster), options.rules.requests);
  Answer answer{kubescheduler::predict(snapshot, pod, options), {}};
  answer.explanation = Explainer(snapshot, options).explain(pod, answer.prediction);
  return answer;
}

objects::Node with_capacity(objects::Node node, std::int64_t gpus) {
  node.status.capacity = {{"nvidia.com/gpu", Quantity::from_int64(gpus)}};
  return node;
}

objects::Node labelled(objects::Node node, const objects::Labels& labels) {
  node.meta.labels.edit().insert(node.meta.labels->end(), labels.begin(), labels.end());
  return node;
}

objects::Pod asking_for(const objects::Named<std::int64_t>& resources) {
  objects::Pod pod = simple_pod("asked");
  for (const auto& [name, amount] : resources) {
    pod.spec.edit().containers[0].resources.requests.emplace_back(name, Quantity::from_int64(amount));
  }
  return pod;
}

TEST_CASE("busy is told from never fits") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  cluster.pods = {simple_pod("holder", "n1", 1)};
  const Answer busy = ask(cluster, simple_pod("asked", "", 1));
  CHECK(busy.message() ==
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: 1 No preemption "
        "victims found for incoming pod.");
  CHECK(busy.verdict() == "busy");
  CHECK(busy.said("held by") == Texts{"pod default/holder: 1 nvidia.com/gpu, priority 0"});
  CHECK(busy.fixes() == Texts{"evict default/holder", "add a node like n1"});
  const Answer never = ask(cluster, simple_pod("asked", "", 2));
  CHECK(never.verdict() == "never fits");
  CHECK(never.verdict_text() ==
        "it asks for 2 nvidia.com/gpu on one node, the largest has 1 (n1); waiting does not help");
  CHECK(never.fixes().empty());
  CHECK(never.said("will not help") ==
        Texts{"waiting, evicting pods, a higher priority, or more nodes like those that are there"});
}

TEST_CASE("fragmented: enough in all, on no node") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 4), simple_node("n2", 4), simple_node("n3", 2)};
  cluster.pods = {simple_pod("a", "n1", 1), simple_pod("b", "n2", 2)};
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 4));
  CHECK(answer.verdict() == "fragmented");
  CHECK(answer.verdict_text() == "5 nvidia.com/gpu are free on 2 nodes, but no node has 4 free: at most 3 on n1");
  CHECK(answer.fixes() ==
        Texts{"move default/a to n2", "evict default/a", "lower nvidia.com/gpu to 3", "add a node like n1"});
}

TEST_CASE("of pods that could go alone the one that holds least goes") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 8), simple_node("n2", 4)};
  cluster.pods = {simple_pod("large", "n1", 6), simple_pod("small", "n2", 3)};
  CHECK(ask(std::move(cluster), simple_pod("asked", "", 4)).fixes().front() == "evict default/small");
}

TEST_CASE("a change that opens another node is not said to help nobody") {
  objects::ClusterObjects cluster;
  cluster.nodes = {labelled(simple_node("full", 2), {{"model", "l4"}}),
                   labelled(simple_node("free", 2), {{"model", "l4"}})};
  cluster.pods = {simple_pod("holder", "full", 2)};
  objects::Pod pod = simple_pod("asked", "", 2);
  pod.spec.edit().node_selector = {{"model", "A100"}};
  const Answer answer = ask(cluster, pod);
  CHECK(answer.has_fix("drop model from the nodeSelector"));
  CHECK(answer.said("will not help") == Texts{"waiting, evicting pods or a higher priority: no pod is in the way"});
  cluster.pods.push_back(simple_pod("other", "free", 2));
  const Answer nowhere = ask(std::move(cluster), pod);
  CHECK(std::ranges::any_of(nowhere.said("will not help"), [](const std::string& text) {
    return text.starts_with("to drop model from the nodeSelector alone: nvidia.com/gpu in use");
  }));
}

TEST_CASE("several values like a selector's are named") {
  objects::ClusterObjects cluster;
  cluster.nodes = {labelled(simple_node("n1", 1), {{"product", "NVIDIA-A100-80GB-PCIe"}}),
                   labelled(simple_node("n2", 1), {{"product", "NVIDIA-A100-SXM4-80GB"}}),
                   labelled(simple_node("n3", 1), {{"product", "NVIDIA-L4"}})};
  objects::Pod pod = simple_pod("asked", "", 1);
  pod.spec.edit().node_selector = {{"product", "A100"}};
  CHECK(ask(std::move(cluster), pod).said("near miss") ==
        Texts{"no node has product=A100; values like it are NVIDIA-A100-80GB-PCIe, NVIDIA-A100-SXM4-80GB"});
}

TEST_CASE("resources that no node publishes need their vendor's scheduler") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("control"), simple_node("worker", 20)};
  cluster.nodes[0].spec.taints = {{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}};
  const Answer answer = ask(
      cluster, asking_for({{"nvidia.com/gpu", 2}, {"nvidia.com/gpumem", 3000}, {"nvidia.com/gpucores", 30}}), {34, 0});
  CHECK(answer.message().starts_with(
      "0/2 nodes are available: 1 Insufficient nvidia.com/gpucores, 1 Insufficient nvidia.com/gpumem, 1 node(s) had "
      "untolerated taint {node-role.kubernetes.io/control-plane: }."));
  CHECK(answer.verdict() == "never fits");
  CHECK(answer.said("trap") ==
        Texts{"no node publishes nvidia.com/gpucores: pods that ask for it need HAMi's scheduler (hami-scheduler)",
              "no node publishes nvidia.com/gpumem: pods that ask for it need HAMi's scheduler (hami-scheduler)"});
}

TEST_CASE("what the first filter hides is listed") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 2)};
  cluster.nodes[0].spec.taints = {{"dedicated", "ml", "NoSchedule"}};
  cluster.pods = {simple_pod("holder", "n1", 1)};
  objects::Pod pod = simple_pod("asked", "", 2);
  pod.spec.edit().node_selector = {{"tier", "gold"}};
  const Answer answer = ask(std::move(cluster), pod);
  CHECK(answer.message().starts_with("0/1 nodes are available: 1 node(s) had untolerated taint(s)."));
  CHECK(answer.verdict() == "blocked by taint");
  CHECK(answer.said("hidden") == Texts{"n1: the taint dedicated=ml:NoSchedule, and behind it node affinity or "
                                       "selector, 1 nvidia.com/gpu missing (1 of "
                                       "2 free)"});
  CHECK(answer.fixes().empty());
  const Texts useless = answer.said("will not help");
  REQUIRE(useless.size() == 2);
  CHECK(
      useless[1] ==
      "to add the toleration dedicated=ml:NoSchedule and drop tier from the nodeSelector alone: nvidia.com/gpu in use "
      "on n1");
}

TEST_CASE("an unhealthy GPU is not a free one") {
  objects::ClusterObjects cluster;
  cluster.nodes = {with_capacity(simple_node("n1", 3), 4)};
  cluster.pods = {simple_pod("holder", "n1", 4)};
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 1));
  CHECK(answer.message().starts_with("0/1 nodes are available: 1 Insufficient nvidia.com/gpu."));
  CHECK(answer.said("trap") == Texts{"n1: 1 of 4 nvidia.com/gpu is unhealthy",
                                     "n1: more nvidia.com/gpu is in use than the node offers, over-committed by 1"});
}

TEST_CASE("a dead device plugin is not a busy node") {
  objects::ClusterObjects cluster;
  cluster.nodes = {with_capacity(simple_node("n1"), 4)};
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 1));
  CHECK(answer.verdict() == "blocked by device plugin");
  CHECK(answer.said("trap") ==
        Texts{"n1: capacity 4, allocatable 0 nvidia.com/gpu: the device plugin is not healthy or "
              "restarts, the GPUs are not in use"});
}

TEST_CASE("a toleration with another value") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  cluster.nodes[0].spec.taints = {{"nvidia.com/gpu", "true", "NoSchedule"}};
  objects::Pod pod = simple_pod("asked", "", 1);
  pod.spec.edit().tolerations = {{"nvidia.com/gpu", "Equal", "present", "", std::nullopt}};
  const Answer answer = ask(std::move(cluster), pod);
  CHECK(answer.verdict() == "blocked by taint");
  CHECK(answer.verdict_text() == "the pod does not tolerate nvidia.com/gpu=true:NoSchedule of n1");
  CHECK(answer.said("near miss") ==
        Texts{"the toleration nvidia.com/gpu=present does not match the taint nvidia.com/gpu=true:NoSchedule: the key "
              "matches, the value differs; operator Exists would match"});
  CHECK(answer.fixes() == Texts{"add the toleration nvidia.com/gpu=true:NoSchedule"});
}

TEST_CASE("a taint that tells of a sick node is not to be tolerated") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  cluster.nodes[0].spec.taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule"}};
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 1));
  CHECK(answer.verdict() == "blocked by taint");
  CHECK(answer.fixes().empty());
}

TEST_CASE("topology spread counts tainted nodes") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1"), simple_node("n2"), simple_node("n3")};
  cluster.nodes[2].spec.taints = {{"dedicated", "", "NoSchedule"}};
  objects::Pod pod = simple_pod("asked");
  pod.meta.labels.edit() = {{"app", "x"}};
  objects::TopologySpreadConstraint spread;
  spread.topology_key = "kubernetes.io/hostname";
  spread.when_unsatisfiable = "DoNotSchedule";
  spread.label_selector.emplace().match_labels = {{"app", "x"}};
  pod.spec.edit().topology_spread_constraints = {spread};
  for (const char* const node : {"n1", "n2"}) {
    objects::Pod replica = pod;
    replica.meta.name = std::string("replica-") + node;
    replica.node_name = node;
    cluster.pods.push_back(replica);
  }
  const Answer answer = ask(std::move(cluster), pod);
  CHECK(answer.message().starts_with(
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match pod topology spread "
      "constraints."));
  CHECK(answer.verdict() == "blocked by topology spread");
  CHECK(answer.has_fix("set nodeTaintsPolicy: Honor on the topology spread constraint over kubernetes.io/hostname"));
}

TEST_CASE("preemption that is off, and that helps") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  cluster.pods = {simple_pod("holder", "n1", 1)};
  objects::Pod pod = simple_pod("asked", "", 1, 10);
  const Answer helps = ask(cluster, pod);
  CHECK(helps.verdict_text() ==
        "kube-scheduler makes room itself: it evicts default/holder from n1, then the pod fits there");
  CHECK(helps.fixes().empty());
  pod.spec.edit().preemption_policy = "Never";
  const Answer off = ask(cluster, pod);
  CHECK(off.message().ends_with("preemption: not eligible due to preemptionPolicy=Never."));
  CHECK(off.said("will not help") == Texts{"its priority: preemptionPolicy is Never"});
}

TEST_CASE("a PriorityClass with which preemption makes room") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  cluster.pods = {simple_pod("holder", "n1", 1, 50)};
  for (const auto& [name, value] : {std::pair{"low", 10}, {"high", 100}, {"system-node-critical", 2000001000}}) {
    objects::PriorityClass& priority = cluster.priority_classes.emplace_back();
    priority.meta.name = name;
    priority.value = value;
  }
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 1));
  REQUIRE(answer.has_fix("use the PriorityClass high (100)"));
  CHECK_FALSE(answer.has_fix("evict default/holder"));  // it is more important
}

TEST_CASE("pods that are not tried") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  objects::Pod pod = simple_pod("asked", "", 1);
  SECTION("another scheduler") {
    pod.spec.edit().scheduler_name = "volcano";
    const Answer answer = ask(std::move(cluster), pod);
    CHECK(answer.verdict() == "another scheduler");
    CHECK(answer.fixes() == Texts{"set schedulerName to default-scheduler"});
  }
  SECTION("gates") {
    pod.spec.edit().scheduling_gates = {"kueue.x-k8s.io/admission"};
    const Answer answer = ask(std::move(cluster), pod);
    CHECK(answer.verdict() == "waiting for a gate");
    CHECK(answer.fixes() == Texts{"remove the scheduling gates"});
  }
  SECTION("a claim") {
    pod.spec.edit().resource_claims = {{"gpu", "missing", std::nullopt}};
    const Answer answer = ask(std::move(cluster), pod);
    CHECK(answer.verdict() == "waiting for a claim");
    CHECK(answer.verdict_text() == "could not find ResourceClaim \"default/missing\"");
  }
}

TEST_CASE("devices that are held, and devices that do not exist") {
  objects::ClusterObjects cluster = testing::cluster_from(R"(
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}
---
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
---
kind: ResourceSlice
metadata: {name: n1-gpu}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, attributes: {model: {string: a100}}}]
---
kind: ResourceClaim
metadata: {name: held, namespace: default, uid: held}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}
status:
  reservedFor: [{resource: pods, name: holder, uid: uid-holder}]
  allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]}}
---
kind: ResourceClaim
metadata: {name: wanted, namespace: default, uid: wanted}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}
)");
  objects::Pod holder = simple_pod("holder", "n1");
  holder.spec.edit().resource_claims = {{"gpu", "held", std::nullopt}};
  cluster.pods = {holder};
  objects::Pod pod = simple_pod("asked", "", 0, 100);
  pod.spec.edit().resource_claims = {{"gpu", "wanted", std::nullopt}};
  const Answer held = ask(cluster, pod);
  CHECK(
      held.message() ==
      "0/1 nodes are available: 1 cannot allocate all claims. preemption: 0/1 nodes are available: 1 Preemption is not "
      "helpful for scheduling.");
  CHECK(held.verdict() == "busy");
  CHECK(held.said("held by") == Texts{"claim default/held for pod holder: n1/gpu-0"});
  CHECK(held.fixes() ==
        Texts{"evict default/holder", "free claim default/held", "add a node like n1, with all its devices free"});
  CHECK(held.said("will not help") ==
        Texts{"a higher priority: kube-scheduler does not preempt pods for their devices"});
  cluster.resource_claims[1].devices.requests[0].exactly->count = 2;
  CHECK(ask(cluster, pod).verdict() == "never fits");
}

TEST_CASE("MIG, sharing and the GPU operator") {
  objects::ClusterObjects cluster;
  objects::Pod pod = simple_pod("asked", "", 1);
  SECTION("a profile that strategy single calls nvidia.com/gpu") {
    cluster.nodes = {labelled(simple_node("n1", 7), {{"nvidia.com/mig.strategy", "single"},
                                                     {"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}})};
    const Answer answer = ask(std::move(cluster), asking_for({{"nvidia.com/mig-1g.10gb", 1}}));
    CHECK(answer.verdict() == "never fits");
    CHECK(answer.said("trap").size() == 1);
    CHECK(answer.has_fix("ask for nvidia.com/gpu instead of nvidia.com/mig-1g.10gb"));
  }
  SECTION("unused GPUs can be cut") {
    const objects::Labels a100 = {{"nvidia.com/mig.capable", "true"},
                                  {"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"},
                                  {"nvidia.com/gpu.count", "2"}};
    cluster.nodes = {labelled(simple_node("n1", 2), a100), labelled(simple_node("n2", 2), a100)};
    cluster.pods = {simple_pod("holder", "n1", 1)};
    CHECK(ask(cluster, asking_for({{"nvidia.com/mig-1g.10gb", 14}})).fixes() ==
          Texts{"repartition the unused GPUs of n2 (label nvidia.com/mig.config=all-1g.10gb)"});
    CHECK(ask(cluster, asking_for({{"nvidia.com/mig-1g.10gb", 15}})).fixes().empty());
    CHECK(ask(cluster, asking_for({{"nvidia.com/mig-9g.10gb", 1}})).fixes() ==
          Texts{"ask for nvidia.com/gpu instead of nvidia.com/mig-9g.10gb"});
  }
  SECTION("a MIG change that did not finish") {
    cluster.nodes = {
        with_capacity(labelled(simple_node("n1"), {{"nvidia.com/mig.config", "all-1g.10gb"},
                                                   {"nvidia.com/mig.config.state", "pending"},
                                                   {"nvidia.com/gpu.deploy.device-plugin", "paused-for-mig-change"}}),
                      8)};
    CHECK(ask(std::move(cluster), pod).said("operator") ==
          Texts{"n1: the MIG change to all-1g.10gb is not finished (pending); it is tried again only when the label "
                "nvidia.com/mig.config changes its value",
                "n1: device-plugin is paused-for-mig-change"});
  }
  SECTION("MPS refuses more than one replica") {
    cluster.nodes = {labelled(simple_node("n1", 10),
                              {{"nvidia.com/gpu.replicas", "10"}, {"nvidia.com/gpu.sharing-strategy", "mps"}})};
    const Texts traps = ask(std::move(cluster), simple_pod("asked", "", 10)).said("trap");
    REQUIRE(traps.size() == 2);
    CHECK(traps[1] == "n1: the kubelet refuses the pod: under MPS the maximum request size is 1, it asks for 10");
  }
  SECTION("a time-sliced GPU is not one of its own") {
    cluster.nodes = {labelled(simple_node("l4", 4), {{"nvidia.com/gpu.replicas", "4"},
                                                     {"nvidia.com/gpu.sharing-strategy", "time-slicing"},
                                                     {"nvidia.com/gpu.memory", "23034"}}),
                     labelled(simple_node("z", 1), {{"nvidia.com/gpu.sharing-strategy", "none"}})};
    cluster.pods = {simple_pod("holder", "z", 0)};
    const Answer answer = ask(std::move(cluster), pod);
    CHECK(answer.prediction.node == "l4");
    CHECK(answer.said("trap") == Texts{"l4: each GPU (23034 MiB) is shared by up to 4 pods by time-slicing, without "
                                       "limits of memory, so that 1 nvidia.com/gpu is not a GPU of its own"});
    CHECK(
        answer.has_fix("require \"nvidia.com/gpu.sharing-strategy not in (time-slicing, mps)\" in the node affinity"));
  }
}

TEST_CASE("a value that no label has") {
  objects::ClusterObjects cluster;
  cluster.nodes = {labelled(simple_node("n1", 1), {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"}})};
  objects::Pod pod = simple_pod("asked", "", 1);
  pod.spec.edit().node_selector = {{"nvidia.com/gpu.product", "A100-SXM4-80GB"}};
  const Answer answer = ask(std::move(cluster), pod);
  CHECK(answer.verdict() == "blocked by selector");
  CHECK(answer.said("near miss") == Texts{"no node has nvidia.com/gpu.product=A100-SXM4-80GB; the nearest value is "
                                          "NVIDIA-A100-SXM4-80GB"});
  CHECK(answer.fixes() == Texts{"set nvidia.com/gpu.product to NVIDIA-A100-SXM4-80GB in the nodeSelector",
                                "drop nvidia.com/gpu.product from the nodeSelector"});
}

TEST_CASE("pools say what is in the way in each") {
  objects::ClusterObjects cluster;
  for (const char* const name : {"a1", "a2", "b1"}) {
    cluster.nodes.push_back(labelled(simple_node(name, 2), {{"pool", std::string(1, name[0])}}));
  }
  cluster.nodes[2].spec.taints = {{"dedicated", "ml", "NoSchedule"}};
  cluster.pods = {simple_pod("p", "a1", 1), simple_pod("q", "a2", 1)};
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 2));
  CHECK(answer.said("pool") ==
        Texts{"a, 2 nodes: 2 x nvidia.com/gpu in use", "b, 1 node: 1 x the taint dedicated=ml:NoSchedule"});
  CHECK(answer.said("one step away") ==
        Texts{"a1, a2: 1 nvidia.com/gpu missing (1 of 2 free)", "b1: the taint dedicated=ml:NoSchedule"});
}

TEST_CASE("a pod that fits although its condition says no") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  objects::Pod pod = simple_pod("asked", "", 1);
  pod.status.edit().conditions = {{"PodScheduled", "False", "Unschedulable", "0/1 nodes are available: old."}};
  CHECK(ask(std::move(cluster), pod).verdict() == "stale dump");
}

}  // namespace
}  // namespace gpusched::explain
