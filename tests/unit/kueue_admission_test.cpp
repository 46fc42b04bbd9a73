// The documented examples of Kueue's quota, and the worked numbers of its rules.

#include <catch2/catch.hpp>

#include "support/kueue_text.hpp"

namespace gpusched {
namespace {

using test::admit;
using test::admitted_names;
using test::gpu_queue;
using test::gpu_workload;
using test::kGpuFlavor;
using test::kueue_events;
using test::kueue_objects;
using test::message_of;

const std::string kFlavor(kGpuFlavor);
const std::string kCohort = ", cohortName: team";

std::string needed(int more) {
  return "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor a100, " +
         std::to_string(more) + " more needed";
}

std::string above(int request, int capacity) {
  return "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor a100, previously "
         "considered podsets requests (0) + current podset request (" +
         std::to_string(request) + ") > maximum capacity (" + std::to_string(capacity) + ")";
}

}  // namespace

TEST_CASE("a cohort of 9 and 12 admits 21 in either queue") {
  const std::string queues = kFlavor + gpu_queue("team-a", 9, kCohort) + gpu_queue("team-b", 12, kCohort);
  CHECK(admitted_names(admit(kueue_objects(queues + gpu_workload("w", "team-a", 21, 1)))) == "w");
  CHECK(message_of(admit(kueue_objects(queues + gpu_workload("w", "team-a", 22, 1))), "w") == above(22, 21));
}

TEST_CASE("a borrowing limit of 1 admits 10 of 9") {
  const std::string queues =
      kFlavor + gpu_queue("team-a", 9, kCohort, ", borrowingLimit: 1") + gpu_queue("team-b", 12, kCohort);
  CHECK(admitted_names(admit(kueue_objects(queues + gpu_workload("w", "team-a", 10, 1)))) == "w");
  CHECK(message_of(admit(kueue_objects(queues + gpu_workload("w", "team-a", 11, 1))), "w") == above(11, 10));
}

TEST_CASE("a lending limit of 1 lends 1") {
  const std::string queues =
      kFlavor + gpu_queue("team-a", 9, kCohort) + gpu_queue("team-b", 12, kCohort, ", lendingLimit: 1");
  CHECK(admitted_names(admit(kueue_objects(queues + gpu_workload("w", "team-a", 10, 1)))) == "w");
  CHECK(message_of(admit(kueue_objects(queues + gpu_workload("w", "team-a", 11, 1))), "w") == above(11, 10));
}

TEST_CASE("a blocked head stops a strict queue and not a best-effort one") {
  const std::string workloads = gpu_workload("large", "q", 16, 1, 0, 1) + gpu_workload("small", "q", 2, 1, 0, 2);
  const auto strict = admit(kueue_objects(kFlavor + gpu_queue("q", 8, ", queueingStrategy: StrictFIFO") + workloads));
  CHECK(admitted_names(strict).empty());
  CHECK(message_of(strict, "large") == above(16, 8));
  CHECK(message_of(strict, "small").empty());  // never tried, so no condition
  CHECK(admitted_names(admit(kueue_objects(kFlavor + gpu_queue("q", 8) + workloads))) == "small");
}

TEST_CASE("a Workload of higher priority takes the place of a lower one") {
  const auto objects = kueue_objects(kFlavor + gpu_queue("q", 8, ", preemption: {withinClusterQueue: LowerPriority}") +
                                     gpu_workload("w1", "q", 4, 1) + gpu_workload("w2", "q", 8, 1, 10, 5));
  const auto answer = admit(objects, {}, kueue_events("create: [w2]"));
  CHECK(admitted_names(answer) == "w2");
  REQUIRE(answer.evicted.size() == 1);
  CHECK(answer.evicted[0].workload == "ml/w1");
  CHECK(answer.evicted[0].preempted == "InClusterQueue");
  CHECK(answer.evicted[0].message ==
        "Preempted to accommodate a workload (UID: uid-w2, JobUID: UNKNOWN) due to prioritization in the ClusterQueue; "
        "preemptor path: /q; preemptee path: /q");
  CHECK(message_of(answer, "w1") == needed(4));
  CHECK(answer.pending[0].requeued == "True/Preempted");
}

TEST_CASE("quota that was lent is taken back") {
  const std::string reclaim = kCohort + ", preemption: {reclaimWithinCohort: Any}";
  const auto objects = kueue_objects(kFlavor + gpu_queue("owner", 8, reclaim) + gpu_queue("guest", 0, kCohort) +
                                     gpu_workload("lent", "guest", 6, 1) + gpu_workload("own", "owner", 4, 1, 0, 5));
  const auto answer = admit(objects, {}, kueue_events("create: [own]"));
  CHECK(admitted_names(answer) == "own");
  REQUIRE(answer.evicted.size() == 1);
  CHECK(answer.evicted[0].preempted == "InCohortReclamation");
}

TEST_CASE("partial admission takes the largest count that fits") {
  const auto answer =
      admit(kueue_objects(kFlavor + gpu_queue("q", 16) + gpu_workload("w", "q", 12, 2, 0, 0, ", minCount: 4")));
  REQUIRE(answer.admitted.size() == 1);
  CHECK(answer.admitted[0].pod_sets[0].count == 8);
  CHECK(answer.admitted[0].pod_sets[0].usage[0].second.to_string() == "16");
}

TEST_CASE("the end of a Workload wakes those that wait") {
  const auto objects =
      kueue_objects(kFlavor + gpu_queue("q", 8) + gpu_workload("w1", "q", 8, 1) + gpu_workload("w2", "q", 8, 1, 0, 1));
  CHECK(message_of(admit(objects), "w2") == needed(8));
  const auto answer = admit(objects, {}, kueue_events("finish: [w1]"));
  CHECK(admitted_names(answer) == "w2");
  CHECK(answer.finished == std::vector<std::string>{"ml/w1"});
}

TEST_CASE("a Workload whose pods are not ready is put back twice, then deactivated") {
  objects::KueueConfiguration configuration;
  configuration.wait_for_pods_ready = objects::WaitForPodsReady{
      .timeout_seconds = 100, .recovery_timeout_seconds = 100, .backoff_base_seconds = 10, .backoff_limit_count = 2};
  const auto objects = kueue_objects(kFlavor + gpu_queue("q", 8) + gpu_workload("w", "q", 8, 1));
  CHECK(message_of(admit(objects, configuration, kueue_events("advance: 102")), "w") ==
        "Exceeded the PodsReady timeout ml/w");
  CHECK(admitted_names(admit(objects, configuration, kueue_events("advance: 120"))) == "w");
  const auto answer = admit(objects, configuration, kueue_events("advance: 1000"));
  CHECK(message_of(answer, "w") ==
        "The workload is deactivated due to exceeding the maximum number of re-queuing retries");
  REQUIRE(answer.evicted.size() == 3);
  CHECK(answer.evicted[2].reason == "DeactivatedDueToRequeuingLimitExceeded");
}

TEST_CASE("a queue that is stopped keeps what it has, one that is drained does not") {
  const auto objects =
      kueue_objects(kFlavor + gpu_queue("q", 8) + gpu_workload("w1", "q", 4, 1) + gpu_workload("w2", "q", 4, 1, 0, 1));
  const auto stop = [](const std::string& policy) {
    return kueue_events(
        "replace: {apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, spec: "
        "{namespaceSelector: {}, stopPolicy: " +
        policy + "}}");
  };
  const auto held = admit(objects, {}, stop("Hold"));
  CHECK(admitted_names(held) == "w1 w2");
  REQUIRE(held.cluster_queues.size() == 1);
  CHECK(held.cluster_queues[0].message == "Can't admit new workloads: is stopped.");
  const auto drained = admit(objects, {}, stop("HoldAndDrain"));
  CHECK(admitted_names(drained).empty());
  CHECK(drained.evicted.size() == 2);
  CHECK(drained.evicted[0].message == "The ClusterQueue is stopped");
}

TEST_CASE("fair sharing gives each queue its part") {
  objects::KueueConfiguration configuration;
  configuration.fair_sharing.emplace();
  std::string yaml = kFlavor + gpu_queue("a", 0, kCohort) + gpu_queue("b", 0, kCohort) + gpu_queue("all", 8, kCohort);
  for (int i = 0; i < 8; ++i) {
    yaml += gpu_workload("a" + std::to_string(i), "a", 1, 1, 0, i);
    yaml += gpu_workload("b" + std::to_string(i), "b", 1, 1, 0, 20 + i);
  }
  CHECK(admitted_names(admit(kueue_objects(yaml), configuration)) == "a0 a1 a2 a3 b0 b1 b2 b3");
}

TEST_CASE("an older Workload of equal priority is safe from newer ones") {
  const std::string newer = ", preemption: {withinClusterQueue: LowerOrNewerEqualPriority}";
  const auto objects = kueue_objects(kFlavor + gpu_queue("q", 8, newer) + gpu_workload("w1", "q", 8, 1) +
                                     gpu_workload("w2", "q", 8, 1, 0, 1));
  const auto answer = admit(objects);
  CHECK(admitted_names(answer) == "w1");
  CHECK(answer.loop == 0);
}

TEST_CASE("events about Workloads that are not there are errors") {
  const auto objects = kueue_objects(kFlavor + gpu_queue("q", 8) + gpu_workload("w", "q", 8, 1));
  for (const std::string event : {"finish: [nobody]", "create: [nobody]"}) {
    const auto answer = kueue::simulate_admission(objects, {}, 0, kueue_events(event));
    REQUIRE_FALSE(answer);
    CHECK(answer.error()[0].code == "unknown-workload");
  }
}

TEST_CASE("a simulation that is played step by step tells what happens when") {
  const auto objects =
      kueue_objects(kFlavor + gpu_queue("q", 8) + gpu_workload("w1", "q", 8, 1) + gpu_workload("w2", "q", 8, 1, 0, 1));
  auto simulation = kueue::AdmissionSimulation::make(objects, {}, 1000, {});
  REQUIRE(simulation);
  using Kind = kueue::AdmissionTransition::Kind;
  const auto first = simulation->take_transitions();
  REQUIRE(first.size() == 1);
  CHECK(first[0].workload == 0);
  CHECK(first[0].kind == Kind::kAdmitted);
  CHECK(first[0].time == 1001);
  REQUIRE(simulation->apply_until({}, 1100));
  CHECK(simulation->now() == 1100);
  CHECK(simulation->take_transitions().empty());
  objects::KueueEvent event;
  event.finish = {"ml/w1"};
  REQUIRE(simulation->apply_until(event, 1200));
  const auto second = simulation->take_transitions();
  REQUIRE(second.size() == 1);
  CHECK(second[0].workload == 1);
  CHECK(second[0].time == 1101);
}

}  // namespace gpusched
