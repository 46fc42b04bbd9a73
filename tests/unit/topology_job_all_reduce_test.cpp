#include "gpusched/topology/job_all_reduce.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace gpusched::topology {
namespace {

using testing::Cluster;
using testing::node;

constexpr std::int64_t kGb = 1'000'000'000;

std::vector<GpuShare> first_gpus(int count) {
  std::vector<GpuShare> shares;
  for (int gpu = 0; gpu < count; ++gpu) shares.push_back({static_cast<std::uint16_t>(gpu)});
  return shares;
}

/// Four HGX H100 (450 GB/s of NVLink, PCIe generation 5 at 64 GB/s) and two trays of an NVL72 (900 GB/s).
Cluster machines() {
  return Cluster({
      node("a").gpus(8, "H100", 80).one_island().links(450, 64),
      node("b").gpus(8, "H100", 80).one_island().links(450, 64),
      node("c").gpus(8, "H100", 80).one_island().links(450, 64),
      node("d").gpus(8, "H100", 80).one_island().links(450, 64),
      node("tray-1").gpus(4, "GB200", 185).one_island().links(900, 64),
      node("tray-2").gpus(4, "GB200", 185).one_island().links(900, 64),
  });
}

struct On {
  std::string node;
  int gpus;
};

struct Want {
  Level level;
  Link link;
  int members;
  std::int64_t bandwidth_mbps;
  double seconds;
};

struct Case {
  std::string name;
  ClusterNetwork network;
  std::vector<On> pods;
  std::vector<Want> levels;
  int slowest;  // -1: none
};

}  // namespace

TEST_CASE("the all-reduce of a job is as slow as its slowest level") {
  const Cluster cluster = machines();
  const StringId rack_1{std::size_t{1}};
  const StringId rack_2{std::size_t{2}};
  // p5.48xlarge: 3200 Gbit/s. Eight ConnectX-7 of 400 Gbit/s are 50 GB/s for each GPU.
  const NodeNetwork p5{400'000, 0, {}};
  const NodeNetwork rails{0, 50'000, {}};
  const auto in = [](NodeNetwork node, StringId rack) {
    node.rack = rack;
    return node;
  };
  const std::vector<Case> cases = {
      // 2 * 7/8 * 14 / 450 = 0.054444; 2 * 1/2 * 14 / 400 = 0.035
      {"nvlink-is-slower-than-all-nics",
       {{p5, p5}},
       {{"a", 8}, {"b", 8}},
       {{Level::kGpus, Link::kNvlink, 8, 450'000, 0.0544444}, {Level::kNodes, Link::kNetwork, 2, 400'000, 0.035}},
       0},
      // Two GPUs of each have two NICs: 2 * 1/2 * 14 / 100 = 0.14; 2 * 1/2 * 14 / 450 = 0.031111
      {"a-nic-for-each-gpu",
       {{rails, rails}},
       {{"a", 2}, {"b", 2}},
       {{Level::kGpus, Link::kNvlink, 2, 450'000, 0.0311111}, {Level::kNodes, Link::kNetwork, 2, 100'000, 0.14}},
       1},
      // Two pods on one node are one member: 2 * 3/4 * 14 / 450 = 0.046667; the slower node counts:
      // 2 * 1/2 * 14 / 50 = 0.28
      {"pods-of-one-node-together",
       {{rails, rails}},
       {{"a", 2}, {"b", 1}, {"a", 2}},
       {{Level::kGpus, Link::kNvlink, 4, 450'000, 0.0466667}, {Level::kNodes, Link::kNetwork, 2, 50'000, 0.28}},
       1},
      {"one-gpu-a-node",
       {{p5, p5, p5}},
       {{"a", 1}, {"b", 1}, {"c", 1}},
       {{Level::kNodes, Link::kNetwork, 3, 400'000, 2.0 * 2 / 3 * 14 / 400}},
       0},
      {"network-unknown",
       {},
       {{"a", 8}, {"b", 8}},
       {{Level::kGpus, Link::kNvlink, 8, 450'000, 0.0544444}, {Level::kNodes, Link::kNetwork, 2, 0, 0}},
       0},
      {"nothing-known", {{p5}}, {{"a", 1}, {"b", 1}}, {{Level::kNodes, Link::kNetwork, 2, 0, 0}}, -1},
      // a and b in one rack, c and d in the other; a rack's links carry 800 / 4 = 200 GB/s: 2 * 1/2 * 14 / 200 = 0.07.
      // 2 * 3/4 * 14 / 400 = 0.0525
      {"oversubscribed-racks",
       {{in(p5, rack_1), in(p5, rack_1), in(p5, rack_2), in(p5, rack_2)}, 4000},
       {{"a", 8}, {"b", 8}, {"c", 8}, {"d", 8}},
       {{Level::kGpus, Link::kNvlink, 8, 450'000, 0.0544444},
        {Level::kNodes, Link::kNetwork, 4, 400'000, 0.0525},
        {Level::kRacks, Link::kUplink, 2, 200'000, 0.07}},
       2},
      // One node in each rack sends 400 GB/s, no more than the links carry (800 / 2).
      {"racks-with-one-node-of-the-job",
       {{in(p5, rack_1), in(p5, rack_1), in(p5, rack_2), in(p5, rack_2)}, 2000},
       {{"a", 1}, {"c", 1}},
       {{Level::kNodes, Link::kNetwork, 2, 400'000, 0.035}, {Level::kRacks, Link::kUplink, 2, 400'000, 0.035}},
       0},
      {"one-rack",
       {{in(p5, rack_1), in(p5, rack_1)}, 4000},
       {{"a", 1}, {"b", 1}},
       {{Level::kNodes, Link::kNetwork, 2, 400'000, 0.035}},
       0},
      {"links-of-racks-unknown",
       {{in(p5, rack_1), in(p5, rack_2)}},
       {{"a", 1}, {"b", 1}},
       {{Level::kNodes, Link::kNetwork, 2, 400'000, 0.035}, {Level::kRacks, Link::kUplink, 2, 0, 0}},
       0},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    const JobAllReduce all_reduce(cluster.usage, test.network, {});
    std::vector<std::vector<GpuShare>> shares;
    for (const On& pod : test.pods) shares.push_back(first_gpus(pod.gpus));
    std::vector<PodGpus> pods;
    for (std::size_t i = 0; i < test.pods.size(); ++i) pods.push_back({cluster.id(test.pods[i].node), shares[i]});
    const auto bound = all_reduce.bound(pods, 14 * kGb);
    REQUIRE(bound);
    REQUIRE(bound->levels.size() == test.levels.size());
    for (std::size_t i = 0; i < test.levels.size(); ++i) {
      INFO("level " << i);
      CHECK(bound->levels[i].level == test.levels[i].level);
      CHECK(bound->levels[i].link == test.levels[i].link);
      CHECK(bound->levels[i].members == test.levels[i].members);
      CHECK(bound->levels[i].bandwidth_mbps == test.levels[i].bandwidth_mbps);
      CHECK(bound->levels[i].seconds == Approx(test.levels[i].seconds).epsilon(1e-5));
    }
    CHECK(bound->slowest() == (test.slowest < 0 ? nullptr : &bound->levels[static_cast<std::size_t>(test.slowest)]));
  }
}

TEST_CASE("nodes of one NVLink domain need no network") {
  const Cluster cluster = machines();
  const StringId domain{std::size_t{1}};
  const std::vector<StringId> domains = {{}, {}, {}, {}, domain, domain};
  const ClusterNetwork network{{{}, {}, {}, {}, {100'000, 0, {}}, {100'000, 0, {}}}};
  const JobAllReduce all_reduce(cluster.usage, network, domains);
  const std::vector<GpuShare> four = first_gpus(4);
  const std::vector<PodGpus> trays = {{cluster.id("tray-1"), four}, {cluster.id("tray-2"), four}};
  const auto bound = all_reduce.bound(trays, 14 * kGb);
  REQUIRE(bound);
  REQUIRE(bound->levels.size() == 1);
  CHECK(bound->levels[0].members == 8);
  CHECK(bound->levels[0].seconds == Approx(2.0 * 7 / 8 * 14 / 900));
  // To a node outside both trays carry what the domain sends.
  const std::vector<PodGpus> more = {trays[0], trays[1], {cluster.id("a"), four}};
  const auto outside = all_reduce.bound(more, 14 * kGb);
  REQUIRE(outside);
  REQUIRE(outside->levels.size() == 2);
  CHECK(outside->levels[1].members == 2);
  CHECK(outside->levels[1].bandwidth_mbps == 0);
}

TEST_CASE("who exchanges nothing has no bound") {
  const Cluster cluster = machines();
  const JobAllReduce all_reduce(cluster.usage, {}, {});
  const std::vector<GpuShare> one = first_gpus(1);
  const std::vector<GpuShare> instance = {{0, 0, 0, 0}};
  const std::vector<PodGpus> single = {{cluster.id("a"), one}};
  const std::vector<PodGpus> mig = {{cluster.id("a"), instance}, {cluster.id("b"), instance}};
  const std::vector<PodGpus> pair = {{cluster.id("a"), one}, {cluster.id("b"), one}};
  CHECK_FALSE(all_reduce.bound({}, kGb));
  CHECK_FALSE(all_reduce.bound(single, kGb));
  CHECK_FALSE(all_reduce.bound(mig, kGb));
  CHECK_FALSE(all_reduce.bound(pair, 0));
  CHECK(all_reduce.bound(pair, kGb));
}

}  // namespace gpusched::topology
