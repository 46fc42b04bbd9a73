#include <catch2/catch.hpp>

#include "gpusched/kubescheduler/pod_series.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::kubescheduler {
namespace {

using testing::simple_node;
using testing::simple_pod;

std::vector<PodIndex> pending_of(const Snapshot& snapshot) {
  std::vector<PodIndex> pods;
  for (std::size_t i = 0; i < snapshot.pods().size(); ++i) {
    if (!snapshot.pod(PodIndex(i)).node.valid()) {
      pods.emplace_back(i);
    }
  }
  return pods;
}

/// "pod node" for every pod of the list.
std::vector<std::string> places(const Snapshot& snapshot, const std::vector<PodTurn>& turns) {
  std::vector<std::string> lines;
  for (const PodTurn& turn : turns) {
    const std::string node = turn.node.valid() ? snapshot.node(turn.node).name() : "-";
    lines.push_back(snapshot.pod(turn.pod).object->meta.name + " " + node);
  }
  return lines;
}

TEST_CASE("of pods in turn those of higher priority come first, then the older ones") {
  ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 2)};
  cluster.pods = {simple_pod("young", "", 1), simple_pod("old", "", 1), simple_pod("urgent", "", 1, 5)};
  cluster.pods[0].meta.creation_timestamp = objects::parse_timestamp("2026-11-28T09:15:00Z");
  cluster.pods[1].meta.creation_timestamp = objects::parse_timestamp("2026-11-28T09:14:00Z");
  Snapshot snapshot(cluster);
  const auto turns = schedule_in_turn(snapshot, pending_of(snapshot), {});
  CHECK(places(snapshot, turns) == std::vector<std::string>{"young -", "old n1", "urgent n1"});
}

TEST_CASE("a pod in turn takes the place of its victims") {
  ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 2), simple_node("n2", 2)};
  cluster.pods = {simple_pod("a", "n1", 2, 3), simple_pod("b", "n2", 2, 1), simple_pod("first", "", 1, 5),
                  simple_pod("second", "", 1, 5), simple_pod("third", "", 2, 5)};
  Snapshot snapshot(cluster);
  const auto turns = schedule_in_turn(snapshot, pending_of(snapshot), {});
  CHECK(places(snapshot, turns) == std::vector<std::string>{"first n2", "second n2", "third n1"});
  CHECK(turns[0].victims == std::vector<PodIndex>{PodIndex(std::size_t{1})});
  CHECK(turns[1].victims.empty());
  CHECK(turns[2].victims == std::vector<PodIndex>{PodIndex(std::size_t{0})});
}

TEST_CASE("a pod that waits for a neighbour comes again when the neighbour is there") {
  ClusterObjects cluster;
  cluster.nodes = {simple_node("n1", 2)};
  cluster.nodes[0].meta.labels.edit() = {{"zone", "a"}};
  cluster.pods = {simple_pod("follower"), simple_pod("leader")};
  objects::PodAffinityTerm near;
  near.topology_key = "zone";
  near.label_selector.emplace().match_labels = {{"app", "leader"}};
  cluster.pods[0].spec.edit().affinity.pod.emplace().required = {near};
  cluster.pods[1].meta.labels.edit() = {{"app", "leader"}};
  Snapshot snapshot(cluster);
  const auto turns = schedule_in_turn(snapshot, pending_of(snapshot), {});
  CHECK(places(snapshot, turns) == std::vector<std::string>{"follower n1", "leader n1"});
}

}  // namespace
}  // namespace gpusched::kubescheduler
