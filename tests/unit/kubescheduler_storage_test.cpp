#include <catch2/catch.hpp>

#include "gpusched/kubescheduler/predict.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::kubescheduler {
namespace {

using testing::cluster_from;
using testing::simple_node;
using testing::simple_pod;

/// n1 and n2 in zones a and b, and the pod that uses the claim "data".
Prediction predict_with(std::string_view objects_text) {
  ClusterObjects objects = cluster_from(objects_text);
  objects.nodes = {simple_node("n1"), simple_node("n2")};
  objects.nodes[0].meta.labels.edit().emplace_back("topology.kubernetes.io/zone", "a");
  objects.nodes[1].meta.labels.edit().emplace_back("topology.kubernetes.io/zone", "b");
  objects::Pod pod = simple_pod("p");
  pod.spec.edit().preemption_policy = "Never";
  pod.spec.edit().volumes.emplace_back().persistent_volume_claim = {"data", false};
  return predict(Snapshot(std::move(objects)), pod, {});
}

struct Case {
  const char* name;
  const char* objects;
  const char* nodes;    ///< feasible ones
  const char* message;  ///< before the text of PostFilter; "" when scheduled
};

TEST_CASE("volumes decide where a pod can run") {
  const Case c = GENERATE(Case{"bound-volume-of-one-zone", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "yes"}}, spec: {volumeName: v, accessModes: [ReadWriteOnce]}}
---
{kind: PersistentVolume, metadata: {name: v, labels: {topology.kubernetes.io/zone: b__c}}, spec: {}}
)",
                               "n2", ""},
                          Case{"volume-that-is-gone", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {volumeName: v}, status: {phase: Lost}}
)",
                               "", "persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"v\"."},
                          Case{"immediate-claim-without-a-volume", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: fast}}
---
{kind: StorageClass, metadata: {name: fast}, provisioner: x, volumeBindingMode: Immediate}
)",
                               "", "pod has unbound immediate PersistentVolumeClaims."},
                          Case{"provisioner-with-a-topology", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}}
---
{kind: StorageClass, metadata: {name: fast}, provisioner: x, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a]}]}]}
)",
                               "n1", ""},
                          Case{"local-volume-that-is-free", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}}
---
{kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}
---
{kind: PersistentVolume, metadata: {name: small}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}, status: {phase: Available}}
---
{kind: PersistentVolume, metadata: {name: v}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], capacity: {storage: 10Gi}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n2]}]}]}}}, status: {phase: Available}}
)",
                               "n2", ""},
                          Case{"no-volume-fits", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: local, resources: {requests: {storage: 5Gi}}}}
---
{kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}
)",
                               "", "2 node(s) didn't find available persistent volumes to bind."},
                          Case{"published-capacity", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: fast, resources: {requests: {storage: 5Gi}}}}
---
{kind: StorageClass, metadata: {name: fast}, provisioner: csi.x, volumeBindingMode: WaitForFirstConsumer}
---
{kind: CSIDriver, metadata: {name: csi.x}, spec: {storageCapacity: true}}
---
{kind: CSIStorageCapacity, metadata: {name: c1}, storageClassName: fast, capacity: 1Gi, nodeTopology: {matchLabels: {kubernetes.io/hostname: n1}}}
---
{kind: CSIStorageCapacity, metadata: {name: c2}, storageClassName: fast, capacity: 10Gi, nodeTopology: {matchLabels: {kubernetes.io/hostname: n2}}}
)",
                               "n2", ""},
                          Case{"limit-of-a-driver", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "yes"}}, spec: {volumeName: v}}
---
{kind: PersistentVolume, metadata: {name: v}, spec: {csi: {driver: csi.x, volumeHandle: h}}}
---
{kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: csi.x, nodeID: n1, allocatable: {count: 0}}]}}
)",
                               "n2", ""},
                          Case{"driver-that-must-be-there", R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "yes"}}, spec: {volumeName: v}}
---
{kind: PersistentVolume, metadata: {name: v}, spec: {csi: {driver: csi.x, volumeHandle: h}}}
---
{kind: CSIDriver, metadata: {name: csi.x}, spec: {preventPodSchedulingIfMissing: true}}
)",
                               "", "2 csi.x CSI driver is not installed on the node."});
  CAPTURE(c.name);
  const Prediction prediction = predict_with(c.objects);
  std::string feasible;
  for (const std::string& node : prediction.feasible_nodes) {
    feasible += node;
  }
  CHECK(feasible == c.nodes);
  const std::string message = *c.message == '\0' ? "" : std::string("0/2 nodes are available: ") + c.message;
  CHECK(prediction.message.substr(0, message.size()) == message);
}

TEST_CASE("a ReadWriteOncePod claim in use shuts every node") {
  ClusterObjects objects = cluster_from(R"(
{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "yes"}}, spec: {volumeName: v, accessModes: [ReadWriteOncePod]}}
---
{kind: PersistentVolume, metadata: {name: v}, spec: {}}
)");
  objects.nodes = {simple_node("n1"), simple_node("n2")};
  objects.pods = {simple_pod("user", "n1")};
  objects.pods[0].spec.edit().volumes.emplace_back().persistent_volume_claim = {"data", false};
  objects::Pod pod = simple_pod("p", "", 0, 10);
  pod.spec.edit().volumes = objects.pods[0].spec->volumes;
  const Prediction prediction = predict(Snapshot(std::move(objects)), pod, {});
  CHECK(prediction.nodes[1].status.reasons ==
        std::vector<std::string>{"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
                                 "already in-use by another pod"});
  CHECK(prediction.nominated_node == "n1");
}

TEST_CASE("one disk is not mounted twice") {
  ClusterObjects objects;
  objects.nodes = {simple_node("n1")};
  objects.pods = {simple_pod("user", "n1")};
  objects.pods[0].spec.edit().volumes.emplace_back().gce_persistent_disk = {"disk", true};
  objects::Pod pod = simple_pod("p");
  pod.spec.edit().volumes.emplace_back().gce_persistent_disk = {"disk", true};
  CHECK(predict(Snapshot(objects), pod, {}).verdict == Verdict::kScheduled);
  pod.spec.edit().volumes[0].gce_persistent_disk->read_only = false;
  CHECK(predict(Snapshot(objects), pod, {}).nodes[0].status.reasons ==
        std::vector<std::string>{"node(s) had no available disk"});
}

}  // namespace
}  // namespace gpusched::kubescheduler
