#include <catch2/catch.hpp>
#include <string>

#include "dra/observation.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "support/dra_builders.hpp"

namespace gpusched::dra {
namespace {

using objects::Device;

Hash128 seen(std::string_view expression, const Device& device, std::string_view driver = "d.example.com") {
  const auto program = cel::compile(expression);
  REQUIRE(program);
  Observation observation(cel::observed(*program));
  observation.turn_to(driver);
  static_cast<void>(observation.look_at(device));
  return observation.hash();
}

const std::string kModel = "device.attributes['d.example.com'].model == 'a'";

Device gpu(objects::Named<objects::AttributeValue> attributes) {
  return test::device("gpu", std::move(attributes));
}

objects::AttributeValue text(std::string value) {
  return value;
}

}  // namespace

TEST_CASE("devices-that-differ-elsewhere-look-the-same") {
  const Device a = gpu({{"model", text("a")}, {"uuid", text("1")}});
  const Device b = gpu({{"uuid", text("2")}, {"model", text("a")}});
  CHECK(seen(kModel, a) == seen(kModel, b));
  CHECK(seen(kModel, a) != seen(kModel, gpu({{"model", text("b")}})));
  CHECK(seen(kModel, a) != seen(kModel, gpu({})));
  CHECK(seen("device.attributes.all(k, true)", a) != seen("device.attributes.all(k, true)", b));
}

TEST_CASE("names-mean-the-driver-unless-they-have-a-domain") {
  CHECK(seen(kModel, gpu({{"model", text("a")}})) == seen(kModel, gpu({{"d.example.com/model", text("a")}})));
  CHECK(seen(kModel, gpu({{"model", text("a")}})) != seen(kModel, gpu({{"other.example.com/model", text("a")}})));
  CHECK(seen(kModel, gpu({{"model", text("a")}}), "other.example.com") == seen(kModel, gpu({}), "other.example.com"));
  CHECK(seen(kModel, gpu({{"my-model", text("a")}})) == seen(kModel, gpu({})));
}

TEST_CASE("types-and-ways-of-writing-are-seen") {
  CHECK(seen(kModel, gpu({{"model", std::int64_t{1}}})) != seen(kModel, gpu({{"model", true}})));
  CHECK(seen(kModel, gpu({{"model", text("1.0.0")}})) != seen(kModel, gpu({{"model", objects::Version{"1.0.0"}}})));
  const std::string memory = "device.capacity['d.example.com'].memory.isInteger()";
  const auto with = [](std::string_view amount) {
    Device device = gpu({});
    device.capacity = {{"memory", {*parse_quantity(amount), {}}}};
    return device;
  };
  CHECK(seen(memory, with("1Ki")) == seen(memory, with("1Ki")));
  CHECK(seen(memory, with("1Ki")) != seen(memory, with("1024")));
}

TEST_CASE("a-device-with-a-bad-attribute-fails-every-expression-on-its-own") {
  const Device good = gpu({{"model", text("a")}, {"v", objects::Version{"1.0.0"}}});
  const Device other = gpu({{"model", text("a")}, {"v", objects::Version{"2.0.0"}}});
  const Device bad = gpu({{"model", text("a")}, {"v", objects::Version{"1.0"}}});
  const Device none = gpu({{"model", text("a")}, {"w", std::monostate{}}});
  CHECK(seen(kModel, good) == seen(kModel, other));
  CelSelectors selectors{Features{}};
  const std::size_t selector = selectors.compile(kModel);
  const auto ask = [&](const Device& device) {
    return selectors.evaluate(selector, selectors.add_device("d.example.com", device));
  };
  CHECK_FALSE(ask(gpu({{"v", objects::Version{""}}})).error.empty());
  CHECK(ask(good).match);
  CHECK(ask(bad).error.starts_with("attribute v: parse semantic version: "));
  CHECK(ask(none).error == "attribute w: unsupported attribute value");
  CHECK(ask(other).match);
}

// Evaluators are shared by copies of a cluster that come and go.
TEST_CASE("a-device-that-is-gone-is-not-looked-at-again") {
  CelSelectors selectors{Features{}};
  const std::size_t by_model = selectors.compile(kModel);
  const std::size_t by_memory =
      selectors.compile("device.capacity['d.example.com'].memory.isGreaterThan(quantity('1Gi'))");
  Device device;  // the next one stands where the one before stood
  const auto ask = [&](std::string model, std::string_view memory, std::string version) {
    device.attributes.resize(2);
    device.attributes[0] = {"model", text(std::move(model))};
    device.attributes[1] = {"v", objects::Version{std::move(version)}};
    device.capacity.resize(1);
    device.capacity[0] = {"memory", {*parse_quantity(memory), {}}};
    const std::size_t number = selectors.add_device("d.example.com", device);
    return std::pair(selectors.evaluate(by_model, number).match, selectors.evaluate(by_memory, number).match);
  };
  CHECK(ask("a", "2Gi", "1.0.0") == std::pair(true, true));
  CHECK(ask("b", "1Gi", "2.0.0") == std::pair(false, false));
  CHECK(ask("a", "2Gi", "x") == std::pair(false, false));
  CHECK(ask("a", "2Gi", "2.0.0") == std::pair(true, true));
}

}  // namespace gpusched::dra
