#include "report/cluster_map.hpp"

#include <catch2/catch.hpp>

#include "support/builders.hpp"

using namespace gpusched;
using gpusched::testing::Cluster;
using gpusched::testing::node;
using gpusched::testing::pod;
using Json = nlohmann::ordered_json;

TEST_CASE("cluster map names the holders of every GPU") {
  Cluster cluster(
      {node("b").gpus(2, "A100").one_island().cordoned(), node("a").gpus(1, "L4").time_slicing(4), node("cpu")},
      {pod("x").gpus(1), pod("y").gpus(1).shared(), pod("z").gpus(1).shared()});
  cluster.bind("x", "b", {1});
  cluster.bind("z", "a", {0});
  cluster.bind("y", "a", {0});
  const Json expected = Json::parse(R"({"nodes": [
    {"name": "a", "gpus": [{"model": "L4", "island": 0, "replicas": 4, "free": 2,
                            "holders": [{"pod": "y", "share": 1}, {"pod": "z", "share": 1}]}]},
    {"name": "b", "cordoned": true, "gpus": [{"model": "A100", "island": 0, "free": 1, "holders": []},
                           {"model": "A100", "island": 0, "free": 0, "holders": [{"pod": "x", "share": 1}]}]},
    {"name": "cpu", "gpus": []}]})");
  CHECK(report::cluster_object(cluster.usage) == expected);
}

TEST_CASE("cluster map tells parts of GPUs and assumptions") {
  Cluster cluster({node("n").gpus(1)}, {pod("half").gpus(1).milli(500)});
  cluster.usage.bind(cluster.pod("half"), cluster.id("n"), std::vector<GpuShare>{{.gpu = 0, .milli = 500}});
  cluster.usage.set_assumed(cluster.id("n"));
  const Json map = report::cluster_object(cluster.usage);
  CHECK(map["nodes"][0]["assumed"] == true);
  CHECK(map["nodes"][0]["gpus"][0]["free"] == 0.5);
  CHECK(map["nodes"][0]["gpus"][0]["holders"][0]["share"] == 0.5);
}

TEST_CASE("cluster map lists MIG instances by their slices") {
  Cluster cluster({node("m").gpus(1, "A100-SXM4-80GB", 80).mig({{"3g.40gb", "1g.10gb"}})}, {pod("p").mig("3g.40gb")});
  cluster.bind_instances("p", "m", {0});
  const Json gpu = report::cluster_object(cluster.usage)["nodes"][0]["gpus"][0];
  CHECK(gpu["slices"] == 8);
  REQUIRE(gpu["instances"].size() == 2);
  int held = 0;
  int before = -1;
  for (const Json& instance : gpu["instances"]) {
    CHECK(instance["start"].get<int>() > before);
    before = instance["start"].get<int>();
    held += instance.contains("pod") ? 1 : 0;
    CHECK(instance.contains("pod") == (instance["profile"] == "3g.40gb"));
  }
  CHECK(held == 1);
}
