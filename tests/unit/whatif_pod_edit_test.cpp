#include "gpusched/whatif/pod_edit.hpp"

#include <catch2/catch.hpp>

#include "gpusched/objects/pod_requests.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::whatif {
namespace {

using testing::pod_from;
using testing::simple_pod;

std::int64_t gpus_of(const objects::Pod& pod) {
  const auto amounts = objects::pod_demand(pod).requests;
  const std::int64_t* const gpus = objects::find(amounts.scalars, "nvidia.com/gpu");
  return gpus == nullptr ? 0 : *gpus;
}

TEST_CASE("a request is lowered in the container that asks for most") {
  objects::Pod pod = simple_pod("p", "", 3);
  pod.spec.edit().containers.push_back(simple_pod("q", "", 5).spec->containers.front());
  pod.spec.edit().containers.back().resources.limits = {{"nvidia.com/gpu", Quantity::from_int64(5)}};
  const Result<objects::Pod> lowered = apply(LowerRequest{"nvidia.com/gpu", 4}, pod);
  REQUIRE(lowered);
  CHECK(gpus_of(*lowered) == 4);
  CHECK(objects::find(lowered->spec->containers.back().resources.limits, "nvidia.com/gpu")->value() == 1);
  CHECK_FALSE(apply(LowerRequest{"nvidia.com/gpu", 3}, pod));  // would leave the container without a GPU
  CHECK_FALSE(apply(LowerRequest{"nvidia.com/gpu", 8}, pod));
  CHECK(apply(LowerRequest{"cpu", 700}, pod));
  CHECK_FALSE(apply(LowerRequest{"amd.com/gpu", 1}, pod));
}

TEST_CASE("an init container's request can be the total") {
  objects::Pod pod = simple_pod("p", "", 1);
  pod.spec.edit().init_containers = simple_pod("i", "", 4).spec->containers;
  CHECK(gpus_of(apply(LowerRequest{"nvidia.com/gpu", 2}, pod).value()) == 2);
}

TEST_CASE("a resource is renamed in requests and limits") {
  objects::Pod pod = simple_pod("p", "", 2);
  pod.spec.edit().containers[0].resources.limits = {{"nvidia.com/gpu", Quantity::from_int64(2)}};
  const objects::Pod renamed = apply(RenameResource{"nvidia.com/gpu", "nvidia.com/gpu.shared"}, pod).value();
  CHECK(gpus_of(renamed) == 0);
  CHECK(objects::find(renamed.spec->containers[0].resources.limits, "nvidia.com/gpu.shared")->value() == 2);
  CHECK(objects::find(renamed.spec->containers[0].resources.limits, "nvidia.com/gpu") == nullptr);
}

TEST_CASE("an affinity without expressions left is gone") {
  const objects::Pod pod = pod_from(R"(
kind: Pod
metadata: {name: p}
spec:
  nodeSelector: {zone: a, tier: gold}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: gpu, operator: In, values: [a100]}]
)");
  const objects::NodeSelectorRequirement gpu{"gpu", "In", {"a100"}};
  CHECK_FALSE(apply(DropNodeAffinity{gpu}, pod)->spec->affinity.node->required);
  CHECK(apply(DropNodeAffinity{{"gpu", "Exists", {}}}, pod)->spec->affinity.node->required);
  CHECK(apply(DropNodeSelector{"zone"}, pod)->spec->node_selector == objects::Labels{{"tier", "gold"}});
  CHECK(apply(SetNodeSelector{"zone", "b"}, pod)->spec->node_selector.front().second == "b");
  const auto required = apply(RequireNode{{"ssd", "Exists", {}}}, pod)->spec->affinity.node->required;
  REQUIRE(required->terms.size() == 1);
  CHECK(required->terms[0].match_expressions.size() == 2);
  CHECK(apply(RequireNode{{"ssd", "Exists", {}}}, simple_pod("q"))->spec->affinity.node->required->terms.size() == 1);
}

TEST_CASE("edits describe themselves") {
  objects::Toleration toleration;
  toleration.key = "dedicated";
  toleration.op = "Exists";
  CHECK(describe(PodEdit(AddToleration{toleration})) == "add the toleration dedicated exists");
  CHECK(describe(PodEdit(LowerRequest{"memory", std::int64_t{64} << 30})) == "lower memory to 64Gi");
  CHECK(describe(PodEdit(LowerRequest{"cpu", 1500})) == "lower cpu to 1500m");
  CHECK(describe(PodEdit(DropNodeAffinity{{"nvidia.com/gpu.memory", "Gt", {"40000"}}})) ==
        "drop \"nvidia.com/gpu.memory > 40000\" from the node affinity");
  CHECK(describe(PodEdit(UsePriority{"urgent", 1000})) == "use the PriorityClass urgent (1000)");
}

}  // namespace
}  // namespace gpusched::whatif
