#include "gpusched/io/core_objects.hpp"

#include <catch2/catch.hpp>

#include "support/kube_objects.hpp"

namespace gpusched::io {
namespace {

TEST_CASE("a pod is read with all that scheduling looks at") {
  const objects::Pod pod = testing::pod_from(R"(
apiVersion: v1
kind: Pod
metadata:
  name: train-0
  namespace: team-a
  uid: u1
  labels: {app: train}
  annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}", note: kept}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: r1, controller: true}]
  creationTimestamp: "2026-03-01T12:00:00Z"
spec:
  priority: -10
  schedulerName: default-scheduler
  somethingNew: {deep: [1, 2]}
  nodeSelector: {zone: a}
  containers:
  - name: main
    image: pytorch
    resources: {requests: {cpu: 8, memory: 80Gi, nvidia.com/gpu: "1"}, claims: [{name: gpu, request: r}]}
    ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.1, protocol: UDP}]
    volumeMounts: [{name: data, mountPath: /x, bindMountOptions: [noexec]}]
    restartPolicyRules: [{action: RestartAllContainers}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]
  tolerations: [{key: gpu, operator: Exists, effect: NoSchedule, tolerationSeconds: 30}]
  topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 3}]
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: c, readOnly: true}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {}}}
status:
  phase: Pending
  nominatedNodeName: n1
  resourceClaimStatuses: [{name: gpu, resourceClaimName: train-0-gpu}]
)");
  CHECK(pod.meta.name == "train-0");
  CHECK(pod.meta.annotations == objects::Labels{{"note", "kept"}});
  CHECK(objects::controller_of(pod.meta)->name == "rs");
  CHECK(pod.meta.creation_timestamp == objects::Timestamp{1772366400, 0});
  CHECK(pod.priority() == -10);
  const objects::Container& container = pod.spec->containers.at(0);
  CHECK(objects::find(container.resources.requests, "cpu")->to_string() == "8");
  CHECK(container.resources.claims == std::vector<objects::ResourceClaimUse>{{"gpu", "r"}});
  CHECK(container.ports == std::vector<objects::ContainerPort>{{80, 8080, "10.0.0.1", "UDP"}});
  CHECK(container.has_bind_mount_options);
  CHECK(container.restart_rule_actions == std::vector<std::string>{"RestartAllContainers"});
  CHECK(pod.spec->resource_claims == std::vector<objects::PodResourceClaim>{{"gpu", std::nullopt, "t"}});
  CHECK(pod.spec->tolerations.at(0).toleration_seconds == 30);
  CHECK(pod.spec->topology_spread_constraints.at(0).min_domains == 3);
  CHECK(pod.spec->volumes.at(0).persistent_volume_claim->read_only);
  CHECK(pod.spec->volumes.at(1).ephemeral);
  CHECK(pod.status->resource_claim_statuses.at(0).claim_name == "train-0-gpu");
}

struct Case {
  const char* name;
  const char* pod;
  const char* pointer;
  const char* code;
};

TEST_CASE("wrong types are errors with their place") {
  const Case c = GENERATE(
      Case{"quantity", "{spec: {containers: [{resources: {requests: {cpu: 8 cores}}}]}}",
           "/spec/containers/0/resources/requests/cpu", "quantity-syntax"},
      Case{"quantity-of-wrong-type", "{spec: {overhead: {cpu: [1]}}}", "/spec/overhead/cpu", "wrong-type"},
      Case{"list", "{spec: {containers: {}}}", "/spec/containers", "wrong-type"},
      Case{"number", "{spec: {priority: high}}", "/spec/priority", "wrong-type"},
      Case{"number-too-large", "{spec: {priority: 4294967296}}", "/spec/priority", "out-of-range"},
      Case{"label", "{metadata: {labels: {a: 1}}}", "/metadata/labels/a", "wrong-type"},
      Case{"time", "{metadata: {deletionTimestamp: yesterday}}", "/metadata/deletionTimestamp", "invalid-timestamp"});
  CAPTURE(c.name);
  const auto documents = parse_documents({"test", c.pod});
  REQUIRE(documents);
  Decoder decoder(documents->front());
  (void)decode_pod(decoder, documents->front().root);
  const Diagnostics diagnostics = decoder.take_diagnostics();
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics.front().pointer == c.pointer);
  CHECK(diagnostics.front().code == c.code);
}

TEST_CASE("a node is read with all that scheduling looks at") {
  const objects::Node node = testing::node_from(R"(
metadata: {name: n1, labels: {zone: a}}
spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoExecute}]}
status:
  allocatable: {cpu: 7910m, pods: "110", nvidia.com/gpu: 8}
  images: [{names: [a:1, a@sha256:x], sizeBytes: 5}]
  declaredFeatures: [F]
  nodeInfo: {kubeletVersion: v1.37.2}
)");
  CHECK(node.spec.unschedulable);
  CHECK(node.spec.taints == std::vector<objects::Taint>{{"k", "v", "NoExecute"}});
  CHECK(objects::find(node.status.allocatable, "cpu")->milli_value() == 7910);
  CHECK(node.status.images.at(0).names.size() == 2);
  CHECK(node.status.kubelet_version == "v1.37.2");
}

}  // namespace
}  // namespace gpusched::io
