#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "gpusched/explain/explain.hpp"
#include "support/kube_objects.hpp"

// Public reports about kube-scheduler's message, with the text that a scheduler of their release writes.
namespace gpusched::explain {
namespace {

using testing::cluster_from;
using testing::simple_node;
using testing::simple_pod;

struct Answer {
  kubescheduler::Prediction prediction;
  Explanation explanation;

  [[nodiscard]] bool says(std::string_view verdict, std::string_view text) const {
    return std::ranges::any_of(explanation.findings, [&](const Finding& finding) {
      return finding.verdict == verdict && finding.text.find(text) != std::string::npos;
    });
  }
};

Answer ask(objects::ClusterObjects cluster, const objects::Pod& pod, kubescheduler::SchedulerVersion version = {}) {
  kubescheduler::PredictOptions options;
  options.rules = kubescheduler::rules_for(version);
  const kubescheduler::Snapshot snapshot(std::move(cluster), options.rules.requests);
  Answer answer{kubescheduler::predict(snapshot, pod, options), {}};
  answer.explanation = Explainer(snapshot, options).explain(pod, answer.prediction);
  return answer;
}

TEST_CASE("a long histogram is sorted as text, and pools make it readable") {
  objects::ClusterObjects cluster;
  for (int pool = 0; pool < 4; ++pool) {
    for (int i = 0; i < std::array{1, 10, 12, 2}[static_cast<std::size_t>(pool)]; ++i) {
      objects::Node node = simple_node(fmt::format("p{}-{}", pool, i), 8);
      node.meta.labels.edit().emplace_back("cloud.google.com/gke-nodepool", fmt::format("pool-{}", pool));
      if (pool > 0) {
        node.spec.taints = {{fmt::format("team-{}", pool), "", "NoSchedule"}};
      }
      cluster.nodes.push_back(std::move(node));
    }
  }
  cluster.pods = {simple_pod("holder", "p0-0", 7)};
  const Answer answer = ask(std::move(cluster), simple_pod("asked", "", 2), {34, 0});
  CHECK(answer.prediction.message.starts_with(
      "0/25 nodes are available: 1 Insufficient nvidia.com/gpu, 10 node(s) had untolerated taint {team-1: }, 12 "
      "node(s) "
      "had untolerated taint {team-2: }, 2 node(s) had untolerated taint {team-3: }."));
  CHECK(answer.says("pool", "pool-2, 12 nodes: 12 x the taint team-2:NoSchedule"));
  CHECK(answer.says("one step away", "p0-0: 1 nvidia.com/gpu missing (1 of 8 free)"));
}

TEST_CASE("two kinds of nodes under 1.34 to 1.36") {
  objects::ClusterObjects cluster;
  objects::Pod pod = simple_pod("asked");
  objects::PodAffinityTerm term;
  term.topology_key = "kubernetes.io/hostname";
  term.label_selector.emplace().match_labels = {{"app", "x"}};
  pod.spec.edit().affinity.pod_anti.emplace().required = {term};
  for (int i = 0; i < 6; ++i) {
    objects::Node node = simple_node(fmt::format("n{}", i));
    if (i < 3) {
      objects::Pod other = simple_pod(fmt::format("x{}", i), node.meta.name);
      other.meta.labels.edit() = {{"app", "x"}};
      cluster.pods.push_back(other);
    } else {
      node.spec.taints = {{"dedicated", "", "NoSchedule"}};
    }
    cluster.nodes.push_back(node);
  }
  const Answer answer = ask(std::move(cluster), pod, {35, 8});
  CHECK(
      answer.prediction.message ==
      "0/6 nodes are available: 3 node(s) didn't match pod anti-affinity rules, 3 node(s) had untolerated taint(s). no "
      "new claims to deallocate, preemption: 0/6 nodes are available: 3 No preemption victims found for incoming pod, "
      "3 "
      "Preemption is not helpful for scheduling.");
  CHECK(answer.explanation.findings.front().verdict == "blocked");
}

TEST_CASE("sidecars count all the time, plain init containers do not") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 8)};
  objects::Pod pod = simple_pod("asked", "", 8);
  pod.spec.edit().init_containers = simple_pod("init", "", 8).spec->containers;
  CHECK(ask(cluster, pod).prediction.verdict == kubescheduler::Verdict::kScheduled);
  pod.spec.edit().init_containers[0].restart_policy = "Always";
  const Answer answer = ask(cluster, pod);
  CHECK(answer.explanation.findings.front().text ==
        "it asks for 16 nvidia.com/gpu on one node, the largest has 8 (n1); waiting does not help");
}

TEST_CASE("finished pods hold nothing, terminating ones do and are worth waiting for") {
  objects::ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 1)};
  cluster.pods = {simple_pod("holder", "n1", 1)};
  cluster.pods[0].phase = "Succeeded";
  CHECK(ask(cluster, simple_pod("asked", "", 1)).prediction.verdict == kubescheduler::Verdict::kScheduled);
  cluster.pods[0].phase = "Running";
  cluster.pods[0].meta.deletion_timestamp.emplace();
  const Answer answer = ask(cluster, simple_pod("asked", "", 1));
  CHECK(answer.says("held by", "pod default/holder: 1 nvidia.com/gpu, priority 0, terminating"));
  REQUIRE_FALSE(answer.explanation.fixes.empty());
  CHECK(answer.explanation.fixes[0].change == "wait until default/holder is gone, it is terminating");
}

constexpr std::string_view kDevices = R"(
kind: Node
metadata: {{name: n1, labels: {{kubernetes.io/hostname: n1}}}}
status: {{allocatable: {{cpu: 8, memory: 8Gi, pods: 10}}}}
---
kind: Node
metadata: {{name: n2, labels: {{kubernetes.io/hostname: n2, zone: b}}}}
status: {{allocatable: {{cpu: 8, memory: 8Gi, pods: 10}}}}
---
kind: DeviceClass
metadata: {{name: gpu}}
spec: {{selectors: [{{cel: {{expression: device.driver == "gpu.example.com"}}}}]}}
---
kind: ResourceSlice
metadata: {{name: n1-gpu}}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {{name: n1, generation: 2, resourceSliceCount: {}}}
  devices: [{{name: gpu-0}}]
---
kind: ResourceClaim
metadata: {{name: wanted, namespace: default, uid: wanted}}
spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: 1}}}}]}}}}
)";

objects::Pod with_claim() {
  objects::Pod pod = simple_pod("asked");
  pod.spec.edit().resource_claims = {{"gpu", "wanted", std::nullopt}};
  return pod;
}

TEST_CASE("an incomplete pool is named") {
  const Answer answer = ask(cluster_from(fmt::format(kDevices, 2)), with_claim());
  CHECK(answer.prediction.message.starts_with("0/2 nodes are available: 2 cannot allocate all claims."));
  CHECK(answer.says("devices", "1 of 2 slices"));
}

TEST_CASE("the mixed line with claims") {
  objects::Pod pod = with_claim();
  pod.spec.edit().node_selector = {{"zone", "b"}};
  const Answer answer = ask(cluster_from(fmt::format(kDevices, 1)), pod, {34, 12});
  CHECK(answer.prediction.message ==
        "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's node affinity/selector. "
        "still "
        "not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
  const bool drops_zone = std::ranges::any_of(answer.explanation.fixes, [](const Fix& fix) {
    return fix.change == "drop zone from the nodeSelector" && fix.effect == "schedules on n1";
  });
  CHECK(drops_zone);
}

TEST_CASE("a claim that is allocated for another node") {
  objects::ClusterObjects cluster = cluster_from(fmt::format(kDevices, 1));
  objects::NodeSelector selector;
  selector.terms = {{{}, {{"metadata.name", "In", {"n1"}}}}};
  cluster.resource_claims[0].allocation.emplace().node_selector = selector;
  objects::Pod pod = with_claim();
  pod.spec.edit().node_selector = {{"zone", "b"}};
  const Answer answer = ask(cluster, pod);
  CHECK(answer.prediction.message.find("1 resourceclaim not available on the node") != std::string::npos);
  CHECK(answer.explanation.findings.front().verdict == "blocked");
}

}  // namespace
}  // namespace gpusched::explain
