#include "gpusched/io/scheduler_input.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "gpusched/io/cluster_input.hpp"

namespace gpusched::io {

namespace {

ClusterDump dump_of(const std::string& text) {
  std::istringstream stream(text);
  SourceReader reader({}, stream);
  const std::vector<std::string> arguments = {"-"};
  Result<ClusterInput> input = read_cluster_input(reader, arguments, 1);
  REQUIRE(input);
  return std::move(input->dump);
}

constexpr const char* kObjects = R"(
apiVersion: v1
kind: Pod
metadata: {name: done, namespace: ml}
spec: {nodeName: n1, containers: [{name: main}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: runs, namespace: ml, uid: u-1, deletionTimestamp: "2026-11-29T09:00:00Z",
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: x, controller: true}]}
spec: {nodeName: n1, hostUsers: false, containers: [{name: main, restartPolicyRules: [{action: RestartAllContainers}],
  volumeMounts: [{name: a, mountPath: /a}]}]}
status: {phase: Running, startTime: "2026-11-29T08:00:00Z"}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {images: [{names: [pause], sizeBytes: 5}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: ml}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpus}}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: ml}
)";

SchedulerInput input_of(const std::string& text) {
  SchedulerInputReader reader("team");
  reader.add(dump_of(text));
  Result<SchedulerInput> input = std::move(reader).finish();
  REQUIRE(input);
  return *std::move(input);
}

}  // namespace

TEST_CASE("a dump becomes what the scheduler's informers hold") {
  const SchedulerInput input = input_of(kObjects);
  REQUIRE(input.cluster.pods.size() == 1);  // the finished one holds nothing
  const objects::Pod& pod = input.cluster.pods[0];
  CHECK(pod.meta.uid == "u-1");
  CHECK(pod.meta.deletion_timestamp.has_value());
  CHECK(pod.node_name == "n1");
  CHECK(pod.spec->host_users == false);
  CHECK(pod.spec->containers[0].restart_rule_actions == std::vector<std::string>{"RestartAllContainers"});
  CHECK(pod.start_time.has_value());
  REQUIRE(objects::controller_of(pod.meta) != nullptr);
  CHECK(objects::controller_of(pod.meta)->name == "web");
  REQUIRE(input.cluster.nodes.size() == 1);
  CHECK(input.cluster.nodes[0].status.images.size() == 1);
  CHECK(input.cluster.volume_claims.at(0).meta.namespace_name == "team");
  CHECK(input.claim_templates.at(0).devices.requests.at(0).exactly->count == 1);
  CHECK(input.other_kinds == std::map<std::string, std::size_t>{{"CronJob", 1}});
}

TEST_CASE("pods of one namespace that an API server printed are told, as what the others hold is unknown") {
  const auto pod = [](std::string_view name, std::string_view name_space, std::string_view marks) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: {}{}}}\nspec: {{containers: []}}\n", name,
        name_space, marks);
  };
  constexpr std::string_view kServed = ", uid: u, creationTimestamp: \"2026-11-29T08:00:00Z\"";
  CHECK(input_of(pod("a", "ml", kServed) + pod("b", "kube-system", kServed)).warnings.empty());
  CHECK(input_of(pod("a", "ml", "") + pod("b", "ml", ", uid: u")).warnings.empty());  // written by hand
  const SchedulerInput part = input_of(pod("a", "ml", kServed) + pod("b", "ml", kServed));
  REQUIRE(part.warnings.size() == 1);
  CHECK(part.warnings[0].code == "partial-dump");
}

TEST_CASE("a pod from a file gets a claim for each template") {
  SchedulerInput input = input_of(kObjects);
  objects::Pod pod;
  pod.meta.name = "train";
  pod.meta.namespace_name = "ml";
  pod.spec.edit().resource_claims = {{"gpu", std::nullopt, "one"}, {"other", std::nullopt, "missing"}};
  const Result<objects::Pod> stored = store_pod(pod, input);
  REQUIRE(stored);
  REQUIRE(stored->status->resource_claim_statuses.size() == 1);
  CHECK(stored->status->resource_claim_statuses[0].claim_name == "train-gpu-00001");
  REQUIRE(input.cluster.resource_claims.size() == 1);
  CHECK(input.cluster.resource_claims[0].owner_uid == stored->meta.uid);
  CHECK(stored->spec->tolerations.size() == 2);
}

TEST_CASE("a second object of one name is an error, also in another dump") {
  const std::string text = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: ml}\n";
  SchedulerInputReader reader("default");
  reader.add(dump_of(text));
  reader.add_others(dump_of(text));
  const Result<SchedulerInput> input = std::move(reader).finish();
  REQUIRE_FALSE(input);
  CHECK(input.error().front().code == "duplicate-object");
  CHECK(input.error().front().object == "Service ml/web");
}

}  // namespace gpusched::io
