#include "gpusched/kubescheduler/snapshot.hpp"

#include <catch2/catch.hpp>

#include "gpusched/kubescheduler/rules.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::kubescheduler {
namespace {

using testing::simple_node;
using testing::simple_pod;

ClusterObjects small_cluster() {
  ClusterObjects objects;
  objects.nodes = {simple_node("n1", 2)};
  objects.pods = {simple_pod("a", "n1", 1), simple_pod("b"), simple_pod("gone", "elsewhere")};
  objects.pods.push_back(simple_pod("done", "n1", 1));
  objects.pods.back().phase = "Succeeded";
  return objects;
}

TEST_CASE("usage is the sum over the pods of a node") {
  const Snapshot snapshot(small_cluster());
  REQUIRE(snapshot.pods().size() == 3);
  const NodeState& node = snapshot.node(snapshot.find_node("n1"));
  const ResourceIndex gpu = snapshot.find_resource("nvidia.com/gpu");
  CHECK(node.allocatable_of(kCpu) == 4000);
  CHECK(node.allocatable_of(gpu) == 2);
  CHECK(node.usage.of(kCpu) == 500);
  CHECK(node.usage.of(gpu) == 1);
  CHECK(node.usage.non_zero_memory == std::int64_t{200} << 20);
  CHECK(node.usage.pods.size() == 1);
  CHECK_FALSE(snapshot.find_resource("amd.com/gpu").valid());
}

TEST_CASE("bind then unbind is identity, and copies are apart") {
  const Snapshot before(small_cluster());
  Snapshot after = before;
  const PodIndex pending(1);
  const NodeIndex node(0);
  after.bind(pending, node);
  CHECK(after.node(node).usage.of(kCpu) == 1000);
  CHECK(before.node(node).usage.of(kCpu) == 500);
  after.unbind(pending);
  CHECK(after.node(node).usage.requested == before.node(node).usage.requested);
  CHECK(after.node(node).usage.pods == before.node(node).usage.pods);
  CHECK_FALSE(after.pod(pending).node.valid());
}

TEST_CASE("pods with rules about neighbours are listed") {
  ClusterObjects objects = small_cluster();
  objects.pods[0].spec.edit().affinity.pod_anti.emplace().required.emplace_back();
  objects.pods[1].nominated_node_name = "n1";
  Snapshot snapshot(std::move(objects));
  CHECK(snapshot.pods_with_affinity().size() == 1);
  CHECK(snapshot.pods_with_anti_affinity().size() == 1);
  CHECK(snapshot.nominated_pods().size() == 1);
  snapshot.unbind(PodIndex(std::size_t{0}));
  CHECK(snapshot.pods_with_anti_affinity().empty());
}

TEST_CASE("host ports are those of containers and sidecars") {
  objects::Pod pod = simple_pod("p");
  pod.spec.edit().containers[0].ports = {{80, 8080, "", ""}, {81, 0, "", ""}};
  objects::Container sidecar;
  sidecar.restart_policy = "Always";
  sidecar.ports = {{53, 53, "10.0.0.1", "UDP"}};
  objects::Container init;
  init.ports = {{99, 99, "", ""}};
  pod.spec.edit().init_containers = {sidecar, init};
  const Snapshot snapshot{ClusterObjects()};
  CHECK(snapshot.make_pod_state(pod).ports == std::vector<HostPort>{{"0.0.0.0", "TCP", 8080}, {"10.0.0.1", "UDP", 53}});
}

TEST_CASE("releases differ where they are known to") {
  CHECK(rules_for({34, 0}).taint_in_message);
  CHECK_FALSE(rules_for({34, 2}).taint_in_message);
  CHECK(rules_for({34, 2}).terminating_victims_deleted);
  CHECK_FALSE(rules_for({35, 8}).terminating_victims_deleted);
  CHECK_FALSE(rules_for({34, 12}).dra_scores);
  CHECK(rules_for({36, 5}).dra_post_filter_text);
  CHECK_FALSE(rules_for({36, 5}).preemption_success_text);
  CHECK(rules_for({37, 2}).preemption_success_text);
  CHECK(rules_for({35, 8}).balance_form == scoring::BalanceForm::kAfterPlacement);
  SchedulerRules rules = rules_for({});
  CHECK(set_feature_gate(rules, "DRAExtendedResource", false));
  CHECK_FALSE(rules.extended_resources_by_dra);
  CHECK(set_feature_gate(rules, "DRADeviceTaints", false));
  CHECK_FALSE(rules.dra.device_taints);
  CHECK_FALSE(set_feature_gate(rules, "NoSuchGate", true));
}

}  // namespace
}  // namespace gpusched::kubescheduler
