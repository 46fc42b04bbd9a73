#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "gpusched/kubescheduler/pod_series.hpp"
#include "support/dra_builders.hpp"
#include "support/kube_objects.hpp"
#include "support/random_cluster.hpp"

// Pods in turn get what each would get if the scheduler were asked anew on the cluster that the earlier ones left.
namespace gpusched::kubescheduler {
namespace {

using testing::Random;
using testing::simple_node;
using testing::simple_pod;

/// One pod after the other, each on a cluster of its own that is made from the objects as they are by then.
class Naive {
 public:
  Naive(ClusterObjects objects, dra::SelectorEvaluator& selectors) : objects_(std::move(objects)) {
    options_.selectors = &selectors;
  }

  Prediction take(const std::string& name) {
    const auto pod = std::ranges::find(objects_.pods, name, [](const objects::Pod& each) { return each.meta.name; });
    const Snapshot snapshot(objects_);
    Prediction prediction = predict(snapshot, *pod, options_);
    if (prediction.verdict != Verdict::kScheduled) {
      return prediction;
    }
    pod->node_name = prediction.node;
    for (const ClaimAllocation& given : prediction.claims) {
      const auto claim = std::ranges::find(objects_.resource_claims, given.claim, &objects::ResourceClaim::name);
      claim->allocation = given.allocation;
      claim->reserved_for.push_back({"", "pods", pod->meta.name, pod->meta.uid});
    }
    return prediction;
  }

 private:
  ClusterObjects objects_;
  PredictOptions options_;
};

objects::ResourceSlice slice_of(Random& random, const std::string& node) {
  std::vector<objects::Device> devices;
  for (int i = random.between(1, 5); i > 0; --i) {
    devices.push_back(test::device(fmt::format("d{}", i),
                                   {{"island", objects::AttributeValue(static_cast<std::int64_t>(random.below(2)))}}));
  }
  objects::ResourceSlice slice = test::slice("slice-" + node, std::move(devices));
  slice.spec.node_name = node;
  slice.spec.pool.name = node;
  return slice;
}

objects::ResourceClaim claim_of(Random& random, const std::string& name) {
  const auto count = static_cast<std::int64_t>(random.between(1, 2));
  objects::ResourceClaim claim = test::claim(name, {test::request("gpus", test::exactly(count))});
  claim.namespace_name = "default";
  if (count == 2 && random.one_in(2)) {
    claim.devices.constraints = {test::match(std::string(test::kDriver) + "/island")};
  }
  return claim;
}

ClusterObjects random_nodes(Random& random, bool with_devices) {
  ClusterObjects cluster;
  for (int i = random.between(2, 9); i > 0; --i) {
    objects::Node node = simple_node(fmt::format("n{}", i), random.pick(std::vector<int>{0, 2, 4, 8}));
    node.meta.labels.edit() = {{"zone", random.one_in(2) ? "a" : "b"}, {"kubernetes.io/hostname", node.meta.name}};
    for (const char* const effect : {"PreferNoSchedule", "NoSchedule"}) {
      if (random.one_in(4)) {
        node.spec.taints.push_back({"dedicated", "x", effect});
      }
    }
    if (with_devices) {
      cluster.resource_slices.push_back(slice_of(random, node.meta.name));
    }
    cluster.nodes.push_back(std::move(node));
  }
  if (with_devices) {
    cluster.device_classes.push_back(test::any_class());
    if (random.one_in(4)) {  // a pool that every node can reach
      objects::ResourceSlice& shared = cluster.resource_slices.emplace_back(slice_of(random, "fabric"));
      shared.spec.node_name.reset();
      shared.spec.all_nodes = true;
    }
  }
  return cluster;
}

/// What pods of one kind have in common.
objects::Pod random_template(Random& random, int number) {
  objects::Pod pod = simple_pod("", "", random.pick(std::vector<int>{0, 1, 2}));
  objects::PodSpec& spec = pod.spec.edit();
  spec.containers[0].resources.requests[0].second = Quantity::from_milli(random.between(1, 12) * 100);
  spec.preemption_policy = "Never";
  pod.meta.labels.edit() = {{"app", fmt::format("app-{}", number)}};
  if (random.one_in(2)) {  // three nodes are preferred more than others, so that their leaving changes the scale
    auto& preferred = spec.affinity.node.emplace().preferred;
    preferred.push_back({random.between(1, 90), {{{"zone", "In", {"a"}}}, {}}});
    preferred.push_back({random.between(1, 90), {{{"kubernetes.io/hostname", "In", {"n1", "n2", "n3"}}}, {}}});
  }
  if (random.one_in(3)) {
    objects::Toleration toleration;
    toleration.key = "dedicated";
    toleration.op = "Exists";
    spec.tolerations = {toleration};
  }
  if (random.one_in(10)) {
    spec.scheduling_gates = {"wait"};
  }
  if (random.one_in(6)) {
    spec.containers[0].ports = {{80, 8080, "", ""}};
  }
  objects::PodAffinityTerm near;
  near.topology_key = random.one_in(2) ? "zone" : "kubernetes.io/hostname";
  near.label_selector.emplace().match_labels = {{"app", fmt::format("app-{}", random.below(3))}};
  if (random.one_in(8)) {
    spec.affinity.pod_anti.emplace().required = {near};
  }
  if (random.one_in(8)) {
    spec.affinity.pod.emplace().preferred = {{50, near}};
  }
  if (random.one_in(6)) {
    objects::TopologySpreadConstraint spread;
    spread.topology_key = "zone";
    spread.when_unsatisfiable = random.one_in(2) ? "DoNotSchedule" : "ScheduleAnyway";
    spread.label_selector.emplace().match_labels = *pod.meta.labels;
    spec.topology_spread_constraints = {spread};
  }
  return pod;
}

void add_pods(Random& random, bool with_claims, ClusterObjects& cluster) {
  std::vector<objects::Pod> templates;
  std::vector<objects::ResourceClaim> wanted;
  for (int i = 0; i < 3; ++i) {
    templates.push_back(random_template(random, i));
    wanted.push_back(claim_of(random, ""));
  }
  for (int i = 0; i < 30; ++i) {
    const std::size_t kind = static_cast<std::size_t>(random.below(3));
    objects::Pod pod = templates[kind];
    pod.meta.name = fmt::format("p{}", i);
    pod.meta.uid = "uid-" + pod.meta.name;
    if (with_claims && kind != 0) {
      objects::ResourceClaim& claim = cluster.resource_claims.emplace_back(wanted[kind]);
      claim.name = fmt::format("c{}", i);
      pod.spec.edit().resource_claims = {{"gpu", claim.name, {}}};
    }
    cluster.pods.push_back(std::move(pod));
  }
}

TEST_CASE("pods in turn get what the scheduler gives each of them on the cluster as it is by then") {
  int placed = 0;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const bool with_claims = random.one_in(2);
    ClusterObjects cluster = random_nodes(random, with_claims);
    add_pods(random, with_claims, cluster);
    test::ToySelectors of_naive, of_series;
    Naive naive(cluster, of_naive);
    PredictOptions options;
    options.selectors = &of_series;
    Snapshot snapshot(cluster);
    std::vector<PodIndex> pods;
    for (std::size_t i = 0; i < snapshot.pods().size(); ++i) {
      pods.emplace_back(i);
    }
    PodSeries series(snapshot, pods, options);
    for (std::size_t i = 0; i < snapshot.pods().size(); ++i) {
      const std::string name = snapshot.pod(PodIndex(i)).object->meta.name;
      CAPTURE(seed, name);
      const Prediction expected = naive.take(name);
      const PodTurn turn = series.take(PodIndex(i));
      REQUIRE((turn.node.valid() ? snapshot.node(turn.node).name() : "") == expected.node);
      REQUIRE(turn.claims.size() == expected.claims.size());
      for (std::size_t c = 0; c < turn.claims.size(); ++c) {
        REQUIRE(turn.claims[c].claim == expected.claims[c].claim);
        REQUIRE(turn.claims[c].allocation == expected.claims[c].allocation);
      }
      (turn.node.valid() ? placed : refused) += 1;
    }
  }
  CHECK(placed > 3000);
  CHECK(refused > 1000);
}

}  // namespace
}  // namespace gpusched::kubescheduler
