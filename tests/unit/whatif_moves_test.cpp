// What stands in the way of moves, drains node by node and together, and the shortest ways to open a block.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "gpusched/whatif/compare.hpp"
#include "gpusched/whatif/defrag.hpp"
#include "gpusched/whatif/drain.hpp"
#include "support/builders.hpp"

namespace gpusched::whatif {
namespace {

using testing::Cluster;
using testing::node;
using testing::pod;

std::string text(const Cluster& cluster, const Move& move) {
  return std::string(cluster.shape().text(cluster.usage.pod_name(move.pod))) + ": " +
         std::string(cluster.shape().name(move.from)) + " -> " + std::string(cluster.shape().name(move.to));
}

std::vector<std::string> texts(const Cluster& cluster, const std::vector<Move>& moves) {
  std::vector<std::string> result;
  for (const Move& move : moves) result.push_back(text(cluster, move));
  return result;
}

const NodeDrain& drain_of(const Cluster& cluster, const DrainAnswer& answer, std::string_view name) {
  return *std::ranges::find(answer.nodes, cluster.id(name), &NodeDrain::node);
}

DefragAnswer moves_for(Cluster& cluster, const std::vector<PodId>& wanted, int most = 8) {
  return find_moves(cluster.usage, {}, wanted, {}, {.moves = most}, std::vector<int>{1, 8});
}

}  // namespace

TEST_CASE("a node can go when its pods fit elsewhere") {
  Cluster cluster({node("a").gpus(4), node("b").gpus(4), node("c").gpus(2), node("d")},
                  {pod("p3").gpus(3), pod("p2").gpus(2), pod("p1").gpus(1)});
  cluster.bind("p3", "a", {0, 1, 2});
  cluster.bind("p2", "b", {0, 1});
  cluster.bind("p1", "c", {0});
  const DrainAnswer answer = find_drainable(cluster.usage, {}, {});
  CHECK(answer.drainable() == 2);
  CHECK(drain_of(cluster, answer, "a").hindrance == Hindrance::kNoPlace);
  CHECK(drain_of(cluster, answer, "a").pod == cluster.pod("p3"));
  REQUIRE(drain_of(cluster, answer, "b").reasons != nullptr);
  CHECK(drain_of(cluster, answer, "c").hindrance == Hindrance::kNone);
  CHECK(texts(cluster, drain_of(cluster, answer, "c").moves) == std::vector<std::string>{"p1: c -> a"});
  CHECK(answer.nodes.front().node == cluster.id("d"));  // the emptiest first
  CHECK(answer.together == std::vector{cluster.id("d"), cluster.id("c")});
}

TEST_CASE("a pod that tolerates every taint does not come back to a node that goes") {
  Cluster cluster({node("a").gpus(1)}, {pod("agent").tolerates_all()});
  cluster.bind("agent", "a");
  const DrainAnswer answer = find_drainable(cluster.usage, {}, {});
  CHECK(answer.nodes.front().hindrance == Hindrance::kNoPlace);
}

TEST_CASE("some pods stay, and of others something is to be said") {
  Cluster cluster({node("a").gpus(2), node("b").gpus(2), node("cp").taint("node-role.kubernetes.io/control-plane")},
                  {pod("daemon"), pod("alone").gpus(1), pod("guarded").gpus(1)});
  cluster.bind("daemon", "a");
  cluster.bind("alone", "a", {0});
  cluster.bind("guarded", "b", {0});
  const std::vector<PodFacts> facts{{{}, {}, {}, PodControl::kStays, {}},
                                    {{}, {}, {}, PodControl::kNone, {}},
                                    {{}, {}, {}, PodControl::kController, {0, 1}}};
  const std::vector<DisruptionBudget> budgets{{"ns/roomy", 1}, {"ns/tight", 0}};
  const DrainAnswer answer = find_drainable(cluster.usage, {facts, budgets}, {});
  const NodeDrain& a = drain_of(cluster, answer, "a");
  CHECK(a.staying == 1);
  CHECK(texts(cluster, a.moves) == std::vector<std::string>{"alone: a -> b"});
  CHECK(a.remarks.orphans == std::vector{cluster.pod("alone")});
  CHECK(a.remarks.budgets.empty());
  CHECK(drain_of(cluster, answer, "b").hindrance == Hindrance::kNone);
  CHECK(drain_of(cluster, answer, "b").remarks.budgets == std::vector<std::uint32_t>{1});
  CHECK(drain_of(cluster, answer, "cp").hindrance == Hindrance::kControlPlane);
}

TEST_CASE("holders without a name and devices of claims keep a node") {
  Cluster cluster({node("a").gpus(2), node("b").gpus(2), node("c").gpus(2)}, {pod("claimer"), pod("other").gpus(1)});
  cluster.bind("claimer", "a", {1});  // asks for no GPU and holds one
  const PodId unnamed = cluster.usage.add_pod(cluster.usage.pod_class_id(cluster.pod("other")));
  cluster.usage.bind(unnamed, cluster.id("b"), std::vector<GpuShare>{{0}});
  const DrainAnswer answer = find_drainable(cluster.usage, {}, {});
  CHECK(drain_of(cluster, answer, "a").hindrance == Hindrance::kClaim);
  CHECK(drain_of(cluster, answer, "b").hindrance == Hindrance::kUnnamed);
  CHECK(drain_of(cluster, answer, "c").hindrance == Hindrance::kNone);
}

TEST_CASE("the pod with the fewest GPUs moves") {
  Cluster cluster({node("a").gpus(8), node("b").gpus(8)},
                  {pod("big").gpus(4), pod("small").gpus(2), pod("wanted").gpus(8)});
  cluster.bind("big", "a", {0, 1, 2, 3});
  cluster.bind("small", "b", {0, 1});
  const DefragAnswer answer = moves_for(cluster, {cluster.pod("wanted")});
  CHECK(answer.outcome == DefragOutcome::kPlan);
  CHECK(answer.optimal);
  CHECK(answer.devices == 2);
  CHECK(texts(cluster, answer.moves) == std::vector<std::string>{"small: b -> a"});
  REQUIRE(answer.places.size() == 1);
  CHECK(answer.places.front().node == cluster.id("b"));
  CHECK(answer.before.largest_block == 6);
  CHECK(answer.after.largest_block == 8);
}

TEST_CASE("a move inside the node frees an island") {
  Cluster cluster({node("pairs").gpus(4).islands({{0, 1}, {2, 3}})},
                  {pod("x").gpus(1), pod("y").gpus(1), pod("wanted").gpus(2).nvlink()});
  cluster.bind("x", "pairs", {0});
  cluster.bind("y", "pairs", {2});
  const DefragAnswer answer = moves_for(cluster, {cluster.pod("wanted")});
  REQUIRE(answer.outcome == DefragOutcome::kPlan);
  CHECK(answer.optimal);
  CHECK(texts(cluster, answer.moves) == std::vector<std::string>{"x: pairs -> pairs"});
  CHECK(answer.moves.front().shares == std::vector<GpuShare>{{3}});
}

TEST_CASE("a pod makes room for a pod that makes room") {
  Cluster cluster({node("a").gpus(2, "A100"), node("c").gpus(1, "A100"), node("d").gpus(1, "L40S")},
                  {pod("picky").gpus(1).model("A100"), pod("easy").gpus(1), pod("wanted").gpus(2)});
  cluster.bind("picky", "a", {0});
  cluster.bind("easy", "c", {0});
  const DefragAnswer answer = moves_for(cluster, {cluster.pod("wanted")});
  REQUIRE(answer.outcome == DefragOutcome::kPlan);
  CHECK(answer.optimal);
  CHECK(answer.at_least == 1);
  CHECK(texts(cluster, answer.moves) == std::vector<std::string>{"easy: c -> d", "picky: a -> c"});
  CHECK(moves_for(cluster, {cluster.pod("wanted")}, 1).outcome == DefragOutcome::kNoPlan);
}

TEST_CASE("of as many moves those of the fewest GPUs count as proven, also after the search came back from others") {
  Cluster cluster({node("n0").gpus(8, "L4", 24), node("n1").gpus(8, "L4", 24), node("n2").gpus(7, "L4", 24)},
                  {pod("p0").gpus(2), pod("p1").gpus(3), pod("p2").gpus(1), pod("p3").gpus(3), pod("p4").gpus(3),
                   pod("p5").gpus(4), pod("p6").gpus(2), pod("want").gpus(5)});
  cluster.bind("p0", "n0", {0, 1});
  cluster.bind("p1", "n0", {2, 3, 4});
  cluster.bind("p2", "n1", {0});
  cluster.bind("p3", "n1", {1, 2, 3});
  cluster.bind("p4", "n1", {4, 5, 6});
  cluster.bind("p5", "n2", {0, 1, 2, 3});
  cluster.bind("p6", "n2", {4, 5});
  const DefragAnswer answer = moves_for(cluster, {cluster.pod("want")});
  CHECK(answer.optimal);
  CHECK(answer.devices == 3);  // not 4, by p3 for p0
  CHECK(texts(cluster, answer.moves) == std::vector<std::string>{"p2: n1 -> n2", "p0: n0 -> n1"});
}

TEST_CASE("pods that swap places need a third one") {
  Cluster cluster(
      {node("x").gpus(3).label("n", "x"), node("y").gpus(3).label("n", "y"), node("t").gpus(1).label("n", "t")},
      {pod("three").gpus(3), pod("one").gpus(1), pod("gang-0").gpus(2).selects("n", "x"),
       pod("gang-1").gpus(1).selects("n", "t")});
  cluster.bind("three", "x", {0, 1, 2});
  cluster.bind("one", "y", {0});
  const DefragAnswer answer = moves_for(cluster, {cluster.pod("gang-0"), cluster.pod("gang-1")});
  REQUIRE(answer.outcome == DefragOutcome::kPlan);
  CHECK(answer.optimal);
  CHECK(texts(cluster, answer.moves) == std::vector<std::string>{"one: y -> t", "three: x -> y", "one: t -> x"});
  CHECK(answer.devices == 5);
}

TEST_CASE("what nothing helps, and what the limit leaves open") {
  Cluster cluster({node("a").gpus(2), node("b").gpus(2)}, {pod("x").gpus(1), pod("y").gpus(2), pod("wanted").gpus(2),
                                                           pod("huge").gpus(3), pod("fits").gpus(1)});
  cluster.bind("x", "a", {0});
  cluster.bind("y", "b", {0, 1});
  CHECK(moves_for(cluster, {cluster.pod("wanted")}).outcome == DefragOutcome::kNoPlan);
  CHECK(moves_for(cluster, {cluster.pod("huge")}).outcome == DefragOutcome::kNoPlan);
  const DefragAnswer none_needed = moves_for(cluster, {cluster.pod("fits")});
  CHECK(none_needed.outcome == DefragOutcome::kPlan);
  CHECK(none_needed.moves.empty());
  const std::vector wanted{cluster.pod("wanted")};
  CHECK(find_moves(cluster.usage, {}, wanted, {}, {.moves = 8, .steps = 1}, {}).outcome == DefragOutcome::kUndecided);
  const std::vector<PodFacts> facts(2, {{}, {}, {}, PodControl::kPlaceholder, {}});
  CHECK(find_moves(cluster.usage, {facts, {}}, wanted, {}, {}, {}).at_least > 8);
}

TEST_CASE("alternatives are compared on the same cluster") {
  std::vector<testing::PodSpec> pods;
  for (const char* const name : {"n0", "n1", "n2"}) pods.push_back(pod(name).gpus(1));
  pods.push_back(pod("train").gpus(8));
  Cluster cluster({node("a").gpus(8), node("b").gpus(8)}, pods);
  placement::Options spread;
  spread.policy = placement::Policy::kSpread;
  const std::vector<Alternative> alternatives{{"policy=binpack", {}}, {"policy=spread", spread}};
  const ClusterUsage before = cluster.usage;
  const auto rows = compare(cluster.usage, cluster.pods, alternatives, std::vector<int>{8});
  CHECK(cluster.usage == before);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].placed == 4);
  CHECK(rows[0].pending == 0);
  CHECK(rows[0].nodes == 2);
  CHECK(rows[0].exclusive.free == 5);
  CHECK((rows[0].least_used_percent == 37 && rows[0].most_used_percent == 100));
  CHECK(rows[1].pending == 1);
  CHECK(rows[1].exclusive.largest_block == 7);
  CHECK(rows[1].exclusive.rows.front().stranded == 13);
}

}  // namespace gpusched::whatif
