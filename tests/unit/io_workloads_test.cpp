#include "gpusched/io/workloads.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/model_reader.hpp"

using namespace gpusched;
using namespace gpusched::io;

namespace {

struct Expanded {
  ClusterDump dump;
  Diagnostics diagnostics;
};

Expanded expand(const std::string& text) {
  std::istringstream stream(text);
  SourceReader reader({}, stream);
  const std::vector<std::string> arguments = {"-"};
  Result<ClusterInput> input = read_cluster_input(reader, arguments, 1);
  if (!input) FAIL(input.error().front().message);
  Expanded result{std::move(input->dump), {}};
  result.diagnostics = expand_workloads(result.dump);
  return result;
}

std::string names(const ClusterDump& dump) {
  std::vector<std::string> names;
  for (const PodRecord& pod : dump.pods) names.push_back(pod.full_name());
  return join(names, " ");
}

std::string codes(const Diagnostics& diagnostics) {
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : diagnostics) codes.push_back(diagnostic.code);
  return join(codes, " ");
}

/// A pod template with one container, in YAML's flow style.
const std::string kTemplate = "{spec: {containers: [{name: c}]}}";

std::string workload(const std::string& version, const std::string& kind, const std::string& spec) {
  return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: w}\nspec: " + spec + "\n";
}

}  // namespace

TEST_CASE("workloads become the pods that their controllers make") {
  struct Case {
    std::string name, text, names;
  };
  const std::string t = "template: " + kTemplate;
  const std::vector<Case> cases = {
      {"pod", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns}\nspec: {containers: [{name: c}]}", "ns/p"},
      {"deployment", workload("apps/v1", "Deployment", "{replicas: 2, " + t + "}"), "deployment/w-0 deployment/w-1"},
      {"deployment-of-one", workload("apps/v1", "Deployment", "{" + t + "}"), "deployment/w-0"},
      {"replica-set", workload("apps/v1", "ReplicaSet", "{replicas: 1, " + t + "}"), "replicaset/w-0"},
      {"stateful-set", workload("apps/v1", "StatefulSet", "{replicas: 2, ordinals: {start: 5}, " + t + "}"),
       "statefulset/w-5 statefulset/w-6"},
      {"job", workload("batch/v1", "Job", "{parallelism: 2, completions: 10, " + t + "}"), "job/w-0 job/w-1"},
      {"job-nearly-done", workload("batch/v1", "Job", "{parallelism: 4, completions: 1, " + t + "}"), "job/w-0"},
      {"job-one-at-a-time", workload("batch/v1", "Job", "{completions: 3, " + t + "}"), "job/w-0"},
      {"cron-job", workload("batch/v1", "CronJob", "{jobTemplate: {spec: {parallelism: 2, " + t + "}}}"),
       "cronjob/w-0 cronjob/w-1"},
      {"job-set",
       workload("jobset.x-k8s.io/v1alpha2", "JobSet",
                "{replicatedJobs: [{name: driver, template: {spec: {" + t +
                    "}}}, {name: workers, replicas: 2, template: {spec: {parallelism: 2, " + t + "}}}]}"),
       "jobset/w-driver-0 jobset/w-workers-0-0 jobset/w-workers-0-1 jobset/w-workers-1-0 jobset/w-workers-1-1"},
      {"mpi-job",
       workload("kubeflow.org/v2beta1", "MPIJob",
                "{slotsPerWorker: 8, mpiReplicaSpecs: {Launcher: {replicas: 1, " + t + "}, Worker: {replicas: 2, " + t +
                    "}}}"),
       "mpijob/w-launcher-0 mpijob/w-worker-0 mpijob/w-worker-1"},
      {"pytorch-job",
       workload("kubeflow.org/v1", "PyTorchJob",
                "{pytorchReplicaSpecs: {Master: {" + t + "}, Worker: {replicas: 1, " + t + "}}}"),
       "pytorchjob/w-master-0 pytorchjob/w-worker-0"},
      {"ray-cluster",
       workload("ray.io/v1", "RayCluster",
                "{headGroupSpec: {" + t + "}, workerGroupSpecs: [{groupName: gpu, replicas: 2, numOfHosts: 1, " + t +
                    "}, {groupName: tpu, minReplicas: 1, numOfHosts: 2, " + t + "}]}"),
       "raycluster/w-head-0 raycluster/w-gpu-0 raycluster/w-gpu-1 raycluster/w-tpu-0-0 raycluster/w-tpu-0-1"},
      {"ray-job",
       workload("ray.io/v1", "RayJob",
                "{rayClusterSpec: {headGroupSpec: {" + t + "}}, submitterPodTemplate: " + kTemplate + "}"),
       "rayjob/w-head-0 rayjob/w-submitter-0"},
      {"leader-worker-set",
       workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                "{replicas: 2, leaderWorkerTemplate: {size: 2, workerTemplate: " + kTemplate + "}}"),
       "leaderworkerset/w-0 leaderworkerset/w-1 leaderworkerset/w-0-1 leaderworkerset/w-1-1"},
      {"leader-of-its-own",
       workload(
           "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
           "{leaderWorkerTemplate: {size: 3, leaderTemplate: " + kTemplate + ", workerTemplate: " + kTemplate + "}}"),
       "leaderworkerset/w-0 leaderworkerset/w-0-1 leaderworkerset/w-0-2"},
      {"volcano-job",
       workload(
           "batch.volcano.sh/v1alpha1", "Job",
           "{minAvailable: 2, tasks: [{name: ps, replicas: 1, " + t + "}, {name: worker, replicas: 2, " + t + "}]}"),
       "job/w-ps-0 job/w-worker-0 job/w-worker-1"},
      {"app-wrapper",
       workload("workload.codeflare.dev/v1beta2", "AppWrapper",
                "{components: [{template: {apiVersion: batch/v1, kind: Job, metadata: {name: inner, namespace: ns}, "
                "spec: {parallelism: 2, " +
                    t +
                    "}}}, {template: {apiVersion: v1, kind: Pod, metadata: {name: p}, "
                    "spec: {containers: [{name: c}]}}}]}"),
       "ns/job/inner-0 ns/job/inner-1 p"},
      {"train-job",
       workload("trainer.kubeflow.org/v1alpha1", "TrainJob",
                "{runtimeRef: {name: torch}, trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}}"),
       "trainjob/w-node-0 trainjob/w-node-1"},
      {"kueue-workload",
       workload("kueue.x-k8s.io/v1beta1", "Workload", "{podSets: [{name: main, count: 2, " + t + "}]}"),
       "workload/w-main-0 workload/w-main-1"},
      {"generate-name", "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: run-}\nspec: {" + t + "}",
       "job/run-0"},
      {"input-order",
       workload("batch/v1", "Job", "{" + t + "}") + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n" +
           "spec: {containers: [{name: c}]}\n---\n" + workload("apps/v1", "ReplicaSet", "{" + t + "}"),
       "job/w-0 p replicaset/w-0"},
      {"service-beside", "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: []}", ""},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Expanded result = expand(c.text);
    CHECK(names(result.dump) == c.names);
    CHECK(codes(result.diagnostics).empty());
  }
}

TEST_CASE("pods of unknown kinds are found and said") {
  struct Case {
    std::string name, text, names;
  };
  const std::vector<Case> cases = {
      {"two-parts",
       workload("x.io/v1", "Foo",
                "{engine: {replicas: 2, template: " + kTemplate +
                    "}, router: {podSpec: {containers: "
                    "[{name: c}]}}}"),
       "foo/w-engine-0 foo/w-engine-1 foo/w-router-0"},
      {"sets-of-cliques",
       workload("grove.io/v1", "PodCliqueSet",
                "{replicas: 2, template: {cliques: [{name: a, spec: {replicas: 2, podSpec: "
                "{containers: [{name: c}]}}}]}}"),
       "podcliqueset/w-a-0-0 podcliqueset/w-a-0-1 podcliqueset/w-a-1-0 podcliqueset/w-a-1-1"},
      {"same-name-twice",
       workload("x.io/v1", "Foo", "{spec: {template: " + kTemplate + "}, template: " + kTemplate + "}"),
       "foo/w-0 foo/w-b2-0"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Expanded result = expand(c.text);
    CHECK(names(result.dump) == c.names);
    for (const Diagnostic& note : result.diagnostics) {
      CHECK(note.code == "unknown-workload");
      CHECK(note.severity == Severity::kNote);
    }
    CHECK_FALSE(result.diagnostics.empty());
  }
}

TEST_CASE("what cannot be counted or read is an error that names it") {
  struct Case {
    std::string name, text, code, pointer;
  };
  const std::string t = "template: " + kTemplate;
  const std::vector<Case> cases = {
      {"placeholder",
       workload("kubeflow.org/v1", "PyTorchJob", "{pytorchReplicaSpecs: {Worker: {replicas: $N, " + t + "}}}"),
       "invalid-count", "/spec/pytorchReplicaSpecs/Worker/replicas"},
      {"negative", workload("apps/v1", "Deployment", "{replicas: -1, " + t + "}"), "invalid-count", "/spec/replicas"},
      {"half", workload("apps/v1", "Deployment", "{replicas: 1.5, " + t + "}"), "invalid-count", "/spec/replicas"},
      {"quantity",
       workload("batch/v1", "Job",
                "{template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: $GPUS}}}]}}}"),
       "quantity-syntax", "/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu"},
      {"too-many", workload("apps/v1", "Deployment", "{replicas: 1000001, " + t + "}"), "too-many-pods", ""},
      {"scaled-to-zero", workload("apps/v1", "Deployment", "{replicas: 0, " + t + "}"), "no-pods-made", ""},
      {"no-template", workload("ray.io/v1", "RayJob", "{clusterSelector: {a: b}}"), "no-pod-template", ""},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Expanded result = expand(c.text);
    REQUIRE(codes(result.diagnostics) == c.code);
    CHECK(result.diagnostics.front().pointer == c.pointer);
  }
}

TEST_CASE("pods from files are defaulted and their extended resources checked as the API server does") {
  struct Case {
    std::string name, resources, message;
  };
  const std::vector<Case> cases = {
      {"limit-only", "{limits: {nvidia.com/gpu: 2}}", ""},
      {"number-and-text", "{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: \"2\"}}", ""},
      {"thousand", "{limits: {nvidia.com/gpu: 1k}}", ""},
      {"milli-but-whole", "{limits: {nvidia.com/gpu: 3000m}}", ""},
      {"half", "{limits: {nvidia.com/gpu: 500m}}",
       R"(spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer)"},
      {"request-only", "{requests: {nvidia.com/gpu: 1}}",
       "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"},
      {"unequal", "{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 1}}",
       R"(spec.containers[0].resources.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2)"},
      {"cpu-may-differ", "{limits: {cpu: 2}, requests: {cpu: 500m}}", ""},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Expanded result = expand(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: " + c.resources +
        "}]}");
    const Diagnostics errors = admit_pods(result.dump);
    CHECK((errors.empty() ? "" : errors.front().message) == c.message);
    if (errors.empty()) {
      const objects::ResourceRequirements& resources = result.dump.pod_specs[0]->containers[0].resources;
      CHECK(resources.requests.size() == resources.limits.size());
    }
  }
}

TEST_CASE("a daemon set runs on every node that its pods may be on") {
  const auto node = [](const std::string& name, const std::string& spec, const std::string& labels) {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","labels":{)" + labels +
           R"(}},"spec":)" + spec + R"(,"status":{"allocatable":{"cpu":"4","pods":"10"}}})";
  };
  const std::string gpu = R"("gpu":"yes")";
  const Expanded cluster =
      expand(node("free", "{}", gpu) + node("cordoned", R"({"unschedulable":true})", gpu) + node("plain", "{}", "") +
             node("tainted", R"({"taints":[{"key":"t","value":"v","effect":"NoSchedule"}]})", gpu));
  const Expanded daemons = expand(
      "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\nspec: {template: {spec: {nodeSelector: {gpu: 'yes'}, "
      "containers: [{name: c}]}}}");
  ModelReader reader;
  reader.read_pending(daemons.dump);
  reader.read_dump(cluster.dump);
  const Result<Model> model = std::move(reader).finish();
  REQUIRE(model);
  std::vector<std::string> names;
  for (const PodId pod : model->pods) names.emplace_back(model->usage.shape().text(model->usage.pod_name(pod)));
  CHECK(join(names, " ") == "daemonset/d-free daemonset/d-cordoned");
}
