#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "gpusched/explain/explain.hpp"
#include "gpusched/kubescheduler/pod_series.hpp"
#include "support/kube_objects.hpp"

// Public reports about claims in kube-scheduler.
namespace gpusched::explain {
namespace {

using kubescheduler::PodIndex;
using kubescheduler::Snapshot;
using kubescheduler::Verdict;
using testing::cluster_from;
using testing::pod_from;
using testing::simple_node;

constexpr std::string_view kGpuClass = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
)";

std::string slice_of(std::string_view node, std::string_view devices) {
  return fmt::format(R"(
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {0}-gpu}}
spec: {{driver: d.example.com, nodeName: {0}, pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}, devices: [{1}]}}
)",
                     node, devices);
}

std::string claim_of(std::string_view name, std::string_view requests) {
  return fmt::format(R"(
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {0}, namespace: default, uid: uid-{0}}}
spec: {{devices: {{requests: [{1}]}}}}
)",
                     name, requests);
}

objects::Pod pod_with(std::string_view name, std::string_view claim) {
  return pod_from(fmt::format(
      "{{apiVersion: v1, kind: Pod, metadata: {{name: {0}, namespace: default, uid: uid-{0}}}, spec: {{containers: "
      "[{{name: c, image: i, resources: {{claims: [{{name: d}}]}}}}], resourceClaims: [{{name: d, resourceClaimName: "
      "{1}}}]}}}}",
      name, claim));
}

constexpr std::string_view kOneGpu = "{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}";

TEST_CASE("the node whose devices serve the earlier alternative is chosen") {
  const std::string text = std::string(kGpuClass) + slice_of("n1", "{name: old, attributes: {model: {string: old}}}") +
                           slice_of("n2", "{name: new, attributes: {model: {string: new}}}") +
                           claim_of("c", R"({name: gpu, firstAvailable: [
    {name: latest, deviceClassName: gpu, selectors: [{cel: {expression: 'device.attributes["d.example.com"].model == "new"'}}],
     allocationMode: ExactCount, count: 1},
    {name: older, deviceClassName: gpu, allocationMode: ExactCount, count: 1}]})");
  objects::ClusterObjects cluster = cluster_from(text);
  cluster.nodes = {simple_node("n1"), simple_node("n2")};
  const kubescheduler::Prediction prediction =
      kubescheduler::predict(Snapshot(std::move(cluster)), pod_with("p", "c"), {});
  CHECK(prediction.node == "n2");
  REQUIRE(prediction.claims.size() == 1);
  CHECK(prediction.claims[0].allocation.results[0].request == "gpu/latest");
}

TEST_CASE("two pods that share a claim without devices both run") {
  objects::ClusterObjects cluster =
      cluster_from(std::string(kGpuClass) + slice_of("n1", "{name: gpu-0}") + claim_of("shared", kOneGpu));
  cluster.nodes = {simple_node("n1"), simple_node("n2")};
  cluster.pods = {pod_with("a", "shared"), pod_with("b", "shared")};
  Snapshot snapshot(std::move(cluster));
  const std::vector<PodIndex> pods = {PodIndex(std::size_t{0}), PodIndex(std::size_t{1})};
  for (const kubescheduler::PodTurn& turn : schedule_in_turn(snapshot, pods, {})) {
    REQUIRE(turn.node.valid());
    CHECK(snapshot.node(turn.node).name() == "n1");
  }
  CHECK(snapshot.resource_claims()[0].reserved_for.size() == 2);
}

TEST_CASE("an extended resource that a device class serves needs no device plugin") {
  objects::ClusterObjects cluster = cluster_from(
      "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: "
      "nvidia.com/gpu}}\n" +
      slice_of("n1", "{name: gpu-0}, {name: gpu-1}"));
  cluster.nodes = {simple_node("n1")};
  for (const std::string_view resource : {"nvidia.com/gpu", "deviceclass.resource.kubernetes.io/gpu"}) {
    CAPTURE(resource);
    for (const int count : {2, 3}) {
      objects::Pod pod = testing::simple_pod("p");
      pod.spec.edit().containers[0].resources.requests.emplace_back(std::string(resource), Quantity::from_int64(count));
      pod.spec.edit().containers[0].resources.limits = pod.spec->containers[0].resources.requests;
      const kubescheduler::Prediction prediction = kubescheduler::predict(Snapshot(cluster), pod, {});
      CHECK((prediction.verdict == Verdict::kScheduled) == (count == 2));
    }
  }
}

TEST_CASE("claims of victims are free when nobody else uses them") {
  objects::ClusterObjects cluster =
      cluster_from(std::string(kGpuClass) + slice_of("n1", "{name: gpu-0}, {name: gpu-1}") + claim_of("own", kOneGpu) +
                   claim_of("shared", kOneGpu) + claim_of("wanted", kOneGpu) + claim_of("late", kOneGpu));
  cluster.nodes = {simple_node("n1")};
  const auto held = [&](std::size_t claim, const std::string& device, const std::vector<std::string>& users) {
    auto& results = cluster.resource_claims[claim].allocation.emplace().results;
    results.emplace_back().request = "r";
    results.back().driver = "d.example.com";
    results.back().pool = "n1";
    results.back().device = device;
    for (const std::string& user : users) {  // the pods of this test have no uid
      cluster.resource_claims[claim].reserved_for.push_back({"", "pods", user, ""});
    }
  };
  held(0, "gpu-0", {"victim"});
  held(1, "gpu-1", {"victim", "stays"});
  const auto add = [&](const std::string& name, const std::string& node, const std::string& claim, int priority) {
    objects::Pod pod = pod_with(name, claim);
    pod.meta.uid.clear();
    pod.node_name = node;
    pod.spec.edit().priority = priority;
    pod.spec.edit().containers[0].resources.requests = {{"cpu", Quantity::from_int64(node.empty() ? 3 : 1)}};
    cluster.pods.push_back(std::move(pod));
  };
  add("victim", "n1", "own", 1);
  cluster.pods[0].spec.edit().resource_claims.push_back({"e", "shared", {}});
  cluster.pods[0].spec.edit().containers[0].resources.requests = {{"cpu", Quantity::from_int64(2)}};
  add("stays", "n1", "shared", 9);
  objects::Pod urgent = testing::simple_pod("urgent", "", 0, 5);
  urgent.spec.edit().containers[0].resources.requests = {{"cpu", Quantity::from_int64(2)}};
  cluster.pods.push_back(urgent);
  add("next", "", "wanted", 0);
  cluster.pods.back().spec.edit().containers[0].resources.requests = {{"cpu", Quantity::from_milli(500)}};
  add("last", "", "late", 0);
  cluster.pods.back().spec.edit().containers[0].resources.requests = {{"cpu", Quantity::from_milli(500)}};
  Snapshot snapshot(std::move(cluster));
  const std::vector<PodIndex> pods = {PodIndex(std::size_t{2}), PodIndex(std::size_t{3}), PodIndex(std::size_t{4})};
  const std::vector<kubescheduler::PodTurn> turns = schedule_in_turn(snapshot, pods, {});
  CHECK(turns[0].victims == std::vector<PodIndex>{PodIndex(std::size_t{0})});
  REQUIRE(turns[1].node.valid());  // with the victim's device
  CHECK(turns[1].claims[0].allocation.results[0].device == "gpu-0");
  CHECK_FALSE(turns[2].node.valid());  // the shared one is held still
  CHECK_FALSE(snapshot.resource_claims()[0].allocation);
  CHECK(snapshot.resource_claims()[1].reserved_for.size() == 1);
}

TEST_CASE("of a gang of a rack with a claim each, the claims tell how many find devices") {
  constexpr int kNodes = 18;
  constexpr int kPods = 17;
  constexpr int kWithDevices = 5;
  std::string text(kGpuClass);
  for (int i = 0; i < kWithDevices; ++i) {
    text += slice_of(fmt::format("n{}", i), "{name: channel}");
  }
  for (int i = 0; i < kPods; ++i) {
    text += claim_of(fmt::format("channel-{}", i), kOneGpu);
  }
  objects::ClusterObjects cluster = cluster_from(text);
  for (int i = 0; i < kNodes; ++i) {
    cluster.nodes.push_back(simple_node(fmt::format("n{}", i), 4));
  }
  std::vector<PodIndex> pods;
  for (int i = 0; i < kPods; ++i) {
    objects::Pod pod = pod_with(fmt::format("worker-{}", i), fmt::format("channel-{}", i));
    pod.spec.edit().containers[0].resources.requests = {{"nvidia.com/gpu", Quantity::from_int64(4)}};
    cluster.pods.push_back(std::move(pod));
    pods.emplace_back(static_cast<std::size_t>(i));
  }
  Snapshot snapshot(std::move(cluster));
  const std::vector<kubescheduler::PodTurn> turns = schedule_in_turn(snapshot, pods, {});
  CHECK(std::ranges::count_if(turns, [](const auto& turn) { return turn.node.valid(); }) == kWithDevices);
  const kubescheduler::Prediction last = kubescheduler::predict(snapshot, *snapshot.pod(pods.back()).object, {});
  CHECK(last.message.starts_with(
      "0/18 nodes are available: 13 cannot allocate all claims, 5 Insufficient nvidia.com/gpu."));
}

TEST_CASE("a device that is allocated and not published any more is told") {
  std::string allocated = claim_of("old", kOneGpu);
  allocated +=
      "status: {allocation: {devices: {results: [{request: r, driver: d.example.com, pool: n1, device: gone}]}}}\n";
  for (const bool is_gone : {true, false}) {
    objects::ClusterObjects cluster = cluster_from(
        std::string(kGpuClass) + slice_of("n1", is_gone ? "{name: gpu-0}" : "{name: gpu-0}, {name: gone}") + allocated +
        claim_of("new", kOneGpu));
    cluster.nodes = {simple_node("n1")};
    const Snapshot snapshot(std::move(cluster));
    const kubescheduler::PredictOptions options;
    const objects::Pod pod = pod_with("p", "new");
    const kubescheduler::Prediction prediction = kubescheduler::predict(snapshot, pod, options);
    REQUIRE(prediction.verdict == Verdict::kScheduled);
    const Explanation explanation = Explainer(snapshot, options).explain(pod, prediction);
    const bool told = std::ranges::any_of(explanation.findings, [](const Finding& finding) {
      return finding.text.starts_with("allocated and not in the slices any more: n1/gone (claim default/old);");
    });
    CHECK(told == is_gone);
  }
}

}  // namespace
}  // namespace gpusched::explain
