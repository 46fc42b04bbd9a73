#include "gpusched/model/shape_builder.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace gpusched {
namespace {

using testing::Cluster;
using testing::node;
using testing::pod;

}  // namespace

TEST_CASE("nodes that differ in their name only share a class") {
  const auto dgx = [](std::string_view name) {
    return node(name).gpus(8).one_island().allocatable("cpu", 1000).label("zone", "a").taint("k");
  };
  const Cluster cluster(
      {dgx("n1"), dgx("n2"), dgx("n3").cordoned(), dgx("n4").label("x", "y"), dgx("n5").allocatable("memory", 1),
       dgx("n6").taint("l"), node("n7").gpus(8).allocatable("cpu", 1000),
       node("n8").gpus(8, "A100-SXM4-40GB", 40).one_island().allocatable("cpu", 1000).label("zone", "a").taint("k")});
  const auto class_of = [&](std::string_view name) { return cluster.usage.node_class_id(cluster.id(name)); };
  CHECK(class_of("n1") == class_of("n2"));
  for (const char* const other : {"n3", "n4", "n5", "n6", "n7", "n8"}) {
    INFO(other);
    CHECK(class_of("n1") != class_of(other));
  }
  CHECK(cluster.shape().node_classes.size() == 7);
  CHECK(cluster.shape().boards.size() == 2);
}

TEST_CASE("pods that differ in their name only share a class") {
  const auto base = [](std::string_view name) { return pod(name).gpus(1).requests("cpu", 5).priority(1); };
  const Cluster cluster(
      {}, {base("a"), base("b"), base("c").nvlink(), base("d").shared(), base("e").fixed(), base("f").never_preempts(),
           base("g").milli(500), base("h").memory_gib(1), base("i").gradient_gb(1), base("j").model("L4"),
           base("k").tolerates_all(), base("l").selects("x", "y"), base("m").priority(2),
           base("n").requests("memory", 1), base("o").gpus(2), pod("p").mig("1g.10gb"), pod("q").mig("1g.10gb", 2)});
  CHECK(cluster.usage.pod_class_id(cluster.pod("a")) == cluster.usage.pod_class_id(cluster.pod("b")));
  CHECK(cluster.shape().pod_classes.size() == 16);
}

TEST_CASE("what the device plugin advertises follows from the GPUs") {
  const Cluster cluster({
      node("sliced").gpus(2, "L4", 24).time_slicing(4),
      node("mig").gpus(2).mig({{"1g.10gb", "1g.10gb", "3g.40gb"}}),
      node("amd").gpus(4, "MI300X", 192).gpu_resource("amd.com/gpu"),
      node("cpu"),
  });
  const auto allocatable = [&](std::string_view name, std::string_view resource) {
    const ResourceId id = cluster.shape().find_resource(resource);
    REQUIRE(id.valid());
    return cluster.usage.node_class(cluster.id(name)).allocatable.at(id.index());
  };
  CHECK(allocatable("sliced", "nvidia.com/gpu") == 8);
  CHECK(allocatable("mig", "nvidia.com/gpu") == 1);
  CHECK(allocatable("mig", "nvidia.com/mig-1g.10gb") == 2);
  CHECK(allocatable("mig", "nvidia.com/mig-3g.40gb") == 1);
  CHECK(allocatable("amd", "amd.com/gpu") == 4);
  CHECK(allocatable("amd", "nvidia.com/gpu") == 0);
  CHECK(allocatable("cpu", "nvidia.com/mig-3g.40gb") == 0);
  CHECK(allocatable("cpu", "cpu") == kNotModelled);
  CHECK(allocatable("cpu", "pods") == kNotModelled);
  CHECK(cluster.usage.node_class(cluster.id("sliced")).time_sliced);
  CHECK(cluster.usage.node_class(cluster.id("mig")).islands == 2);
}

TEST_CASE("names are sorted as bytes, ids follow the input") {
  const Cluster cluster({node("n10"), node("n9"), node("N1"), node("n1")});
  std::vector<std::string> names;
  for (const NodeId id : cluster.shape().nodes_by_name) names.emplace_back(cluster.shape().name(id));
  CHECK(names == std::vector<std::string>{"N1", "n1", "n10", "n9"});
  CHECK(cluster.id("n10") == NodeId{0});
  CHECK(cluster.shape().name_rank[0] == 2);
  CHECK(!cluster.id("n2").valid());
}

TEST_CASE("a builder that starts from a shape keeps every id") {
  const Cluster old({node("n1").gpus(2).label("zone", "a"), node("n2").gpus(1).mig({{"7g.80gb"}})},
                    {pod("a").gpus(1), pod("b").mig("7g.80gb").selects("zone", "a")});
  ShapeBuilder builder(old.shape());
  const ResourceId added = builder.resource("example.com/new");
  NodeClass copy = old.shape().node_classes[0];
  copy.allocatable.assign(5, 0);  // computed again from the GPUs
  for (std::size_t r = 0; r < 4; ++r) copy.allocatable[r] = kNotModelled;
  CHECK(builder.node_class(copy) == NodeClassId{0});
  PodClass same = old.pod_class("a");
  same.requests.clear();
  CHECK(builder.pod_class(same) == old.usage.pod_class_id(old.pod("a")));
  builder.node("n3", NodeClassId{0});
  const ShapePtr shape = std::move(builder).build();

  CHECK(shape->nodes.size() == 3);
  CHECK(shape->node_classes.size() == old.shape().node_classes.size());
  CHECK(added.index() == old.shape().resources.size());
  for (std::size_t i = 0; i < old.shape().strings.size(); ++i) {
    CHECK(shape->text(StringId{i}) == old.shape().text(StringId{i}));
  }
  for (std::size_t i = 0; i < old.shape().nodes.size(); ++i) {
    CHECK(shape->name(NodeId{i}) == old.shape().name(NodeId{i}));
    CHECK(shape->nodes[i].node_class == old.shape().nodes[i].node_class);
  }
  for (std::size_t i = 0; i < old.shape().resources.size(); ++i) {
    CHECK(shape->name(ResourceId{i}) == old.shape().name(ResourceId{i}));
  }
  CHECK(shape->pod_classes == old.shape().pod_classes);
  for (const NodeClass& node_class : shape->node_classes)
    CHECK(node_class.allocatable.size() == shape->resources.size());
}

}  // namespace gpusched
