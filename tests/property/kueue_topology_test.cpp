// A topology that remembers counts against one that is built anew for every question: the same answers, whatever was
// added, removed or replaced before. And what is placed always fits.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/topology_builders.hpp"

namespace gpusched::kueue {
namespace {

using testing::TopologyFixture;

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  int roll(int n) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(n)); }
  bool one_in(int n) { return roll(n) == 0; }

 private:
  std::mt19937 engine_;
};

struct Host {
  std::string block, rack, name;
  int gpus = 0;
  bool cordoned = false;
};

/// What is asked and held, from which a topology can be made anew.
struct World {
  std::vector<Host> hosts;
  std::map<std::string, std::map<int, int>> held;  ///< by host and GPUs a pod: pods
  TopologyFeatures features;
};

World random_world(Dice& dice) {
  World world;
  for (int i = 0; i < 4 + dice.roll(12); ++i) {
    world.hosts.push_back(
        {fmt::format("b{}", dice.roll(2)), fmt::format("r{}", dice.roll(3)), fmt::format("n{}", i), 1 << dice.roll(4)});
  }
  world.features = {.mixed_profile = !dice.one_in(4), .balanced_placement = dice.one_in(3)};
  return world;
}

std::vector<objects::Node*> add_hosts(TopologyFixture& cluster, const World& world) {
  std::vector<objects::Node*> nodes;
  for (const Host& host : world.hosts) {
    nodes.push_back(&cluster.host(host.block, host.rack, host.name, host.gpus));
    nodes.back()->spec.unschedulable = host.cordoned;
  }
  return nodes;
}

objects::PodSetTopologyRequest random_request(Dice& dice) {
  const auto level = [&] {
    return std::vector<std::string>{testing::kBlock, testing::kRack,
                                    testing::kHost}[static_cast<std::size_t>(dice.roll(3))];
  };
  objects::PodSetTopologyRequest request;
  switch (dice.roll(3)) {
    case 0:
      request = testing::required(level());
      break;
    case 1:
      request = testing::preferred(level());
      break;
    default:
      request = testing::unconstrained();
  }
  return dice.one_in(3) ? testing::sliced(std::move(request), level(), 1 + dice.roll(3)) : request;
}

using PodSets = std::vector<std::pair<PodSetNeeds, int>>;

PodSets random_pod_sets(Dice& dice, TopologyFixture& cluster) {
  PodSets pod_sets;
  for (int i = dice.one_in(3) ? 2 : 1; i > 0; --i) {
    pod_sets.emplace_back(cluster.needs(1 << dice.roll(3), random_request(dice)), dice.roll(9));
  }
  if (pod_sets.size() == 2 && dice.one_in(2)) {
    for (auto& [needs, count] : pod_sets) needs.request->pod_set_group = "set";
    pod_sets[0].second = 1;
  }
  return pod_sets;
}

// Made from the same world, without a past. Names are interned in the same order, so needs mean the same.
std::string answer_anew(const World& world, const PodSets& pod_sets, bool empty) {
  TopologyFixture cluster({testing::kBlock, testing::kRack, testing::kHost}, world.features);
  add_hosts(cluster, world);
  (void)cluster.needs(1, testing::unconstrained());
  for (const auto& [host, by_size] : world.held) {
    for (const auto& [gpus, pods] : by_size) cluster.hold(host, pods, gpus);
  }
  return cluster.place(pod_sets, empty);
}

void change(Dice& dice, World& world, TopologyFixture& cluster) {
  const Host& host = world.hosts[static_cast<std::size_t>(dice.roll(static_cast<int>(world.hosts.size())))];
  const int gpus = 1 << dice.roll(2);
  int& held = world.held[host.name][gpus];
  if (held > 0 && dice.one_in(2)) {
    cluster.release(host.name, held, gpus);
    held = 0;
  } else {
    const int pods = 1 + dice.roll(3);
    cluster.hold(host.name, pods, gpus);
    held += pods;
  }
}

TEST_CASE("answers do not depend on the past") {
  const auto seed = GENERATE(range(0U, 150U));
  INFO("seed " << seed);
  Dice dice(seed);
  World world = random_world(dice);
  TopologyFixture cluster({testing::kBlock, testing::kRack, testing::kHost}, world.features);
  const std::vector<objects::Node*> nodes = add_hosts(cluster, world);
  std::vector<PodSets> asked;
  for (int i = 0; i < 4; ++i) asked.push_back(random_pod_sets(dice, cluster));
  for (int step = 0; step < 40; ++step) {
    for (int changes = dice.roll(4); changes > 0; --changes) change(dice, world, cluster);
    if (dice.one_in(10)) {
      const auto which = static_cast<std::size_t>(dice.roll(static_cast<int>(world.hosts.size())));
      world.hosts[which].cordoned = !world.hosts[which].cordoned;
      nodes[which]->spec.unschedulable = world.hosts[which].cordoned;
      cluster.nodes_changed();
    }
    const PodSets& pod_sets = asked[static_cast<std::size_t>(dice.roll(4))];
    const bool empty = dice.one_in(5);
    REQUIRE(cluster.place(pod_sets, empty) == answer_anew(world, pod_sets, empty));
  }
}

TEST_CASE("what is placed fits and is complete") {
  const auto seed = GENERATE(range(0U, 150U));
  INFO("seed " << seed);
  Dice dice(seed);
  World world = random_world(dice);
  TopologyFixture cluster({testing::kBlock, testing::kRack, testing::kHost}, world.features);
  add_hosts(cluster, world);
  FlavorTopology& topology = cluster.topology();
  for (int step = 0; step < 30; ++step) {
    const int gpus = 1 << dice.roll(3);
    const ResourceRow row = cluster.gpus(gpus);
    objects::PodSetTopologyRequest request = random_request(dice);
    const int count = request.slice_size.value_or(1) * dice.roll(6);
    const PodSetRequest asked{0, topology.pod_set_class(cluster.needs(gpus, std::move(request))), count};
    const TopologyPlacement placement = topology.place(std::span(&asked, 1), false);
    if (placement.failure) continue;
    int placed = 0;
    for (const DomainPods& entry : placement.placed.front().domains) {
      REQUIRE(topology.fits({entry.domain, entry.pods, &row}));
      topology.add_usage({entry.domain, entry.pods, &row});
      placed += entry.pods;
    }
    CHECK(placed == count);
  }
}

}  // namespace
}  // namespace gpusched::kueue
