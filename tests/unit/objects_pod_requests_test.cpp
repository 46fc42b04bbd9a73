#include "gpusched/objects/pod_requests.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "gpusched/objects/pod_defaults.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::objects {
namespace {

using testing::pod_from;

struct Case {
  const char* name;
  const char* pod;
  PodDemand demand;
};

constexpr std::int64_t kMi = 1024 * 1024;

TEST_CASE("a pod requests what the scheduler counts") {
  const Case c = GENERATE(Case{"containers-add-up",
                               R"(
spec:
  containers:
  - {name: a, resources: {requests: {cpu: 250m, memory: 1Mi, nvidia.com/gpu: 1}}}
  - {name: b, resources: {requests: {cpu: "0.5", memory: 2Mi, nvidia.com/gpu: "2"}}}
)",
                               {{750, 3 * kMi, 0, 0, {{"nvidia.com/gpu", 3}}}, 750, 3 * kMi}},
                          Case{"fractions-round-up-after-adding",
                               R"(
spec:
  containers:
  - {name: a, resources: {requests: {cpu: 100u, memory: 500m}}}
  - {name: b, resources: {requests: {cpu: 100u, memory: 600m}}}
)",
                               {{1, 2, 0, 0, {}}, 1, 2}},
                          Case{"plain-init-container-is-a-peak",
                               R"(
spec:
  initContainers:
  - {name: i, resources: {requests: {cpu: "2", memory: 1Mi}}}
  containers:
  - {name: a, resources: {requests: {cpu: "1", memory: 4Mi}}}
)",
                               {{2000, 4 * kMi, 0, 0, {}}, 2000, 4 * kMi}},
                          Case{"sidecars-add-to-containers-and-to-later-inits",
                               R"(
spec:
  initContainers:
  - {name: s, restartPolicy: Always, resources: {requests: {cpu: "1", memory: 1Mi}}}
  - {name: i, resources: {requests: {cpu: "3", memory: 1Mi}}}
  - {name: t, restartPolicy: Always, resources: {requests: {cpu: "1", memory: 1Mi}}}
  containers:
  - {name: a, resources: {requests: {cpu: "1", memory: 1Mi}}}
)",
                               {{4000, 3 * kMi, 0, 0, {}}, 4000, 3 * kMi}},
                          Case{"overhead-comes-on-top",
                               R"(
spec:
  overhead: {cpu: 250m, memory: 10Mi}
  containers:
  - {name: a, resources: {requests: {cpu: "1", memory: 1Mi}}}
)",
                               {{1250, 11 * kMi, 0, 0, {}}, 1250, 11 * kMi}},
                          Case{"defaults-per-container-for-scores",
                               R"(
spec:
  containers:
  - {name: a}
  - {name: b, resources: {requests: {cpu: "1"}}}
)",
                               {{1000, 0, 0, 0, {}}, 1100, 400 * kMi}},
                          Case{"pod-level-replaces-cpu-memory-hugepages",
                               R"(
spec:
  resources: {requests: {cpu: "3", hugepages-2Mi: 4Mi, nvidia.com/gpu: "9"}}
  containers:
  - {name: a, resources: {requests: {cpu: "1", memory: 1Mi, nvidia.com/gpu: "1"}}}
)",
                               {{3000, kMi, 0, 0, {{"hugepages-2Mi", 4 * kMi}, {"nvidia.com/gpu", 1}}}, 3000, kMi}},
                          Case{"unknown-native-resources-do-not-count",
                               R"(
spec:
  containers:
  - {name: a, resources: {requests: {storage: 1Gi, ephemeral-storage: 1Ki}}}
)",
                               {{0, 0, 1024, 0, {}}, 100, 200 * kMi}},
                          Case{"resize-takes-the-maximum-of-three-sums",
                               R"(
spec:
  containers:
  - {name: a, resources: {requests: {cpu: "1", memory: 1Mi}}}
  - {name: b, resources: {requests: {cpu: "4", memory: 1Mi}}}
status:
  containerStatuses:
  - {name: a, allocatedResources: {cpu: "3", memory: 1Mi}, resources: {requests: {cpu: "2", memory: 1Mi}}}
  - {name: b, allocatedResources: {cpu: "1", memory: 1Mi}}
)",
                               {{5000, 2 * kMi, 0, 0, {}}, 5000, 2 * kMi}},
                          Case{"infeasible-resize-leaves-the-spec-out",
                               R"(
spec:
  containers:
  - {name: a, resources: {requests: {cpu: "9", memory: 1Mi}}}
status:
  conditions: [{type: PodResizePending, status: "True", reason: Infeasible}]
  containerStatuses:
  - {name: a, allocatedResources: {cpu: "3", memory: 1Mi}, resources: {requests: {cpu: "2", memory: 1Mi}}}
)",
                               {{3000, kMi, 0, 0, {}}, 3000, kMi}});
  CAPTURE(c.name);
  const PodDemand demand = pod_demand(pod_from(c.pod));
  CHECK(demand.requests.milli_cpu == c.demand.requests.milli_cpu);
  CHECK(demand.requests.memory == c.demand.requests.memory);
  CHECK(demand == c.demand);
}

TEST_CASE("up to 1.36 the maximum of a resize is taken per container") {
  const Pod pod = pod_from(R"(
spec:
  containers:
  - {name: a, resources: {requests: {cpu: "1"}}}
  - {name: b, resources: {requests: {cpu: "4"}}}
status:
  containerStatuses:
  - {name: a, allocatedResources: {cpu: "3"}, resources: {requests: {cpu: "2"}}}
  - {name: b, allocatedResources: {cpu: "6"}}
)");
  PodRequestRules rules;
  rules.maximum_of_sums = false;
  CHECK(pod_demand(pod, rules).requests.milli_cpu == 3000 + 4000);
  CHECK(pod_demand(pod).requests.milli_cpu == 3000 + 6000);
}

TEST_CASE("the API server's defaults are filled in") {
  Pod pod = pod_from(R"(
spec:
  hostNetwork: true
  resources: {limits: {cpu: "4", memory: 1Gi}}
  containers:
  - {name: a, ports: [{containerPort: 80}], resources: {limits: {nvidia.com/gpu: "2", cpu: "1"}, requests: {cpu: 500m}}}
)");
  set_defaults(pod);
  const Container& container = pod.spec->containers.front();
  CHECK(find(container.resources.requests, "cpu")->to_string() == "500m");
  CHECK(find(container.resources.requests, "nvidia.com/gpu")->to_string() == "2");
  CHECK(container.ports.front().host_port == 80);
  CHECK(find(pod.spec->resources->requests, "cpu")->to_string() == "500m");
  CHECK(find(pod.spec->resources->requests, "memory")->to_string() == "1Gi");
}

TEST_CASE("admission gives a pod its priority and tolerations") {
  PriorityClass high;
  high.meta.name = "high";
  high.value = 1000;
  high.preemption_policy = "Never";
  PriorityClass fallback;
  fallback.meta.name = "fallback";
  fallback.value = 7;
  fallback.global_default = true;
  const std::vector<PriorityClass> classes = {high, fallback};

  Pod named = testing::simple_pod("named");
  named.spec.edit().priority.reset();
  named.spec.edit().priority_class_name = "high";
  admit(named, classes);
  CHECK(named.spec->priority == 1000);
  CHECK(named.spec->preemption_policy == "Never");
  CHECK(named.spec->tolerations.size() == 2);

  Pod unnamed = testing::simple_pod("unnamed");
  unnamed.spec.edit().priority.reset();
  admit(unnamed, classes);
  CHECK(unnamed.spec->priority == 7);
}

TEST_CASE("resource names are sorted as the scheduler sorts them") {
  CHECK(is_extended_resource("nvidia.com/gpu"));
  CHECK(is_extended_resource("rdma/ib"));
  CHECK_FALSE(is_extended_resource("cpu"));
  CHECK_FALSE(is_extended_resource("kubernetes.io/batch-cpu"));
  CHECK_FALSE(is_extended_resource("requests.nvidia.com/gpu"));
  CHECK_FALSE(is_extended_resource("Nvidia.com/gpu"));
  CHECK_FALSE(is_extended_resource("nvidia.com/"));
  CHECK(is_scalar_resource("hugepages-1Gi"));
  CHECK(is_scalar_resource("attachable-volumes-csi-x"));
  CHECK(is_scalar_resource("deviceclass.resource.kubernetes.io/gpu"));
  CHECK_FALSE(is_scalar_resource("storage"));
}

TEST_CASE("time stamps are read as RFC 3339") {
  CHECK(parse_timestamp("1970-01-01T00:00:00Z") == Timestamp{0, 0});
  CHECK(parse_timestamp("2026-03-01T12:00:00Z") == Timestamp{1772366400, 0});
  CHECK(parse_timestamp("2026-03-01T13:00:00.25+01:00") == Timestamp{1772366400, 250'000'000});
  CHECK(parse_timestamp("2024-02-29T23:59:59Z").has_value());
  for (const char* const bad : {"", "2026-03-01", "2026-02-29T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:00:00",
                                "2026-03-01T12:00:00z", "2026-03-01T12:00:00.Z", "2026-13-01T12:00:00Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_timestamp(bad).has_value());
  }
}

}  // namespace
}  // namespace gpusched::objects
