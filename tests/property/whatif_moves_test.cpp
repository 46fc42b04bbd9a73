// Searches over moves find what trying everything finds, and their plans can be carried out.
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gpusched/placement/place.hpp"
#include "gpusched/whatif/defrag.hpp"
#include "gpusched/whatif/drain.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::whatif {
namespace {

using testing::Cluster;
using testing::Random;

constexpr int kMaxMoves = 3;

void place_all_but_last(Cluster& cluster, const placement::Options& options) {
  placement::Placer placer(cluster.usage, options);
  for (std::size_t i = 0; i + 1 < cluster.pods.size(); ++i) static_cast<void>(placer.place(cluster.pods[i]));
}

using Cost = std::pair<std::size_t, std::int64_t>;  // moves, devices moved

/// Every order of every move of every pod.
class TryAll {
 public:
  TryAll(ClusterUsage& usage, const std::vector<PodId>& wanted, const placement::Options& options)
      : usage_(usage), wanted_(wanted), options_(options) {
    sort_for_placing(usage_, wanted_);
  }

  std::optional<Cost> run() {
    extend({0, 0});
    return best_;
  }

 private:
  bool wanted_fit() {
    const ClusterUsage::Mark mark = usage_.mark();
    bool all = true;
    {
      placement::Placer placer(usage_, options_);
      for (const PodId pod : wanted_) all = all && placer.place(pod).valid();
    }
    usage_.revert(mark);
    return all;
  }

  void extend(Cost cost) {
    if (best_ && cost >= *best_) return;
    if (wanted_fit()) {
      best_ = cost;
      return;
    }
    if (cost.first == kMaxMoves) return;
    for (std::size_t i = 0; i < usage_.pod_count(); ++i) {
      const PodId pod{i};
      if (!usage_.node_of(pod).valid() || immovable(usage_, {}, pod) != Immovable::kNot) continue;
      const placement::NodeFilter filter(usage_.shape(), usage_.pod_class_id(pod), options_);
      for (const NodeId node : usage_.shape().nodes_by_name) {
        const ClusterUsage::Mark mark = usage_.mark();
        usage_.unbind(pod);
        if (filter.evaluate(usage_, node).reason.kind == placement::ReasonKind::kFits) {
          usage_.bind(pod, node, filter.choose(usage_, node));
          extend({cost.first + 1, cost.second + devices_held(usage_, pod)});
        }
        usage_.revert(mark);
      }
    }
  }

  ClusterUsage& usage_;
  std::vector<PodId> wanted_;
  const placement::Options& options_;
  std::optional<Cost> best_;
};

/// Small nodes that are nearly full: what the searches are for.
std::vector<testing::NodeSpec> crowded_nodes(Random& random, int most) {
  std::vector<testing::NodeSpec> nodes;
  for (int i = random.between(2, most); i > 0; --i) {
    testing::NodeSpec spec = testing::node("n" + std::to_string(i));
    spec.gpus(random.between(1, 4), random.one_in(4) ? "L40S" : "A100-SXM4-80GB");
    random.one_in(2) ? spec.islands({{0}}) : spec.one_island();
    if (random.one_in(3)) spec.allocatable("cpu", random.between(1, 4) * 500);
    nodes.push_back(spec.label("zone", random.one_in(2) ? "a" : "b"));
  }
  return nodes;
}

testing::PodSpec small_pod(Random& random, const std::string& name, int most_gpus) {
  testing::PodSpec spec = testing::pod(name);
  spec.gpus(random.between(1, most_gpus));
  if (random.one_in(3)) spec.requests("cpu", 500);
  if (random.one_in(4)) spec.selects("zone", random.one_in(2) ? "a" : "b");
  if (random.one_in(5)) spec.model("A100-SXM4-80GB");
  if (random.one_in(3)) spec.nvlink();
  return spec;
}

/// Makes the moves one after another on nodes that have room, then places the pods.
void carry_out(ClusterUsage usage, const DefragAnswer& answer, const placement::Options& options) {
  for (const Move& move : answer.moves) {
    REQUIRE(usage.node_of(move.pod) == move.from);
    usage.unbind(move.pod);
    const placement::NodeFilter filter(usage.shape(), usage.pod_class_id(move.pod), options);
    REQUIRE(filter.evaluate(usage, move.to).reason.kind == placement::ReasonKind::kFits);
    CHECK(filter.choose(usage, move.to) == move.shares);
    usage.bind(move.pod, move.to, move.shares);
  }
  for (const OpenedPlace& place : answer.places) {
    const placement::NodeFilter filter(usage.shape(), usage.pod_class_id(place.pod), options);
    REQUIRE(place.node.valid());
    REQUIRE(filter.evaluate(usage, place.node).reason.kind == placement::ReasonKind::kFits);
    usage.bind(place.pod, place.node, place.shares);
  }
}

/// The policy's choice, but for some nodes.
NodeId place_beside(ClusterUsage& usage, PodId pod, const placement::Options& options,
                    const std::vector<NodeId>& gone) {
  const placement::NodeFilter filter(usage.shape(), usage.pod_class_id(pod), options);
  std::optional<std::pair<std::uint64_t, std::uint32_t>> best;
  NodeId choice;
  for (const NodeId node : usage.shape().nodes_by_name) {
    const placement::Verdict verdict = filter.evaluate(usage, node);
    const std::pair key(verdict.key, usage.shape().name_rank[node.index()]);
    if (verdict.reason.kind != placement::ReasonKind::kFits || std::ranges::find(gone, node) != gone.end()) continue;
    if (!best || key < *best) {
      best = key;
      choice = node;
    }
  }
  if (choice.valid()) usage.bind(pod, choice, filter.choose(usage, choice));
  return choice;
}

}  // namespace

TEST_CASE("the moves are the fewest of all plans, with the fewest GPUs") {
  std::size_t with_moves = 0;
  std::size_t without_plan = 0;
  std::size_t long_plans = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const testing::Variety variety{
        .max_nodes = 3, .max_gpus = 4, .fractions = random.one_in(4), .rules = true, .priorities = false};
    const bool crowded = !random.one_in(4);
    const int running = random.between(2, crowded ? 5 : 6);
    std::vector<testing::PodSpec> pods;
    for (int i = 0; i < running; ++i) {
      const std::string name = "p" + std::to_string(i);
      pods.push_back(crowded ? small_pod(random, name, 2) : testing::random_pod(random, name, variety));
    }
    const int gang = random.one_in(4) ? 2 : 1;
    const testing::PodSpec wanted =
        crowded ? small_pod(random, "wanted", gang > 1 ? 2 : 4) : testing::random_pod(random, "wanted", variety);
    for (int i = 0; i < gang; ++i) pods.push_back(wanted);
    Cluster cluster(crowded ? crowded_nodes(random, 3) : testing::random_nodes(random, variety), pods);
    ClusterUsage& usage = cluster.usage;
    const placement::Options options = testing::random_options(random);
    const std::vector<PodId> asked(cluster.pods.end() - gang, cluster.pods.end());
    {
      placement::Options spread = options;
      if (!spread.scoring && random.one_in(2)) spread.policy = placement::Policy::kSpread;
      placement::Placer placer(usage, spread);
      for (int i = 0; i < running; ++i) static_cast<void>(placer.place(cluster.pods[static_cast<std::size_t>(i)]));
    }
    const ClusterUsage before = usage;
    const DefragAnswer answer = find_moves(usage, {}, asked, options, {.moves = kMaxMoves, .steps = 50'000'000}, {});
    CHECK(usage == before);
    const std::optional<Cost> expected = TryAll(usage, asked, options).run();
    REQUIRE(answer.outcome == (expected ? DefragOutcome::kPlan : DefragOutcome::kNoPlan));
    if (!expected) {
      ++without_plan;
      continue;
    }
    CHECK(answer.optimal);
    CHECK(Cost(answer.moves.size(), answer.devices) == *expected);
    CHECK(answer.at_least <= static_cast<int>(answer.moves.size()));
    carry_out(usage, answer, options);
    with_moves += answer.moves.empty() ? 0 : 1;
    long_plans += answer.moves.size() > 1 ? 1 : 0;
  }
  CHECK(with_moves > 150);
  CHECK(long_plans > 30);
  CHECK(without_plan > 100);
}

TEST_CASE("the moves are the fewest where every bound is below them") {
  std::size_t above_bound = 0;
  std::size_t far_above_bound = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    // Large nodes that are nearly full of pods that are hard to fit: a pod that leaves finds no room but after others.
    std::vector<testing::NodeSpec> nodes;
    for (int i = 0; i < 3; ++i) {
      nodes.push_back(testing::node("n" + std::to_string(i)).gpus(random.between(5, 8), "L4", 24));
    }
    std::vector<testing::PodSpec> pods;
    for (int i = random.between(5, 7); i > 0; --i) {
      pods.push_back(testing::pod("p" + std::to_string(i)).gpus(random.between(1, 4)));
    }
    pods.push_back(testing::pod("wanted").gpus(random.between(4, 5)));
    Cluster cluster(nodes, pods);
    ClusterUsage& usage = cluster.usage;
    placement::Options options = testing::random_options(random);
    placement::Options spread = options;
    if (!spread.scoring) spread.policy = placement::Policy::kSpread;
    place_all_but_last(cluster, spread);
    const std::vector<PodId> asked{cluster.pods.back()};
    const DefragAnswer answer = find_moves(usage, {}, asked, options, {.moves = kMaxMoves, .steps = 50'000'000}, {});
    const std::optional<Cost> expected = TryAll(usage, asked, options).run();
    REQUIRE(answer.outcome == (expected ? DefragOutcome::kPlan : DefragOutcome::kNoPlan));
    CHECK(answer.at_least <= static_cast<int>(expected ? expected->first : kMaxMoves + 1));
    if (!expected) continue;
    CHECK(answer.optimal);
    CHECK(Cost(answer.moves.size(), answer.devices) == *expected);
    carry_out(usage, answer, options);
    const auto above = static_cast<int>(expected->first) - answer.at_least;
    above_bound += above >= 1 ? 1 : 0;
    far_above_bound += above >= 2 ? 1 : 0;
  }
  CHECK(above_bound > 60);
  CHECK(far_above_bound > 5);
}

TEST_CASE("a plan without steps to spare is a plan all the same") {
  std::size_t plans = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<testing::PodSpec> pods;
    for (int i = 0; i < 20; ++i) pods.push_back(small_pod(random, "p" + std::to_string(i), 2));
    pods.push_back(small_pod(random, "wanted", 4));
    Cluster cluster(crowded_nodes(random, 8), pods);
    const placement::Options options = testing::random_options(random);
    place_all_but_last(cluster, options);
    for (const PodId pod : cluster.pods) {  // some leave again, so that there are gaps
      if (cluster.usage.node_of(pod).valid() && random.one_in(3)) cluster.usage.unbind(pod);
    }
    const std::vector<PodId> asked{cluster.pods.back()};
    const DefragAnswer answer = find_moves(cluster.usage, {}, asked, options, {.moves = 6, .steps = 20}, {});
    if (answer.outcome != DefragOutcome::kPlan) continue;
    carry_out(cluster.usage, answer, options);
    plans += answer.moves.empty() ? 0 : 1;
  }
  CHECK(plans > 10);
}

TEST_CASE("nodes that can go are those whose pods find places when they are gone") {
  std::size_t can = 0;
  std::size_t cannot = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, 20));
    ClusterUsage& usage = cluster.usage;
    const placement::Options options = testing::random_options(random);
    {
      placement::Placer placer(usage, options);
      for (const PodId pod : cluster.pods) static_cast<void>(placer.place(pod));
    }
    const ClusterUsage before = usage;
    const DrainAnswer answer = find_drainable(usage, {}, options);
    CHECK(usage == before);
    REQUIRE(answer.nodes.size() == usage.shape().nodes.size());
    for (const NodeDrain& drain : answer.nodes) {
      ClusterUsage without = usage;
      std::vector<PodId> leaving;
      for (PodId pod = usage.first_pod(drain.node); pod.valid(); pod = usage.next_pod(pod)) leaving.push_back(pod);
      for (const PodId pod : leaving) without.unbind(pod);
      sort_for_placing(usage, leaving);
      const bool all = std::ranges::all_of(
          leaving, [&](PodId pod) { return place_beside(without, pod, options, {drain.node}).valid(); });
      CHECK(all == (drain.hindrance == Hindrance::kNone));
      (all ? can : cannot) += 1;
      for (const Move& move : drain.moves) CHECK(without.node_of(move.pod) == move.to);
    }
    // Everybody has a place once the chosen nodes are gone, and nobody is on one of them.
    ClusterUsage without = usage;
    for (const Move& move : answer.moves) without.unbind(move.pod);
    for (const NodeId node : answer.together) CHECK_FALSE(without.first_pod(node).valid());
    for (const Move& move : answer.moves) {
      CHECK(std::ranges::find(answer.together, move.to) == answer.together.end());
      const placement::NodeFilter filter(without.shape(), without.pod_class_id(move.pod), options);
      REQUIRE(filter.evaluate(without, move.to).reason.kind == placement::ReasonKind::kFits);
      without.bind(move.pod, move.to, move.shares);
    }
  }
  CHECK(can > 200);
  CHECK(cannot > 200);
}

}  // namespace gpusched::whatif
