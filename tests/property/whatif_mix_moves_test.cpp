// Layouts for a mix when pods may move first are as good as the best after any moves of each pod to another node.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "gpusched/placement/filter.hpp"
#include "support/random_cluster.hpp"
#include "whatif/mix_gpus.hpp"

namespace gpusched::whatif {
namespace {

using testing::Cluster;
using testing::Random;

/// Tries every order of moves.
class BruteForce {
 public:
  BruteForce(Cluster& cluster, const std::vector<MixEntry>& mix, const Disruption& disruption)
      : usage_(cluster.usage), gpus_(cluster.shape(), mix), disruption_(disruption) {}

  MixCost run() {
    visit(0, {});
    return best_;
  }

 private:
  void visit(int moves, std::set<PodId> moved) {
    const MixPlan plan = gpus_.best(usage_);
    MixCost cost = plan.cost;
    cost.price.moves = moves * kMoveCost;
    best_ = first_ ? cost : std::min(best_, cost);
    first_ = false;
    for (std::size_t i = 0; i < usage_.pod_count(); ++i) {
      const PodId pod{i};
      const NodeId from = usage_.node_of(pod);
      if (!from.valid() || moved.contains(pod) || usage_.cordoned(from) ||
          immovable(usage_, disruption_, pod) != Immovable::kNot) {
        continue;
      }
      const auto mark = usage_.mark();
      usage_.unbind(pod);
      moved.insert(pod);
      const placement::NodeFilter filter(usage_.shape(), usage_.pod_class_id(pod), {});
      for (const NodeId node : usage_.shape().nodes_by_name) {
        if (node == from || filter.evaluate(usage_, node).reason.kind != placement::ReasonKind::kFits) continue;
        const auto inner = usage_.mark();
        usage_.bind(pod, node, filter.choose(usage_, node));
        visit(moves + 1, moved);
        usage_.revert(inner);
      }
      moved.erase(pod);
      usage_.revert(mark);
    }
  }

  ClusterUsage& usage_;
  MixGpus gpus_;
  const Disruption& disruption_;
  MixCost best_;
  bool first_ = true;
};

MixCost cost_of(const RepartitionAnswer& answer, const std::vector<MixEntry>& mix) {
  MixCost cost;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    cost.instances -= answer.rows[i].served;
    cost.slices -= answer.rows[i].served * (mix[i].profile[0] - '0');
  }
  cost.price.moves = answer.moves ? kMoveCost * std::ssize(answer.moves->moves) : 0;
  cost.price.changed = std::ssize(answer.gpus);
  for (const RepartitionedGpu& gpu : answer.gpus) {
    cost.price.enabled += gpu.enable_mig ? 1 : 0;
    cost.price.destroyed += std::ssize(gpu.destroyed);
    cost.price.created += std::ssize(gpu.created);
  }
  return cost;
}

Cluster random_cluster(Random& random) {
  const std::vector<std::vector<std::string>> layouts = {
      {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"}, {"1g.10gb", "1g.10gb", "1g.10gb"}, {"1g.10gb", "2g.20gb"}};
  std::vector<testing::NodeSpec> nodes;
  std::vector<std::string> profiles{"1g.10gb", "2g.20gb"};
  for (int n = random.between(2, 3); n > 0; --n) {
    testing::NodeSpec node = testing::node("n" + std::to_string(n));
    switch (nodes.empty() ? 3 : random.below(4)) {
      case 0:
        node.gpus(random.between(1, 2));
        break;
      case 1:
        node.gpus(random.between(1, 2), "L40S", 48);  // cannot be partitioned
        break;
      default:
        node.gpus(1).mig({random.pick(layouts)});
    }
    nodes.push_back(node);
  }
  std::vector<testing::PodSpec> pods;
  for (int p = random.between(1, 4); p > 0; --p) {
    testing::PodSpec pod = testing::pod("p" + std::to_string(p));
    if (random.one_in(2)) {
      pod.gpus(random.between(1, 2));
    } else {
      pod.mig(random.pick(profiles));
    }
    pods.push_back(pod);
  }
  Cluster cluster(nodes, pods);
  for (const testing::PodSpec& pod : pods) {
    const PodId id = cluster.pod(pod.name());
    const placement::NodeFilter filter(cluster.shape(), cluster.usage.pod_class_id(id), {});
    for (std::size_t tries = 0; tries < 6 && !cluster.usage.node_of(id).valid(); ++tries) {
      const NodeId node{static_cast<std::size_t>(random.below(static_cast<int>(nodes.size())))};
      if (filter.evaluate(cluster.usage, node).reason.kind == placement::ReasonKind::kFits) {
        cluster.usage.bind(id, node, filter.choose(cluster.usage, node));
      }
    }
  }
  return cluster;
}

/// The moves can be made in their order, and leave behind what the answer counts on.
void replay(Cluster& cluster, const RepartitionAnswer& answer, const std::vector<MixEntry>& mix) {
  std::set<PodId> moved;
  const auto mark = cluster.usage.mark();
  for (const Move& move : answer.moves->moves) {
    CHECK(moved.insert(move.pod).second);
    CHECK(cluster.usage.node_of(move.pod) == move.from);
    CHECK(move.from != move.to);
    cluster.usage.unbind(move.pod);
    const placement::NodeFilter filter(cluster.shape(), cluster.usage.pod_class_id(move.pod), {});
    REQUIRE(filter.evaluate(cluster.usage, move.to).reason.kind == placement::ReasonKind::kFits);
    cluster.usage.bind(move.pod, move.to, move.shares);
  }
  const auto again = repartition_for(cluster.usage, mix);
  REQUIRE(again);
  for (std::size_t i = 0; i < mix.size(); ++i) CHECK(again->rows[i].served == answer.rows[i].served);
  CHECK(again->gpus.size() == answer.gpus.size());
  cluster.usage.revert(mark);
}

}  // namespace

TEST_CASE("moves before a repartition serve as much as any, with as few of them") {
  constexpr std::array kProfiles = {"7g.80gb", "4g.40gb", "3g.40gb", "2g.20gb", "1g.10gb"};
  std::size_t moved = 0;
  std::size_t served_more = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random);
    std::vector<MixEntry> mix;
    for (const char* const profile : kProfiles) {
      if (mix.size() < 2 && random.one_in(3)) mix.push_back({profile, random.between(1, 3)});
    }
    std::vector<PodFacts> facts(cluster.usage.pod_count());
    for (PodFacts& fact : facts) {
      if (random.one_in(6)) fact.control = PodControl::kStays;
    }
    const Disruption disruption{facts, {}};
    const ClusterUsage before = cluster.usage;
    const auto without = repartition_for(cluster.usage, mix);
    const auto with = repartition_with_moves(cluster.usage, mix, disruption, {});
    REQUIRE(without);
    REQUIRE(with);
    CHECK(cluster.usage == before);
    CHECK(cost_of(*with, mix) <= cost_of(*without, mix));
    for (std::size_t i = 0; i < mix.size(); ++i) CHECK(with->rows[i].free_now == without->rows[i].free_now);
    CHECK(with->optimal);
    CHECK(cost_of(*with, mix) == BruteForce(cluster, mix, disruption).run());
    replay(cluster, *with, mix);
    moved += with->moves->moves.empty() ? 0 : 1;
    served_more += cost_of(*with, mix).instances < cost_of(*without, mix).instances ? 1 : 0;
  }
  CHECK(moved > 40);
  CHECK(served_more > 30);
}

TEST_CASE("a cluster that is too large to search is never worse off for moves") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<testing::NodeSpec> nodes;
    std::vector<testing::PodSpec> pods;
    for (int n = 0; n < 200; ++n) {
      nodes.push_back(testing::node("n" + std::to_string(n)).gpus(8).one_island());
    }
    for (int p = 0; p < 500; ++p) {
      pods.push_back(testing::pod("p" + std::to_string(p)).gpus(random.between(1, 4)));
    }
    Cluster cluster(nodes, pods);
    for (const PodId pod : cluster.pods) {
      const placement::NodeFilter filter(cluster.shape(), cluster.usage.pod_class_id(pod), {});
      for (int tries = 0; tries < 20 && !cluster.usage.node_of(pod).valid(); ++tries) {
        const NodeId node{static_cast<std::size_t>(random.below(200))};
        if (filter.evaluate(cluster.usage, node).reason.kind == placement::ReasonKind::kFits) {
          cluster.usage.bind(pod, node, filter.choose(cluster.usage, node));
        }
      }
    }
    const std::vector<MixEntry> mix{{"3g.40gb", 900}, {"1g.10gb", 500}};
    const ClusterUsage before = cluster.usage;
    const auto without = repartition_for(cluster.usage, mix);
    const auto with = repartition_with_moves(cluster.usage, mix, {}, {});
    REQUIRE(without);
    REQUIRE(with);
    CHECK(cluster.usage == before);
    CHECK(cost_of(*with, mix) <= cost_of(*without, mix));
    replay(cluster, *with, mix);
  }
}

}  // namespace gpusched::whatif
