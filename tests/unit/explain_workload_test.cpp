#include "gpusched/explain/workload.hpp"

#include <catch2/catch.hpp>

#include "support/kube_objects.hpp"

namespace gpusched::explain {
namespace {

using objects::WorkloadState;
using testing::simple_pod;

WorkloadState workload(std::string kind, std::string name, std::string owner_kind = "", std::string owner = "") {
  WorkloadState state;
  state.kind = std::move(kind);
  state.meta.name = std::move(name);
  state.meta.namespace_name = "ml";
  if (!owner.empty()) {
    state.meta.owner_references.edit() = {{"", owner_kind, owner, "", true}};
  }
  return state;
}

objects::Pod pod_of(const std::string& name, const std::string& kind, const std::string& owner,
                    const std::string& node = "") {
  objects::Pod pod = simple_pod(name, node, 1);
  pod.meta.namespace_name = "ml";
  pod.meta.owner_references.edit() = {{"", kind, owner, "", true}};
  return pod;
}

std::vector<std::string> verdicts(const WorkloadAnswer& answer) {
  std::vector<std::string> list;
  for (const Finding& finding : answer.findings) {
    list.push_back(finding.verdict + (finding.by.empty() ? "" : " by " + finding.by));
  }
  return list;
}

using List = std::vector<std::string>;

TEST_CASE("a suspended job waits for its queue") {
  objects::WorkloadStates states;
  states.workloads = {workload("Job", "train"), workload("Workload", "job-train-1", "Job", "train")};
  states.workloads[0].suspended = true;
  states.workloads[0].queue = "team";
  states.workloads[1].queue = "team";
  states.workloads[1].conditions = {{"QuotaReserved", "False", "Pending",
                                     "couldn't assign flavors to pod set main: insufficient unused quota for "
                                     "nvidia.com/gpu in flavor a100, 4 more needed"}};
  for (const char* const kind : {"job", "jobs.batch", "Job", "workload", "wl"}) {
    CAPTURE(kind);
    const bool by_job = kind[0] != 'w';
    const auto answer = explain_workload(states, {}, {kind, "ml", by_job ? "train" : "job-train-1"});
    REQUIRE(answer);
    CHECK(verdicts(*answer) == List{"suspended", "waiting for quota"});
    CHECK(is_kept(*answer));
  }
  CHECK_FALSE(explain_workload(states, {}, {"job", "ml", "other"}));
  CHECK_FALSE(explain_workload(states, {}, {"job", "default", "train"}));
}

TEST_CASE("pods that were never created") {
  const std::string refusal = "pods \"web-\" is forbidden: exceeded quota: gpus, requested: 2, used: 2, limited: 2";
  objects::WorkloadStates states;
  states.workloads = {workload("Deployment", "web"), workload("ReplicaSet", "web-1", "Deployment", "web"),
                      workload("Job", "train")};
  states.workloads[1].wanted = 2;
  states.workloads[1].conditions = {{"ReplicaFailure", "True", "FailedCreate", refusal}};
  states.workloads[2].wanted = 1;
  states.events = {{"Job", "ml", "train", "FailedCreate", refusal}};
  const auto web = explain_workload(states, {}, {"deploy", "ml", "web"});
  REQUIRE(web);
  CHECK(verdicts(*web) == List{"blocked by quota"});
  CHECK(web->findings[0].text ==
        "ReplicaSet ml/web-1: 0 of 2 pods are there: the API server refuses to create pods, so that there is no pod to "
        "explain: " +
            refusal);
  CHECK(verdicts(*explain_workload(states, {}, {"job", "ml", "train"})) == List{"blocked by quota"});
  CHECK(find_missing_pods(states).size() == 2);
  states.workloads[2].present = 1;  // the event is old
  CHECK(find_missing_pods(states).size() == 1);
}

TEST_CASE("pods through all owners are found") {
  objects::WorkloadStates states;
  states.workloads = {workload("JobSet", "set"), workload("Job", "set-a", "JobSet", "set")};
  const std::vector<objects::Pod> pods = {pod_of("p0", "Job", "set-a", "n1"), pod_of("p1", "Job", "set-a"),
                                          pod_of("q", "Job", "other")};
  const auto answer = explain_workload(states, pods, {"jobset", "ml", "set"});
  REQUIRE(answer);
  CHECK(verdicts(*answer) == List{"waiting for pods"});
  CHECK(answer->placed == 1);
  CHECK(answer->waiting == std::vector<std::size_t>{1});
}

TEST_CASE("a workload that is done, and one whose pods nobody explains") {
  objects::WorkloadStates states;
  states.workloads = {workload("Job", "done"), workload("ReplicaSet", "lost")};
  states.workloads[0].conditions = {{"Complete", "True", "", ""}};
  states.workloads[1].wanted = 3;
  CHECK_FALSE(is_kept(*explain_workload(states, {}, {"job", "ml", "done"})));
  CHECK(verdicts(*explain_workload(states, {}, {"rs", "ml", "lost"})) == List{"pods missing"});
}

TEST_CASE("a pod with a node that does not start") {
  objects::Pod pod = pod_of("p", "Job", "j", "n1");
  const auto said = [&](const std::vector<objects::ResourceClaim>& claims = {}) {
    const std::vector<Finding> findings = explain_start(pod, {}, claims);
    return findings.empty() ? "" : findings.front().text;
  };
  SECTION("a waiting container") {
    pod.phase = "Pending";
    pod.status.edit().container_statuses = {{"main", "ContainerCreating", std::nullopt, std::nullopt}};
    CHECK(said() == "it has its node, n1; container main waits there: ContainerCreating");
  }
  SECTION("the kubelet refused it") {
    pod.phase = "Failed";
    pod.status.edit().reason = "TopologyAffinityError";
    CHECK(said() ==
          "the kubelet of n1 refused it: TopologyAffinityError; kube-scheduler does not see NUMA nodes: a "
          "controller makes the pod anew, and it may be sent there again");
    pod.status.edit().reason = "UnexpectedAdmissionError";
    pod.status.edit().message = "Allocate failed";
    CHECK(said() ==
          "the kubelet of n1 refused it: UnexpectedAdmissionError: Allocate failed; the device plugin could not "
          "give what kube-scheduler counted");
  }
  SECTION("no driver publishes the pool any more") {
    pod.phase = "Pending";
    objects::ResourceClaim claim;
    claim.name = "gpu";
    claim.namespace_name = "ml";
    claim.allocation.emplace().results = {{"r", "gpu.example.com", "n1", "gpu-0", {}, {}, {}, {}, {}, {}, {}}};
    claim.reserved_for = {{"", "pods", "p", ""}};
    CHECK(said({claim}) ==
          "claim ml/gpu holds gpu.example.com/n1/gpu-0, but no slice of that pool is there: no driver "
          "plugin seen on n1");
  }
  SECTION("one that runs, one that waits for a node") {
    pod.phase = "Running";
    CHECK(said().empty());
    pod.node_name.clear();
    CHECK(said().empty());
  }
}

}  // namespace
}  // namespace gpusched::explain
