#include <catch2/catch.hpp>

#include "gpusched/io/kueue_objects.hpp"

namespace gpusched::io {
namespace {

std::vector<Document> parse(const std::string& yaml) {
  auto documents = parse_documents({"kueue.yaml", yaml});
  REQUIRE(documents);
  return *std::move(documents);
}

objects::KueueObjects read(const std::string& yaml) {
  objects::KueueObjects objects;
  for (const Document& document : parse(yaml)) {
    Decoder decoder(document);
    REQUIRE(decode_kueue_object(decoder, document.root, objects));
    CHECK(decoder.take_diagnostics().empty());
  }
  return objects;
}

Diagnostics errors_of(const std::string& yaml) {
  const auto documents = parse(yaml);
  objects::KueueObjects objects;
  Decoder decoder(documents.front());
  REQUIRE(decode_kueue_object(decoder, documents.front().root, objects));
  return decoder.take_diagnostics();
}

}  // namespace

TEST_CASE("both versions of a ClusterQueue mean the same") {
  const auto spec = [](const std::string& version, const std::string& cohort, const std::string& checks) {
    return read("{apiVersion: kueue.x-k8s.io/" + version +
                ", kind: ClusterQueue, metadata: {name: cq}, spec: {queueingStrategy: StrictFIFO, " + cohort + ", " +
                checks +
                ", namespaceSelector: {}, stopPolicy: Hold, fairSharing: {weight: 500m}, resourceGroups: "
                "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 9, "
                "borrowingLimit: 1, lendingLimit: 2}]}]}], preemption: {withinClusterQueue: LowerPriority, "
                "borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}}}}");
  };
  const auto old = spec("v1beta1", "cohort: team", "admissionChecks: [prov]").cluster_queues.front();
  const auto now = spec("v1beta2", "cohortName: team", "admissionChecksStrategy: {admissionChecks: [{name: prov}]}")
                       .cluster_queues.front();
  CHECK(old == now);
  CHECK(now.cohort == "team");
  CHECK(now.resource_groups[0].flavors[0].resources[0].nominal == Quantity::from_int64(9));
  CHECK(now.preemption.max_priority_threshold == 100);
  CHECK(now.fair_weight->to_string() == "500m");
}

TEST_CASE("an absent namespace selector is not an empty one") {
  const std::string head = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, spec: {";
  CHECK_FALSE(read(head + "}}").cluster_queues[0].namespace_selector);
  CHECK(read(head + "namespaceSelector: {}}}").cluster_queues[0].namespace_selector->empty());
}

TEST_CASE("topology assignments of both versions are the same domains") {
  const auto workload = [](const std::string& assignment) {
    return read(
               "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: w, namespace: ml}, spec: "
               "{queueName: q, podSets: [{name: main, count: 3, template: {spec: {containers: []}}}]}, status: "
               "{admission: {clusterQueue: cq, podSetAssignments: [{name: main, topologyAssignment: " +
               assignment + "}]}}}")
        .workloads.front();
  };
  const auto old = workload("{levels: [host], domains: [{values: [n-1], count: 1}, {values: [n-2], count: 2}]}");
  const auto now = workload(
      "{levels: [host], slices: [{domainCount: 2, valuesPerLevel: [{individual: {prefix: n-, roots: ['1', '2']}}], "
      "podCounts: {individual: [1, 2]}}]}");
  CHECK(old == now);
  CHECK(now.admission->pod_sets[0].topology->domains[1].values == std::vector<std::string>{"n-2"});
}

TEST_CASE("a Workload's defaults and status are read") {
  const auto workload = read(R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: w}
spec:
  queueName: q
  priorityClassName: high
  priorityClassSource: kueue.x-k8s.io/workloadpriorityclass
  podSets: [{template: {spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}, minCount: 1}]
status:
  conditions: [{type: QuotaReserved, status: "True", reason: QuotaReserved, message: m, lastTransitionTime: "2030-01-01T00:00:07Z"}]
  requeueState: {count: 2, requeueAt: "2030-01-01T01:00:00Z"}
  admissionChecks: [{name: prov, state: Retry, requeueAfterSeconds: 60}]
  reclaimablePods: [{name: main, count: 1}]
)")
                            .workloads.front();
  CHECK(workload.meta.namespace_name == "default");
  CHECK(workload.active);
  CHECK(workload.priority_class_kind == "WorkloadPriorityClass");
  CHECK(workload.pod_sets[0].count == 1);
  CHECK(workload.pod_sets[0].min_count == 1);
  CHECK(workload.conditions[0].is_true);
  CHECK(workload.conditions[0].last_transition->seconds == 1'893'456'007);
  CHECK(workload.requeue_state->count == 2);
  CHECK(workload.admission_checks[0].requeue_after_seconds == 60);
  CHECK(workload.reclaimable_pods[0].second == 1);
}

TEST_CASE("words that the API does not know are errors") {
  const auto errors = errors_of(
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, spec: {queueingStrategy: FIFO, "
      "resourceGroups: [{flavors: [{name: f, resources: [{name: cpu, nominalQuota: many}]}]}]}}");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].pointer == "/spec/queueingStrategy");
  CHECK(errors[0].message.find("StrictFIFO") != std::string::npos);
  CHECK(errors[1].pointer == "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota");
}

TEST_CASE("kinds of other groups are not Kueue's") {
  const auto documents = parse("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}}");
  objects::KueueObjects objects;
  Decoder decoder(documents.front());
  CHECK_FALSE(decode_kueue_object(decoder, documents.front().root, objects));
}

TEST_CASE("the configuration of both versions") {
  const auto old = read_kueue_configuration(
      parse("{apiVersion: config.kueue.x-k8s.io/v1beta1, waitForPodsReady: {enable: true, timeout: 10m}, fairSharing: "
            "{enable: false}}")
          .front());
  REQUIRE(old);
  CHECK(old->wait_for_pods_ready->timeout_seconds == 600);
  CHECK(old->wait_for_pods_ready->recovery_timeout_seconds == 600);
  CHECK_FALSE(old->fair_sharing);
  const auto now = read_kueue_configuration(
      parse("{apiVersion: config.kueue.x-k8s.io/v1beta2, fairSharing: {preemptionStrategies: [LessThanInitialShare]}, "
            "resources: {excludeResourcePrefixes: [example.com], transformations: [{input: a, strategy: Replace, "
            "outputs: {b: 2}}]}, featureGates: {TASBalancedPlacement: true, SomethingElse: true}}")
          .front());
  REQUIRE(now);
  CHECK(now->fair_sharing->strategies == std::vector{objects::FairStrategy::kLessThanInitialShare});
  CHECK(now->transformations[0].replace);
  CHECK(now->features.tas_balanced_placement);
  const auto in_map = read_kueue_configuration(
      parse("{apiVersion: v1, kind: ConfigMap, data: {controller_manager_config.yaml: 'fairSharing: {}'}}").front());
  REQUIRE(in_map);
  CHECK(in_map->fair_sharing);
  const auto wrong = read_kueue_configuration(parse("{waitForPodsReady: {timeout: soon}}").front());
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error()[0].pointer == "/waitForPodsReady/timeout");
}

TEST_CASE("events are single documents or a list") {
  const auto single = read_kueue_events(parse("create: [w1, other/w2]\n---\nadvance: 60\n"), "ml");
  REQUIRE(single);
  CHECK((*single)[0].create == std::vector<std::string>{"ml/w1", "other/w2"});
  CHECK((*single)[1].advance_seconds == 60);
  const auto list = read_kueue_events(parse("events: [{finish: [w1]}, {ready: [w2]}]"), "ml");
  REQUIRE(list);
  CHECK((*list)[1].ready == std::vector<std::string>{"ml/w2"});
  const auto wrong = read_kueue_events(parse("[{advance: -1}, {replace: {kind: Pod}}, {finished: [w]}]"), "ml");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().size() == 3);
}

}  // namespace gpusched::io
