#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/dra/device_answers.hpp"
#include "gpusched/dra/why_not.hpp"
#include "support/dra_builders.hpp"

namespace gpusched::dra {
namespace {

using objects::Device;
using objects::ResourceClaim;

/// A cluster of nodes with a pool each, and what is asked of it.
struct World {
  std::vector<objects::ResourceSlice> slices;
  std::vector<NodeFacts> nodes;
  std::vector<objects::DeviceClass> classes = {test::any_class()};
  std::vector<std::pair<std::string, objects::AllocationResult>> holders;
  InUse pods;  // what pods hold

  void add_node(const std::string& name, std::vector<Device> devices) {
    objects::ResourceSlice slice = test::slice(name, std::move(devices));
    slice.spec.node_name = name;
    slices.push_back(std::move(slice));
    nodes.push_back({name, {}, {}});
  }
  void hold(const std::string& claim, const std::string& pool, const std::string& device) {
    objects::AllocationResult allocation;
    allocation.results.emplace_back();
    allocation.results.back().driver = test::kDriver;
    allocation.results.back().pool = pool;
    allocation.results.back().device = device;
    holders.emplace_back(claim, allocation);
  }
  [[nodiscard]] DeviceId id(const std::string& pool, const std::string& device) const {
    return {std::string(test::kDriver), pool, device};
  }
};

WhyNot explain(const World& world, const std::vector<ResourceClaim>& wanted) {
  CelSelectors selectors{Features{}};
  InUse in_use = world.pods;
  std::vector<Holder> holders;
  for (const auto& [name, allocation] : world.holders) {
    in_use.add(allocation, true);
    holders.push_back({name, &allocation});
  }
  std::vector<const ResourceClaim*> claims;
  for (const ResourceClaim& claim : wanted) claims.push_back(&claim);
  return explain_refusal({{}, world.slices, world.classes, world.nodes, in_use, holders, selectors, {}}, claims);
}

ResourceClaim claim(std::int64_t count, std::vector<std::string> selectors = {}) {
  return test::claim("c", {test::request("gpus", test::exactly(count, std::move(selectors)))});
}

Device gpu(std::string name, std::string model, std::int64_t island = 0) {
  Device device = test::device(std::move(name), {{"model", std::move(model)}, {"island", island}});
  device.capacity = {{"memory", {*parse_quantity("81559Mi"), {}}}};
  return device;
}

std::vector<std::string> changes(const WhyNot& why) {
  std::vector<std::string> texts;
  for (const Fix& fix : why.fixes) texts.push_back(fix.change);
  return texts;
}

/// "check devices: cause (count)" of every loss.
std::vector<std::string> losses(const RequestFunnel& funnel) {
  std::vector<std::string> texts;
  for (const DeviceLoss& loss : funnel.losses) {
    std::string text = loss.check + " " + std::to_string(loss.devices);
    for (const DeviceLoss::Cause& cause : loss.causes) text += ": " + cause.text;
    texts.push_back(text);
  }
  return texts;
}

const std::string kModel = "device.attributes[\"d.example.com\"].model";
const std::string kMemory = "device.capacity[\"d.example.com\"].memory";

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("funnel-counts-each-device-at-the-first-check-that-it-fails") {
  World world;
  Device sick = gpu("sick", "H100");
  sick.taints = {{"sick", "", "NoSchedule", ""}};
  world.add_node(
      "a", {gpu("held", "H100"), gpu("held-l4", "L4"), gpu("l4", "L4"), gpu("l40", "L40"), sick, gpu("free", "H100")});
  world.pods.devices = {world.id("a", "held"), world.id("a", "held-l4")};
  const WhyNot why = explain(world, {claim(2, {"device.driver == \"d.example.com\" && " + kModel + " == \"H100\""})});
  REQUIRE(why.groups.size() == 1);
  REQUIRE(why.groups[0].why.requests.size() == 1);
  const RequestFunnel& funnel = why.groups[0].why.requests[0];
  CHECK(funnel.published == 6);
  CHECK(losses(funnel) ==
        Texts{"in use 2", "selector #0 2: model is \"L4\": model is \"L40\"", "tainted 1: sick:NoSchedule"});
  CHECK(funnel.losses[0].matching == 1);
  CHECK(funnel.left == 1);
  CHECK(why.groups[0].why.conclusion == "request gpus: 1 of 2 devices left");
  CHECK(why.hints.empty());
  CHECK(changes(why) == Texts{"request gpus: ask for 1 device in place of 2", "request gpus: tolerate sick:NoSchedule",
                              "free a/held, which pods hold",
                              "request gpus: drop selector #0 (device.driver == "
                              "\"d.example.com\" && device.attributes[\"d.example.com\"].model == \"H100\"), if "
                              "other devices will do",
                              "add a node like a, with all its devices free"});
}

TEST_CASE("nodes-alike-are-told-once") {
  World world;
  for (const char* name : {"a", "b", "c"}) world.add_node(name, test::devices("gpu-", 2));
  world.pods.devices = {world.id("b", "gpu-0")};
  const WhyNot why = explain(world, {claim(3)});
  REQUIRE(why.groups.size() == 2);
  CHECK(why.groups[0].nodes == std::vector<std::size_t>{0, 2});
  CHECK(why.groups[1].nodes == std::vector<std::size_t>{1});
}

TEST_CASE("constraints-that-break") {
  World world;
  world.add_node("a", {gpu("0", "H100", 0), gpu("1", "H100", 1), gpu("2", "L4", 1)});
  ResourceClaim wanted = claim(2);
  wanted.devices.constraints = {test::match("island"), test::match("model")};
  const WhyNot why = explain(world, {wanted});
  const NodeWhyNot& node = why.groups.at(0).why;
  REQUIRE(node.constraints.size() == 2);
  CHECK(node.constraints[0].breaks);
  CHECK(node.constraints[1].breaks);
  CHECK(node.constraints[0].groups == std::vector<ConstraintView::Group>{{"0", {"0"}}, {"1", {"1", "2"}}});
  CHECK(node.conclusion ==
        "enough devices, but no combination satisfies matchAttribute d.example.com/island and matchAttribute "
        "d.example.com/model");
  CHECK(changes(why) == Texts{"request gpus: ask for 1 device in place of 2",
                              "drop the constraint matchAttribute d.example.com/island",
                              "drop the constraint matchAttribute d.example.com/model"});
}

TEST_CASE("constraints-that-break-only-together") {
  World world;
  world.add_node("a", {gpu("0", "H100", 0), gpu("1", "L4", 1)});
  ResourceClaim wanted = claim(2);
  wanted.devices.constraints = {test::match("island"), test::match("model")};
  const WhyNot why = explain(world, {wanted});
  CHECK(why.groups.at(0).why.constraints.at(0).breaks);
  CHECK(why.groups.at(0).why.constraints.at(1).breaks);
  CHECK(changes(why) == Texts{"request gpus: ask for 1 device in place of 2", "drop all 2 constraints"});
}

TEST_CASE("the-claim-that-is-in-the-way") {
  World world;
  world.add_node("a", test::devices("gpu-", 2));
  world.hold("ml/other", "elsewhere", "gpu-0");
  world.hold("ml/one", "a", "gpu-0");
  world.hold("ml/two", "a", "gpu-1");
  const WhyNot why = explain(world, {claim(1)});
  CHECK(changes(why) == Texts{"free claim ml/one", "add a node like a, with all its devices free"});
  CHECK(why.fixes[0].effect == "allocated on a: a/gpu-0");
}

TEST_CASE("requests-that-want-the-same-devices") {
  World world;
  world.add_node("a", test::devices("gpu-", 1));
  const WhyNot why = explain(world, {test::claim_of({1, 1})});
  CHECK(why.groups.at(0).why.conclusion == "the requests want the same devices, or what these share");
  CHECK(why.fixes.empty());
}

TEST_CASE("a-pool-that-is-incomplete") {
  World world;
  world.add_node("a", test::devices("gpu-", 1));
  world.slices[0].spec.pool.resource_slice_count = 2;
  const WhyNot why = explain(world, {claim(1)});
  CHECK(why.groups.at(0).why.conclusion == "no devices");
  CHECK(why.groups.at(0).why.pools == Texts{"d.example.com/a is incomplete: 1 of 2 slices of generation 1 are there"});
}

TEST_CASE("hints-for-claims-that-can-never-match") {
  World world;
  world.add_node("a", {gpu("0", "A100-SXM4-80GB"), gpu("1", "L4")});
  const auto hint = [&](const ResourceClaim& wanted) {
    const WhyNot why = explain(world, {wanted});
    return why.hints.size() == 1 ? why.hints[0].text : std::to_string(why.hints.size()) + " hints";
  };
  SECTION("an amount just above") {
    const ResourceClaim wanted = claim(1, {kMemory + ".compareTo(quantity(\"80Gi\")) >= 0"});
    CHECK(hint(wanted) == "selector #0: no device matches " + kMemory +
                              ".compareTo(quantity(\"80Gi\")) >= 0: memory is 81559Mi (2); with 81559Mi in place of "
                              "80Gi 2 devices match");
    CHECK(changes(explain(world, {wanted})) ==
          Texts{"request gpus: change selector #0 to " + kMemory + ".compareTo(quantity(\"81559Mi\")) >= 0"});
  }
  SECTION("a misspelt attribute") {
    CHECK(hint(claim(1, {"has(device.attributes[\"d.example.com\"].modle)"})) ==
          "selector #0: no device has an attribute d.example.com/modle: did you mean model?; with model in place of "
          "modle 2 devices match");
  }
  SECTION("another domain") {
    CHECK(hint(claim(1, {"device.attributes[?\"gpu.nvidia.com\"].model.orValue(\"\") == \"L4\""}))
              .starts_with("selector #0: no device has an attribute gpu.nvidia.com/model: model is published under "
                           "d.example.com"));
  }
  SECTION("a capacity that is taken for an attribute") {
    CHECK(hint(claim(1, {"has(device.attributes[\"d.example.com\"].memory)"})) ==
          "selector #0: no device has an attribute d.example.com/memory: memory is a capacity, "
          "device.capacity[...]; with capacity in place of attributes 2 devices match");
  }
  SECTION("a text of another spelling") {
    CHECK(hint(claim(1, {kModel + ".startsWith(\"L4\") && " + kModel + " == \"A100-SXM-80GB\""})) ==
          "selector #0: no device matches " + kModel +
              " == \"A100-SXM-80GB\": model is \"L4\" (1); with L4 in place of A100-SXM-80GB 1 device matches");
  }
  SECTION("a selector of the class") {
    world.classes[0].selectors = {{kModel + " == \"H100\""}};
    CHECK(hint(claim(1)).starts_with("selector #0 of class any: no device matches"));
  }
  SECTION("a constraint on what nobody publishes") {
    ResourceClaim wanted = claim(2);
    wanted.devices.constraints = {test::match("ilsand")};
    CHECK(hint(wanted) ==
          "matchAttribute d.example.com/ilsand: no device has an attribute d.example.com/ilsand: did you mean island?");
  }
}

TEST_CASE("no-hint-where-some-device-matches") {
  World world;
  world.add_node("a", {gpu("0", "L4")});
  CHECK(explain(world, {claim(2, {kModel + " == \"L4\""})}).hints.empty());
}

TEST_CASE("less-of-a-capacity") {
  World world;
  Device shared = gpu("0", "L4");
  shared.allow_multiple_allocations = true;
  world.add_node("a", {shared});
  ResourceClaim wanted = claim(1);
  wanted.devices.requests[0].exactly->capacity = objects::CapacityRequirements{{{"memory", *parse_quantity("90Gi")}}};
  const WhyNot why = explain(world, {wanted});
  CHECK(losses(why.groups.at(0).why.requests.at(0)) ==
        Texts{"capacity 1: memory: 90Gi needed, 81559Mi of 81559Mi free"});
  CHECK(changes(why) == Texts{"request gpus: ask for memory 81559Mi in place of 90Gi"});
}

TEST_CASE("answers-to-a-selector-tell-why") {
  World world;
  world.add_node("a", {gpu("0", "A100-SXM4-80GB"), gpu("1", "L4")});
  const DeviceAnswers one = ask_devices(kModel + " == \"L4\"", world.slices, {});
  CHECK(one.devices.at(0).reason == "model is \"A100-SXM4-80GB\"");
  CHECK(one.devices.at(1).reason.empty());
  CHECK(one.hint.empty());
  const DeviceAnswers none = ask_devices(kModel + " == \"a100\"", world.slices, {});
  CHECK(none.hint == "no device matches " + kModel +
                         " == \"a100\": model is \"A100-SXM4-80GB\" (1); model is \"L4\" (1); with A100-SXM4-80GB in "
                         "place of a100 1 device matches");
  CHECK(ask_devices(kMemory + " >= quantity(\"1\")", world.slices, {}).hint.starts_with("amounts are compared with"));
  CHECK(ask_devices("device.capacity[\"memory\"].compareTo(quantity(\"1\")) > 0", world.slices, {})
            .hint.starts_with("the first index is the domain"));
}

}  // namespace gpusched::dra
