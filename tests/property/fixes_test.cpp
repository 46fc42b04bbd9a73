#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <variant>

#include "gpusched/explain/explain.hpp"
#include "support/kube_objects.hpp"
#include "support/random_cluster.hpp"

// Every fix that is printed is true: carried out on the objects, by another path than the search has, the pod
// schedules.
namespace gpusched::explain {
namespace {

using testing::Random;
using testing::simple_node;
using testing::simple_pod;

const std::vector<std::string> kZones = {"a", "b", "c"};

objects::Node random_node(Random& random, int number) {
  objects::Node node = simple_node(fmt::format("n{}", number), random.pick(std::vector<int>{0, 1, 2, 4, 8}));
  node.meta.labels.edit().emplace_back("zone", random.pick(kZones));
  node.status.capacity = node.status.allocatable;
  if (random.one_in(4)) {
    node.spec.taints.push_back({"dedicated", random.pick(kZones), random.one_in(3) ? "NoExecute" : "NoSchedule"});
  }
  if (random.one_in(6)) {
    node.spec.taints.push_back({"nvidia.com/gpu", "", "NoSchedule"});
  }
  if (random.one_in(6)) {
    node.spec.unschedulable = true;
    node.spec.taints.push_back({"node.kubernetes.io/unschedulable", "", "NoSchedule"});
  }
  return node;
}

objects::PodAffinityTerm neighbours(const std::string& key) {
  objects::PodAffinityTerm term;
  term.topology_key = key;
  term.label_selector.emplace().match_labels = {{"app", "x"}};
  return term;
}

objects::Pod random_pod(Random& random, const std::string& name, const std::string& node) {
  objects::Pod pod = simple_pod(name, node, random.pick(std::vector<int>{0, 1, 1, 2, 4, 8, 16}), random.below(3));
  pod.spec.edit().containers[0].resources.requests[0].second = Quantity::from_milli(random.between(1, 30) * 100);
  if (random.one_in(3)) {
    pod.meta.labels.edit() = {{"app", "x"}};
  }
  if (random.one_in(8)) {
    pod.meta.deletion_timestamp.emplace();
  }
  return pod;
}

objects::Pod asked_pod(Random& random) {
  objects::Pod pod = random_pod(random, "asked", "");
  pod.meta.deletion_timestamp.reset();
  pod.meta.labels.edit() = {{"app", "x"}};
  if (random.one_in(3)) {
    pod.spec.edit().node_selector = {{"zone", random.pick(std::vector<std::string>{"a", "b", "A", "zone-a"})}};
  }
  if (random.one_in(4)) {
    auto& required = pod.spec.edit().affinity.node.emplace().required.emplace();
    required.terms.push_back({{{"zone", "In", {random.pick(kZones)}}, {"gpu", "Exists", {}}}, {}});
  }
  if (random.one_in(5)) {
    pod.spec.edit().affinity.pod_anti.emplace().required = {neighbours("kubernetes.io/hostname")};
  }
  if (random.one_in(8)) {
    pod.spec.edit().affinity.pod.emplace().required = {neighbours("zone")};
  }
  if (random.one_in(5)) {
    objects::TopologySpreadConstraint spread;
    spread.topology_key = random.one_in(2) ? "zone" : "kubernetes.io/hostname";
    spread.when_unsatisfiable = "DoNotSchedule";
    spread.label_selector.emplace().match_labels = {{"app", "x"}};
    pod.spec.edit().topology_spread_constraints = {spread};
  }
  if (random.one_in(4)) {
    objects::Toleration toleration;
    toleration.key = "dedicated";
    toleration.value = random.pick(kZones);
    pod.spec.edit().tolerations = {toleration};
  }
  if (random.one_in(12)) {
    pod.spec.edit().scheduling_gates = {"wait"};
  }
  if (random.one_in(12)) {
    pod.spec.edit().scheduler_name = "other";
  }
  return pod;
}

objects::ClusterObjects random_cluster(Random& random) {
  objects::ClusterObjects cluster;
  for (int i = random.between(1, 6); i > 0; --i) {
    cluster.nodes.push_back(random_node(random, i));
  }
  for (int i = random.between(0, 12); i > 0; --i) {
    const std::string& node = random.pick(cluster.nodes).meta.name;
    cluster.pods.push_back(random_pod(random, fmt::format("p{}", i), node));
  }
  for (const int value : {1, 5}) {
    objects::PriorityClass& priority = cluster.priority_classes.emplace_back();
    priority.meta.name = fmt::format("class-{}", value);
    priority.value = value;
  }
  return cluster;
}

objects::Node& node_of(objects::ClusterObjects& cluster, const std::string& name) {
  return *std::ranges::find(cluster.nodes, name, [](const objects::Node& node) { return node.meta.name; });
}

objects::Pod& pod_of(objects::ClusterObjects& cluster, const std::string& name) {
  return *std::ranges::find(cluster.pods, name, [](const objects::Pod& pod) { return pod.meta.name; });
}

void uncordon(objects::Node& node) {
  node.spec.unschedulable = false;
  std::erase_if(node.spec.taints,
                [](const objects::Taint& taint) { return taint.key == "node.kubernetes.io/unschedulable"; });
}

/// What an operator would do to the objects; written apart from the edits that the search tries.
void carry_out(const whatif::ClusterEdit& edit, objects::ClusterObjects& cluster) {
  if (const auto* const evict = std::get_if<whatif::EvictPod>(&edit)) {
    pod_of(cluster, evict->name).node_name.clear();
  } else if (const auto* const move = std::get_if<whatif::MovePod>(&edit)) {
    pod_of(cluster, move->name).node_name = move->node;
  } else if (const auto* const cordon = std::get_if<whatif::CordonNode>(&edit)) {
    REQUIRE_FALSE(cordon->cordoned);
    uncordon(node_of(cluster, cordon->node));
  } else if (const auto* const set = std::get_if<whatif::SetAllocatable>(&edit)) {
    for (auto& [resource, amount] : node_of(cluster, set->node).status.allocatable) {
      amount = resource == set->resource ? Quantity::from_int64(set->amount) : amount;
    }
  } else {
    const auto& add = std::get<whatif::AddNodes>(edit);
    REQUIRE(add.count == 1);
    objects::Node node = node_of(cluster, add.like);
    uncordon(node);
    node.meta.name = add.like + "-new-1";
    for (auto& [key, value] : node.meta.labels.edit()) {
      value = key == "kubernetes.io/hostname" ? node.meta.name : value;
    }
    cluster.nodes.push_back(std::move(node));
  }
}

TEST_CASE("with every fix the pod schedules") {
  constexpr int kClusters = 400;
  int fixes = 0;
  int pending = 0;
  for (int seed = 0; seed < kClusters; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const objects::ClusterObjects cluster = random_cluster(random);
    const objects::Pod pod = asked_pod(random);
    const kubescheduler::PredictOptions options;
    const kubescheduler::Snapshot snapshot(cluster);
    Explainer explainer(snapshot, options);
    const kubescheduler::Prediction prediction = kubescheduler::predict(snapshot, pod, options);
    const Explanation explanation = explainer.explain(pod, prediction);
    if (prediction.verdict == kubescheduler::Verdict::kScheduled) {
      CHECK(explanation.fixes.empty());
      continue;
    }
    ++pending;
    REQUIRE_FALSE(explanation.findings.empty());
    for (const Fix& fix : explanation.fixes) {
      CAPTURE(seed, fix.change, fix.effect);
      objects::Pod changed = pod;
      for (const whatif::PodEdit& edit : fix.plan.pod) {
        changed = whatif::apply(edit, changed).value();
      }
      objects::ClusterObjects after = cluster;
      for (const whatif::ClusterEdit& edit : fix.plan.cluster) {
        carry_out(edit, after);
      }
      const kubescheduler::Prediction outcome =
          kubescheduler::predict(kubescheduler::Snapshot(after), changed, options);
      CHECK(outcome.verdict == kubescheduler::Verdict::kScheduled);
      const bool names_a_node = std::ranges::any_of(outcome.feasible_nodes, [&](const std::string& node) {
        const std::string start = "schedules on " + node;
        return fix.effect.starts_with(start) &&
               std::string_view(" ,;").contains(fix.effect.size() == start.size() ? ' ' : fix.effect[start.size()]);
      });
      CHECK(names_a_node);
      ++fixes;
    }
    // The search leaves no trace: the same question has the same answer.
    const Explanation again = explainer.explain(pod, prediction);
    REQUIRE(again.fixes.size() == explanation.fixes.size());
    for (std::size_t i = 0; i < again.fixes.size(); ++i) {
      CHECK(again.fixes[i].change == explanation.fixes[i].change);
      CHECK(again.fixes[i].effect == explanation.fixes[i].effect);
    }
  }
  CHECK(pending > kClusters / 3);
  CHECK(fixes > kClusters / 2);
}

}  // namespace
}  // namespace gpusched::explain
