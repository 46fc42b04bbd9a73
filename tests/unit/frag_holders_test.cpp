#include "gpusched/frag/holders.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/frag/changes.hpp"
#include "support/builders.hpp"

using namespace gpusched;
using namespace gpusched::frag;
using gpusched::testing::Cluster;
using gpusched::testing::node;
using gpusched::testing::pod;

TEST_CASE("who holds most comes first, and pods of nobody are counted too") {
  Cluster cluster({node("n").gpus(8)}, {pod("a").gpus(1), pod("b").gpus(2), pod("c").gpus(3), pod("idle")});
  cluster.bind("a", "n", {0});
  cluster.bind("b", "n", {1, 2});
  cluster.bind("c", "n", {3, 4, 5});
  cluster.bind("idle", "n", {});
  const std::vector<Holder> holders = holders_by(cluster.usage, {});
  REQUIRE(holders.size() == 1);
  CHECK(holders[0].name == "(none)");
  CHECK(holders[0].pods == 3);
  CHECK(holders[0].gpu_milli == 6000);
  CHECK(holders[0].since.empty());

  // Any two texts of the shape serve as groups.
  const StringId first = cluster.usage.pod_name(PodId{0});
  const StringId second = cluster.usage.pod_name(PodId{1});
  const std::vector<PodOwner> owners = {{first, second}, {second, {}}, {first, first}};
  const std::vector<Holder> groups = holders_by(cluster.usage, owners);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "a");
  CHECK(groups[0].gpu_milli == 4000);
  CHECK(groups[0].since == "a");  // the smallest text
  CHECK(groups[1].name == "b");
}

TEST_CASE("changes name the nodes that lost most and the pods that came and left") {
  const std::vector<int> sizes = {1, 8};
  const std::vector<gpusched::testing::PodSpec> pods = {pod("stays").gpus(1), pod("gone").gpus(2), pod("new").gpus(4)};
  Cluster before({node("a").gpus(8), node("b").gpus(8), node("old").gpus(4)}, pods);
  before.bind("stays", "a", {0});
  before.bind("gone", "a", {1, 2});
  Cluster after({node("a").gpus(8), node("b").gpus(8)}, pods);
  after.bind("stays", "a", {3});
  after.bind("new", "b", {0, 1, 2, 3});
  const Changes result = changes(before.usage, after.usage, sizes);
  CHECK(result.before.free == 17);
  const std::vector<NodeChange> expected = {
      {"b", 8, 4, {{"new", 4}}, {}},
      {"old", 4, std::nullopt, {}, {}},
      {"a", 5, 7, {}, {{"gone", 2}}},
  };
  CHECK(result.nodes == expected);
  CHECK(changes(after.usage, after.usage, sizes).nodes.empty());
}
