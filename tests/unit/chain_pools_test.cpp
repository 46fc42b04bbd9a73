#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/chain/changes.hpp"
#include "gpusched/chain/derive.hpp"
#include "gpusched/chain/links.hpp"
#include "gpusched/chain/topology.hpp"
#include "support/chain_builders.hpp"

namespace gpusched::chain {
namespace {

Chain computed(const ChainInput& input) {
  Result<Chain> chain = compute(input);
  REQUIRE(chain);
  return *std::move(chain);
}

std::vector<std::string> writes_of(const Pool& pool) {
  std::vector<std::string> writes;
  for (const Write& write : pool.writes) writes.push_back(write.what);
  return writes;
}

/// The chain after a change, its queues being where the chain before left them.
Chain after(const ChainInput& before, ChainInput changed, const std::vector<std::string>& reserved = {}) {
  const Chain chain = computed(before);
  changed.queues = live_queues(chain, reserved);
  changed.types = live_types(chain);
  return computed(changed);
}

}  // namespace

TEST_CASE("a-new-pool-is-held-filled-and-released") {
  const ChainInput input = cluster(1, {1, 4});
  const Chain chain = computed(input);
  const Pool* const pool = find_pool(chain, kT4Pool);
  REQUIRE(pool != nullptr);
  CHECK(writes_of(*pool).size() == 3);
  CHECK(pool->state.policy == StopPolicy::kNone);
  CHECK(pool->groups.front().nominal == kUnitsPerCard);  // the smaller nodes are packed first
  CHECK(pool->groups.back().nominal == 4 * kUnitsPerCard);
  CHECK(pool->cpu == "8");
  CHECK(broken_links(chain, input.settings).empty());
}

TEST_CASE("a-pool-drains-and-comes-back-with-its-policy") {
  const ChainInput both = cluster(1, {1});
  ChainInput without = both;
  REQUIRE(remove_node(without, "t4-0"));
  const Chain drained = after(both, without, {kT4Pool});
  const Pool* const pool = find_pool(drained, kT4Pool);
  REQUIRE(pool != nullptr);
  CHECK(pool->state.policy == StopPolicy::kHoldAndDrain);
  CHECK(pool->groups.empty());
  CHECK(pool->drained);
  CHECK_FALSE(pool->state.inactive);  // nothing is copied into the type while a pool waits for flavors
  CHECK(std::ranges::find(pool->writes, Actor::kKueue, &Write::actor) != pool->writes.end());

  ChainInput again = both;
  again.queues = live_queues(drained, {});
  again.types = live_types(drained);
  const Chain recovered = computed(again);
  const Pool* const back = find_pool(recovered, kT4Pool);
  REQUIRE(back != nullptr);
  CHECK(back->state.policy == StopPolicy::kNone);
  CHECK(back->groups.size() == 1);
}

TEST_CASE("without-the-drain-setting-a-reserved-pool-waits") {
  ChainInput both = cluster(1, {1});
  both.settings.drain_when_no_flavors = false;
  ChainInput without = both;
  REQUIRE(remove_node(without, "t4-0"));
  const Chain waiting = after(both, without, {kT4Pool});
  CHECK(find_pool(waiting, kT4Pool)->state.policy == StopPolicy::kNone);
  CHECK(find_pool(waiting, kT4Pool)->groups.size() == 1);
  const Chain idle = after(both, without);
  CHECK(find_pool(idle, kT4Pool)->groups.empty());
}

TEST_CASE("two-profiles-of-one-flavor-keep-their-suffix") {
  ChainInput input = cluster(0, {1, 1});
  REQUIRE(set_label(input, "t4-0", "topology.kubernetes.io/zone", "a"));
  REQUIRE(set_levels(input, {"topology.kubernetes.io/zone"}));
  const Chain chain = computed(input);
  const auto suffixed = [](const Flavor& flavor) { return flavor.name.ends_with("-" + flavor.key.profile); };
  CHECK(chain.flavors.size() == 4);
  CHECK(std::ranges::all_of(chain.flavors, suffixed));
  CHECK(find_pool(chain, kT4Pool)->groups.size() == 2);
  CHECK_FALSE(set_levels(input, {"kubernetes.io/hostname"}));
  CHECK_FALSE(set_levels(input, {"a", "a"}));
}

TEST_CASE("an-accelerator-changes-its-mode-when-it-is-free") {
  ChainInput input = cluster(0, {2});
  objects::AcceleratorGroup& group = input.devices.front().groups.front();
  group.name = "NVIDIA H100 80GB HBM3";
  group.memory_mib = 81920;
  REQUIRE(flip_partitioning(input, "t4-0", 1));
  CHECK(group.accelerators[1].physical_count == 7);
  CHECK(group.accelerators[1].logical_count == 0);
  REQUIRE(flip_partitioning(input, "t4-0", 1));
  CHECK(group.accelerators[1].physical_count == 0);
  CHECK(group.accelerators[1].logical_count == 128);
  input.devices.front().ledger.front().rows[1].remaining = 0;
  CHECK_FALSE(flip_partitioning(input, "t4-0", 1));
  CHECK_FALSE(flip_partitioning(input, "t4-0", 9));
  CHECK_FALSE(flip_partitioning(input, "t4-1", 0));
}

TEST_CASE("plans-refuse-what-no-queue-may-have") {
  const LabelMap all = {{"a", "1"}};
  const LabelMap node = {{"a", "1"}, {"b", "1"}};
  PlanWorld world;
  world.topologies = {"t"};
  world.nodes = {&node};
  const PlanFlavor flavor{"f", 1, 1, "p", "t", &all};
  const auto problem = [&](std::vector<PlanFlavor> flavors) { return plan_quota("cpu", 1, flavors, world).problem; };
  CHECK(problem({flavor}) == PlanProblem::kNone);
  CHECK(problem({flavor, {"g", 1, 1, "p", "t", &all}}) == PlanProblem::kOverlappingSelectors);
  CHECK(problem({{"f", 1, 2, "p", "t", &all}}) == PlanProblem::kNonConservedQuota);
  CHECK(problem({{"f", 1, 1, "p", "other", &all}}) == PlanProblem::kMissingTopology);
  CHECK(problem({{"f", 1, 1, "", "", &all}}) == PlanProblem::kMissingTopology);
  constexpr std::int64_t kHuge = std::int64_t{1} << 50;
  CHECK(plan_quota("c", kUnitsPerCard, {{"f", kHuge, kHuge, "p", "t", &all}}, world).problem ==
        PlanProblem::kQuotaOverflow);
  world.migration_consistent = false;
  CHECK(problem({flavor}) == PlanProblem::kInvalidMigrationState);
  world.has_groups = true;
  world.tas_queue = false;
  CHECK(problem({flavor}) == PlanProblem::kUnsupportedExistingObject);
  world.existing_resources = {"cpu", "cpu"};
  CHECK(problem({flavor}) == PlanProblem::kDuplicateCoveredResource);
}

TEST_CASE("devices-derived-from-gpu-feature-discovery") {
  ChainInput input = cluster(1, {});
  objects::Node& node = input.nodes.front();
  node.meta.labels.edit().insert(node.meta.labels->end(), {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"},
                                                           {"nvidia.com/gpu.count", "8"},
                                                           {"nvidia.com/gpu.memory", "81920"}});
  node.status.capacity.emplace_back("nvidia.com/gpu", Quantity::from_int64(8));
  CHECK(derive_devices(input).size() == 1);
  const Chain chain = computed(input);
  const Pool* const pool = find_pool(chain, "gpustack--nvidia-a100-sxm4-80gb-linux-amd64");
  REQUIRE(pool != nullptr);
  CHECK(column(pool->views) == "8/8 8/80 100/800 0/0");
  CHECK(derive_devices(input).empty());
}

TEST_CASE("the-first-broken-link-of-a-node") {
  ChainInput input = cluster(0, {1, 1, 1});
  input.nodes[0].meta.labels.edit().emplace_back(kManaged, "false");
  input.devices[1].ledger.clear();
  input.nodes[2].status.capacity.emplace_back("nvidia.com/gpu", Quantity::from_int64(1));
  const Chain chain = computed(input);
  std::vector<Link> found;
  for (const BrokenLink& link : broken_links(chain, input.settings)) found.push_back(link.link);
  CHECK(found == std::vector{Link::kNode, Link::kDeviceLedger, Link::kCapacity});
}

TEST_CASE("levels-that-form-no-tree-do-not-count") {
  struct Case {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels;  // of the two nodes: key, value of each
    std::vector<std::pair<std::string, std::string>> others;
    bool good;
  };
  const Case cases[] = {
      {"tree", {{"zone", "a"}, {"rack", "1"}}, {{"zone", "a"}, {"rack", "2"}}, true},
      {"parent-alone", {{"zone", "a"}, {"rack", "1"}}, {{"zone", "b"}}, true},
      {"no-label", {{"zone", "a"}, {"rack", "1"}}, {}, true},
      {"child-without-parent", {{"zone", "a"}, {"rack", "1"}}, {{"rack", "2"}}, false},
      {"child-below-two-parents", {{"zone", "a"}, {"rack", "1"}}, {{"zone", "b"}, {"rack", "1"}}, false},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    ChainInput input = cluster(0, {1, 1});
    for (const auto& [key, value] : c.labels) REQUIRE(set_label(input, "t4-0", key, value));
    for (const auto& [key, value] : c.others) REQUIRE(set_label(input, "t4-1", key, value));
    REQUIRE(set_levels(input, {"zone", "rack"}));
    CHECK(hierarchy_problem(input.topology_sources.front(), input.nodes).has_value() != c.good);
    const Chain chain = computed(input);
    const bool noted =
        std::ranges::any_of(chain.notes, [](const auto& note) { return note.code == "invalid-hierarchy"; });
    CHECK(noted != c.good);
    CHECK((chain.nodes.front().levels.size() == 3) == c.good);
  }
}

}  // namespace gpusched::chain
