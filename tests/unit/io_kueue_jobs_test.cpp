#include <catch2/catch.hpp>

#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/kueue_objects.hpp"

namespace gpusched::io {
namespace {

Result<objects::KueueObjects> read_jobs(const std::string& yaml) {
  auto documents = parse_documents({"jobs.yaml", yaml});
  REQUIRE(documents);
  ClusterDump dump;
  dump.others.assign(std::make_move_iterator(documents->begin()), std::make_move_iterator(documents->end()));
  KueueInputReader reader("ml");
  reader.add(dump);
  reader.add_jobs(dump);
  return std::move(reader).finish();
}

std::vector<objects::Workload> workloads_of(const std::string& yaml) {
  auto objects = read_jobs(yaml);
  REQUIRE(objects);
  return std::move(objects->workloads);
}

/// An object with the queue label; `more` follows its labels inside of metadata.
std::string object(const std::string& version, const std::string& kind, const std::string& spec,
                   const std::string& more = "") {
  return "{apiVersion: " + version + ", kind: " + kind +
         ", metadata: {name: x, labels: {kueue.x-k8s.io/queue-name: q}" + more + "}, spec: " + spec + "}";
}

const std::string kTemplate = "{spec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}";

std::string job(const std::string& more = "", const std::string& counts = "parallelism: 8, completions: 6, ") {
  return object("batch/v1", "Job", "{" + counts + "template: " + kTemplate + "}", more);
}

std::string described(const std::vector<objects::Workload>& workloads) {
  std::string text;
  for (const objects::Workload& workload : workloads) {
    text += workload.meta.namespace_name + "/" + workload.meta.name + ":";
    for (const objects::PodSet& set : workload.pod_sets) {
      text += " " + set.name + "=" + std::to_string(set.count);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a job with a queue label becomes the Workload of its controller") {
  CHECK(described(workloads_of(job())) == "ml/job-x: main=6\n");
  CHECK(workloads_of(job())[0].queue_name == "q");
  CHECK(described(workloads_of(object("jobset.x-k8s.io/v1alpha2", "JobSet",
                                      "{replicatedJobs: [{name: driver, template: {spec: {template: " + kTemplate +
                                          "}}}, {name: workers, replicas: 3, template: {spec: {parallelism: 2, "
                                          "completions: 4, template: " +
                                          kTemplate + "}}}]}"))) == "ml/jobset-x: driver=1 workers=6\n");
  CHECK(described(workloads_of(object("kubeflow.org/v1", "PyTorchJob",
                                      "{pytorchReplicaSpecs: {Worker: {replicas: 4, template: " + kTemplate +
                                          "}, Master: {template: " + kTemplate + "}}}"))) ==
        "ml/pytorchjob-x: master=1 worker=4\n");
  CHECK(described(workloads_of(object("ray.io/v1", "RayJob",
                                      "{rayClusterSpec: {headGroupSpec: {template: " + kTemplate +
                                          "}, workerGroupSpecs: [{groupName: big, replicas: 2, numOfHosts: 2, "
                                          "template: " +
                                          kTemplate + "}]}}"))) == "ml/rayjob-x: head=1 big=4\n");
}

TEST_CASE("serving workloads are admitted in parts") {
  const std::string version = "leaderworkerset.x-k8s.io/v1";
  CHECK(described(workloads_of(
            object(version, "LeaderWorkerSet",
                   "{replicas: 2, leaderWorkerTemplate: {size: 4, workerTemplate: " + kTemplate + "}}"))) ==
        "ml/leaderworkerset-x-0: main=4\nml/leaderworkerset-x-1: main=4\n");
  CHECK(described(workloads_of(object(version, "LeaderWorkerSet",
                                      "{replicas: 1, leaderWorkerTemplate: {size: 4, leaderTemplate: " + kTemplate +
                                          ", workerTemplate: " + kTemplate + "}}"))) ==
        "ml/leaderworkerset-x-0: leader=1 worker=3\n");
  CHECK(described(workloads_of(object("apps/v1", "Deployment", "{replicas: 2, template: " + kTemplate + "}"))) ==
        "ml/pod-x-0: main=1\nml/pod-x-1: main=1\n");
}

TEST_CASE("what Kueue does not admit as a job makes no Workload") {
  CHECK(workloads_of(object("batch/v1", "CronJob", "{jobTemplate: {spec: {template: " + kTemplate + "}}}")).empty());
  CHECK(workloads_of(object("apps/v1", "DaemonSet", "{template: " + kTemplate + "}")).empty());
  const std::string owned = ", ownerReferences: [{apiVersion: v1, kind: JobSet, name: j, uid: u, controller: true}]";
  CHECK(workloads_of(job(owned)).empty());
  std::string ended = job();
  ended.insert(ended.size() - 1, ", status: {conditions: [{type: Complete, status: 'True'}]}");
  CHECK(workloads_of(ended).empty());
  std::string unlabelled = job();
  unlabelled.replace(unlabelled.find("queue-name"), 10, "other-name");
  CHECK(workloads_of(unlabelled).empty());
  // Its Workload is there already.
  const auto workloads =
      workloads_of(job() +
                   "\n---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: job-x-0a1b2, "
                   "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: x, uid: u}]}, spec: {podSets: []}}");
  REQUIRE(workloads.size() == 1);
  CHECK(workloads[0].meta.name == "job-x-0a1b2");
}

TEST_CASE("annotations and classes of a job reach its Workload") {
  const auto one = workloads_of(
      object("batch/v1", "Job",
             "{parallelism: 4, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack, "
             "kueue.x-k8s.io/podset-slice-required-topology: host, kueue.x-k8s.io/podset-slice-size: '2'}}, spec: "
             "{priorityClassName: low, containers: [{name: c}]}}}",
             ", annotations: {kueue.x-k8s.io/job-min-parallelism: '2'}") +
      "\n---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: -5}");
  REQUIRE(one.size() == 1);
  CHECK(one[0].priority == -5);
  const objects::PodSet& set = one[0].pod_sets[0];
  CHECK(set.min_count == 2);
  REQUIRE(set.topology);
  CHECK(set.topology->required == "rack");
  CHECK(set.topology->slice_topology == "host");
  CHECK(set.topology->slice_size == 2);
  CHECK_FALSE(workloads_of(job())[0].pod_sets[0].topology);
  CHECK_FALSE(workloads_of(job())[0].priority);
}

TEST_CASE("counts that multiply beyond bounds are errors") {
  const auto jobset = read_jobs(object("jobset.x-k8s.io/v1alpha2", "JobSet",
                                       "{replicatedJobs: [{name: w, replicas: 2000000000, template: {spec: "
                                       "{parallelism: 2000000000, template: " +
                                           kTemplate + "}}}]}"));
  REQUIRE_FALSE(jobset);
  CHECK(jobset.error()[0].code == "invalid-count");
  const auto deployment =
      read_jobs(object("apps/v1", "Deployment", "{replicas: 2000000000, template: " + kTemplate + "}"));
  REQUIRE_FALSE(deployment);
  CHECK(deployment.error()[0].message.find("more than 100000 Workloads") != std::string::npos);
}

}  // namespace gpusched::io
