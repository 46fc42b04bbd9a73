// The placer's tree and the search for victims find what looking at everything finds.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gpusched/placement/place.hpp"
#include "gpusched/placement/preemption.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::placement {
namespace {

using testing::Cluster;
using testing::Random;

NodeId best_of_all(const ClusterUsage& usage, const NodeFilter& filter) {
  std::optional<std::pair<std::uint64_t, std::string_view>> best;
  for (std::size_t n = 0; n < usage.shape().nodes.size(); ++n) {
    const Verdict verdict = filter.evaluate(usage, NodeId{n});
    if (verdict.reason.kind != ReasonKind::kFits) continue;
    const std::pair candidate(verdict.key, usage.shape().name(NodeId{n}));
    if (!best || candidate < *best) best = candidate;
  }
  return best ? usage.shape().find_node(best->second) : NodeId{};
}

std::map<Reason, std::uint32_t> reasons_of_all(const ClusterUsage& usage, const NodeFilter& filter) {
  std::map<Reason, std::uint32_t> counts;
  for (std::size_t n = 0; n < usage.shape().nodes.size(); ++n) {
    const Reason reason = filter.evaluate(usage, NodeId{n}).reason;
    if (reason.kind != ReasonKind::kFits) ++counts[reason];
  }
  return counts;
}

/// Lowest highest priority, fewest GPUs, fewest victims, first name.
using Cost = std::tuple<std::int32_t, std::size_t, std::size_t, std::string>;

Cost cost_of(const ClusterUsage& usage, NodeId node, const std::vector<PodId>& victims) {
  std::int32_t priority = std::numeric_limits<std::int32_t>::min();
  std::size_t gpus = 0;
  for (const PodId victim : victims) {
    priority = std::max(priority, usage.pod_class(victim).priority);
    gpus += usage.shares(victim).size();
  }
  return {priority, gpus, victims.size(), std::string(usage.shape().name(node))};
}

/// Every set of victims of every node.
std::optional<Cost> cheapest_eviction(const ClusterUsage& usage, const NodeFilter& filter) {
  std::optional<Cost> best;
  const PodClass& wanted = filter.pod_class();
  for (std::size_t n = 0; n < usage.shape().nodes.size(); ++n) {
    const NodeId node{n};
    std::vector<PodId> candidates;
    for (PodId pod = usage.first_pod(node); pod.valid(); pod = usage.next_pod(pod)) {
      const PodClass& pod_class = usage.pod_class(pod);
      if (!pod_class.fixed && pod_class.priority < wanted.priority) candidates.push_back(pod);
    }
    REQUIRE(candidates.size() <= 12);
    for (std::size_t set = 1; set < std::size_t{1} << candidates.size(); ++set) {
      std::vector<PodId> victims;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if ((set >> i & 1U) != 0) victims.push_back(candidates[i]);
      }
      const Cost cost = cost_of(usage, node, victims);
      if (best && *best <= cost) continue;
      ClusterUsage without = usage;
      for (const PodId victim : victims) without.unbind(victim);
      if (filter.evaluate(without, node).reason.kind == ReasonKind::kFits) best = cost;
    }
  }
  return wanted.preempts ? best : std::nullopt;
}

}  // namespace

TEST_CASE("the placer finds the node that looking at all nodes finds") {
  std::size_t placed = 0;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    // Many nodes make the tree deep; more classes than trees make it forget.
    const int nodes = random.one_in(4) ? 40 : 6;
    Cluster cluster(testing::random_nodes(random, {.max_nodes = nodes}),
                    testing::random_pods(random, random.one_in(10) ? 150 : 30));
    ClusterUsage& usage = cluster.usage;
    Placer placer(usage, testing::random_options(random));
    for (int step = 0; step < 120; ++step) {
      const PodId pod = random.pick(cluster.pods);
      if (usage.node_of(pod).valid()) {  // changes that the placer did not make
        usage.unbind(pod);
        continue;
      }
      if (random.one_in(10)) {
        const NodeId node{static_cast<std::size_t>(random.below(static_cast<int>(usage.shape().nodes.size())))};
        usage.set_cordoned(node, random.one_in(2));
      }
      const NodeFilter filter(usage.shape(), usage.pod_class_id(pod), placer.options());
      const auto expected_reasons = reasons_of_all(usage, filter);
      std::map<Reason, std::uint32_t> reasons;
      for (const ReasonGroup& group : *placer.reasons(usage.pod_class_id(pod))) reasons[group.reason] = group.count;
      CHECK(reasons == expected_reasons);
      const NodeId expected = best_of_all(usage, filter);
      const ClusterUsage::Mark mark = usage.mark();
      CHECK(placer.place(pod) == expected);
      CHECK(usage.node_of(pod) == expected);
      placed += expected.valid() ? 1 : 0;
      if (random.one_in(6)) usage.revert(mark);
    }
  }
  CHECK(placed > 3000);
}

TEST_CASE("the victims are the cheapest of all sets of victims") {
  std::size_t found_some = 0;
  std::size_t found_none = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const testing::Variety variety{.max_nodes = 3, .max_gpus = 6};
    std::vector<testing::PodSpec> pods = testing::random_pods(random, random.between(3, 14), variety);
    pods.push_back(testing::random_pod(random, "wanted", variety).priority(random.between(1, 5)));
    Cluster cluster(testing::random_nodes(random, variety), pods);
    ClusterUsage& usage = cluster.usage;
    const Options options = testing::random_options(random);
    const PodId wanted = cluster.pods.back();
    {
      Placer placer(usage, options);
      for (std::size_t i = 0; i + 1 < cluster.pods.size(); ++i) {
        if (usage.shape().nodes.size() > 0) static_cast<void>(placer.place(cluster.pods[i]));
      }
    }
    const NodeFilter filter(usage.shape(), usage.pod_class_id(wanted), options);
    bool crowded = best_of_all(usage, filter).valid();
    for (std::size_t n = 0; n < usage.shape().nodes.size(); ++n) crowded |= usage.used(NodeId{n}, kPods) > 8;
    if (crowded) continue;  // fits already, or too many sets to try
    const ClusterUsage before = usage;
    const std::optional<Preemption> found = find_preemption(usage, filter);
    CHECK(usage == before);
    const std::optional<Cost> expected = cheapest_eviction(usage, filter);
    REQUIRE(found.has_value() == expected.has_value());
    if (found) {
      CHECK(cost_of(usage, found->node, found->victims) == *expected);
      CHECK(std::ranges::is_sorted(found->victims));
    }
    (found ? found_some : found_none) += 1;
  }
  CHECK(found_some > 100);
  CHECK(found_none > 100);
}

}  // namespace gpusched::placement
