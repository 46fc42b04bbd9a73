#include "gpusched/frag/fragmentation.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace gpusched::frag {
namespace {

using testing::Cluster;
using testing::node;
using testing::pod;

const std::vector<int> kSizes{1, 2, 4, 8};

}  // namespace

TEST_CASE("a GPU that is held in part is not free") {
  Cluster cluster({node("n").gpus(4).one_island()}, {pod("half").gpus(1).milli(500)});
  CHECK(fragmentation(cluster.usage, kSizes).exclusive.free == 4);
  cluster.bind("half", "n", {1});
  const ExclusiveGpus gpus = fragmentation(cluster.usage, kSizes).exclusive;
  CHECK(gpus.free == 3);
  CHECK(gpus.total == 4);
  CHECK(gpus.largest_island == 3);
  CHECK(gpus.rows[1] == SizeRow{2, 1, 1, 1});
}

TEST_CASE("time-sliced and MIG GPUs are counted apart") {
  Cluster cluster({node("l4").gpus(2, "L4", 24).time_slicing(4), node("mig").gpus(2).mig({{"3g.40gb", "1g.10gb"}})},
                  {pod("a").gpus(1).shared(), pod("b").mig("3g.40gb")});
  cluster.bind("a", "l4", {0});
  cluster.bind_instances("b", "mig", {0});
  const Fragmentation result = fragmentation(cluster.usage, kSizes);
  CHECK(result.exclusive.total == 1);  // the second GPU of "mig" is not in MIG mode
  CHECK(result.time_sliced.gpus == 2);
  CHECK(result.time_sliced.replicas == 8);
  CHECK(result.time_sliced.free_replicas == 7);
  REQUIRE(result.mig.size() == 1);
  CHECK(result.mig[0].used == std::vector<std::uint16_t>{0});
  CHECK(result.mig[0].free == std::vector<std::uint16_t>{1});
  const mig::Board& board = *mig::find_board("A100-SXM4-80GB", 81920);
  CHECK(mig::join_names(board, result.mig[0].could_add) == "1g.10gb, 2g.20gb, 3g.40gb");
  CHECK(result.free_nodes == std::vector{cluster.id("mig")});
}

TEST_CASE("gangs count pods of all nodes together") {
  const Cluster cluster({node("a").gpus(4).one_island(), node("b").gpus(2).islands({{0}, {1}})});
  const std::vector<Gang> gangs{{3, 2}, {2, 2}, {6, 1}, {1, 4}};
  const ExclusiveGpus gpus = fragmentation(cluster.usage, kSizes, gangs).exclusive;
  CHECK(gpus.gangs[0].by_count == 1);
  CHECK(gpus.gangs[0].within_island == 0);
  CHECK(gpus.gangs[1].by_count == 1);
  CHECK(gpus.gangs[1].within_island == 1);
  CHECK(gpus.gangs[2].by_count == 1);
  CHECK(gpus.gangs[3].by_count == 1);
}

TEST_CASE("the pods in the way of the largest block are named") {
  Cluster cluster(
      {
          node("pairs").gpus(8).islands({{0, 1}, {2, 3}, {4, 5}, {6, 7}}),
          node("whole").gpus(8).one_island(),
      },
      {pod("train").gpus(5), pod("small").gpus(1), pod("large").gpus(3), pod("also-small").gpus(1)});
  cluster.bind("train", "pairs", {0, 1, 2, 3, 4});
  cluster.bind("small", "whole", {0});
  cluster.bind("large", "whole", {1, 2, 3});
  cluster.bind("also-small", "whole", {4});
  const Blockers blockers = fragmentation(cluster.usage, kSizes).blockers;
  CHECK(blockers.size == 8);
  CHECK(blockers.node == cluster.id("pairs"));  // both have three free: the first name
  CHECK(!blockers.one_island);
  CHECK(blockers.free == 3);
  cluster.usage.unbind(cluster.pod("small"));
  const Blockers closer = fragmentation(cluster.usage, kSizes).blockers;
  CHECK(closer.node == cluster.id("whole"));
  CHECK(closer.one_island);
  CHECK(closer.holders == std::vector{cluster.pod("large"), cluster.pod("also-small")});
}

TEST_CASE("nothing blocks what fits or what no node can hold") {
  const Cluster cluster({node("a").gpus(4)});
  CHECK(fragmentation(cluster.usage, std::vector{1, 4}).blockers.size == 0);
  CHECK(fragmentation(cluster.usage, std::vector{1, 8}).blockers.size == 0);
}

TEST_CASE("the first known label names the pool") {
  const Cluster cluster({
      node("a").gpus(1).label("pool", "last").label("cloud.google.com/gke-nodepool", "gke"),
      node("b").gpus(1).label("karpenter.sh/nodepool", "karpenter"),
      node("c").gpus(1).label("zone", "z"),
      node("d").gpus(1).label("pool", "own"),
  });
  std::vector<std::string> names;
  for (const Group& group : fragmentation_by(cluster.usage, kSizes, GroupBy::kPool)) names.push_back(group.name);
  CHECK(names == std::vector<std::string>{"(none)", "gke", "karpenter", "own"});
}

}  // namespace gpusched::frag
