#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/dra/claim_series.hpp"
#include "gpusched/dra/taint_rules.hpp"
#include "support/dra_builders.hpp"

namespace gpusched::dra {
namespace {

struct World {
  std::vector<objects::ResourceSlice> slices;
  std::vector<NodeFacts> nodes;
  std::vector<objects::ResourceClaim> claims;
  InUse held;
  bool strict = false;
};

/// A node of this name with a pool of the same name.
void add_node(World& world, const std::string& name, std::vector<objects::Device> devices) {
  objects::ResourceSlice slice = test::slice(name, std::move(devices));
  slice.spec.node_name = name;
  world.slices.push_back(std::move(slice));
  world.nodes.push_back({name, {}, {}});
}

objects::ResourceClaim claim(std::string name, std::int64_t count, std::vector<std::string> selectors = {}) {
  return test::claim(std::move(name), {test::request("gpus", test::exactly(count, std::move(selectors)))});
}

ClaimSeries run(const World& world) {
  test::ToySelectors selectors;
  const std::vector<objects::DeviceClass> classes = {test::any_class()};
  return allocate_in_series(
      {{}, world.slices, classes, world.nodes, world.claims, world.held, selectors, world.strict, {}});
}

std::string text(const World& world, const ClaimOutcome& outcome) {
  if (!outcome.allocation) return outcome.reason;
  std::string text = outcome.node ? world.nodes[*outcome.node].name + ":" : "before:";
  for (const auto& result : outcome.allocation->results) text += " " + result.pool + "/" + result.device;
  return text;
}

objects::Device on_island(std::string name, std::int64_t island) {
  return test::device(std::move(name), {{"island", island}});
}

}  // namespace

TEST_CASE("claims-in-series-take-what-earlier-ones-leave") {
  World world;
  add_node(world, "a", test::devices("gpu-", 2));
  add_node(world, "b", test::devices("gpu-", 2));
  world.claims = {claim("one", 1), claim("two", 2), claim("three", 1), claim("four", 1)};
  const ClaimSeries series = run(world);
  REQUIRE(series.claims.size() == 4);
  CHECK(text(world, series.claims[0]) == "a: a/gpu-0");
  CHECK(text(world, series.claims[1]) == "b: b/gpu-0 b/gpu-1");
  CHECK(text(world, series.claims[2]) == "a: a/gpu-1");
  CHECK(text(world, series.claims[3]) ==
        "cannot allocate all claims: too many of the devices that match are allocated");
}

TEST_CASE("claims-that-hold-devices-keep-them") {
  World world;
  add_node(world, "a", test::devices("gpu-", 2));
  world.claims = {claim("new", 1), claim("old", 1)};
  objects::DeviceRequestAllocationResult& result = world.claims[1].allocation.emplace().results.emplace_back();
  result.driver = test::kDriver;
  result.pool = "a";
  result.device = "gpu-0";
  const ClaimSeries series = run(world);
  CHECK(text(world, series.claims[0]) == "a: a/gpu-1");
  CHECK(text(world, series.claims[1]) == "before: a/gpu-0");
  CHECK(series.claims[1].already_allocated);
}

TEST_CASE("reasons-against-a-claim") {
  World world;
  const auto reason = [&](objects::ResourceClaim wanted) {
    world.claims = {std::move(wanted)};
    return text(world, run(world).claims[0]);
  };
  add_node(world, "a", {on_island("gpu-0", 0), on_island("gpu-1", 1)});
  SECTION("no device matches") {
    CHECK(reason(claim("c", 1, {"island=7"})) ==
          "cannot allocate all claims: no device on any node matches the DeviceClass and the selectors");
  }
  SECTION("no device matches one of several requests") {
    objects::ResourceClaim wanted = claim("c", 1);
    wanted.devices.requests.push_back(test::request("nic", test::exactly(1, {"island=7"})));
    CHECK(reason(wanted) ==
          "cannot allocate all claims: request nic: no device on any node matches the DeviceClass and the selectors");
  }
  SECTION("a constraint") {
    objects::ResourceClaim wanted = claim("c", 2);
    wanted.devices.constraints = {test::match("island")};
    CHECK(reason(wanted) ==
          "cannot allocate all claims: enough devices, but no combination satisfies matchAttribute "
          "d.example.com/island");
  }
  SECTION("taints") {
    const objects::DeviceTaintRule rule{"r", objects::DeviceTaintRule::Selector{}, {"sick", "", "NoExecute", ""}};
    apply_taint_rules(std::vector{rule}, world.slices);
    CHECK(reason(claim("c", 1)) ==
          "cannot allocate all claims: the devices that match have taints that no toleration covers");
  }
  SECTION("too few on one node") {
    CHECK(reason(claim("c", 3)) ==
          "cannot allocate all claims: 3 devices are asked for, the most that one node can give is 2");
  }
  SECTION("the allocator's own error") {
    objects::ResourceClaim wanted = claim("c", 1);
    wanted.devices.requests[0].exactly->device_class_name = "missing";
    CHECK(reason(wanted) ==
          "claim default/c, request gpus: could not retrieve device class missing: deviceclass.resource.k8s.io "
          "\"missing\" not found");
  }
}

TEST_CASE("selectors-that-fail") {
  World world;
  add_node(world, "a", {test::device("plain"), test::device("flagged", {{"flag", true}})});
  world.claims = {claim("c", 1, {"flag"})};
  SECTION("do not match, with a warning") {
    const ClaimSeries series = run(world);
    CHECK(text(world, series.claims[0]) == "a: a/flagged");
    REQUIRE(series.warnings.size() == 1);
    CHECK(series.warnings[0].message ==
          "the selector flag fails on some devices (no such key: flag); they are taken not to match");
  }
  SECTION("end the claim when strict") {
    world.strict = true;
    const ClaimSeries series = run(world);
    CHECK(series.warnings.empty());
    CHECK(text(world, series.claims[0]).starts_with("claim default/c: selector #0 on device d.example.com/a/plain:"));
  }
}

TEST_CASE("taint-rules-select-by-driver-pool-and-device") {
  World world;
  add_node(world, "a", test::devices("gpu-", 2));
  add_node(world, "b", test::devices("gpu-", 2));
  objects::DeviceTaintRule rule;
  rule.taint = {"sick", "", "NoSchedule", ""};
  const auto tainted = [&] {
    std::string names;
    std::vector<objects::ResourceSlice> slices = world.slices;
    apply_taint_rules(std::vector{rule}, slices);
    for (const objects::ResourceSlice& slice : slices) {
      for (const objects::Device& device : slice.spec.devices) {
        if (!device.taints.empty()) names += slice.name + "/" + device.name + " ";
      }
    }
    return names;
  };
  CHECK(tainted().empty());
  rule.selector.emplace();
  CHECK(tainted() == "a/gpu-0 a/gpu-1 b/gpu-0 b/gpu-1 ");
  rule.selector->pool = "b";
  CHECK(tainted() == "b/gpu-0 b/gpu-1 ");
  rule.selector->device = "gpu-1";
  CHECK(tainted() == "b/gpu-1 ");
  rule.selector->driver = "other.example.com";
  CHECK(tainted().empty());
}

}  // namespace gpusched::dra
