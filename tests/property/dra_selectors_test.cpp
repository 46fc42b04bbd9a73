// What is remembered of devices and selectors never shows: every outcome is that of an evaluation of its own, and
// devices in use are found in whatever order slices and claims name them.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dra/cel_device.hpp"
#include "gpusched/cel/program.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "support/dra_builders.hpp"

namespace gpusched::dra {
namespace {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t roll(std::size_t n) { return engine_() % n; }
  bool one_in(std::size_t n) { return roll(n) == 0; }

 private:
  std::mt19937 engine_;
};

objects::AttributeValue random_value(Dice& dice) {
  switch (dice.roll(8)) {
    case 0:
      return std::int64_t{1} + static_cast<std::int64_t>(dice.roll(2));
    case 1:
      return true;
    case 2:
      return objects::Version{dice.one_in(20) ? "" : dice.one_in(20) ? "1.x" : "1.2.3"};
    case 3:
      return std::vector<std::string>{"a", dice.one_in(2) ? "b" : "c"};
    case 4:
      if (dice.one_in(20)) return std::monostate{};
      return std::vector<objects::Version>{{"1.2.3"}, {dice.one_in(20) ? "bad" : "2.0.0"}};
    default:
      return std::string(dice.one_in(2) ? "a" : "a-longer-text-than-sixteen-bytes");
  }
}

/// Names collide with and without their domain; most devices are like the one before.
objects::Device random_device(Dice& dice, const objects::Device& before) {
  if (!dice.one_in(3)) return before;
  constexpr const char* kNames[] = {"x", "y", "d.example.com/x", "other.example.com/x", "a/b/c", "b/c", "xx"};
  objects::Device device = test::device("d");
  for (const char* name : kNames) {
    if (dice.one_in(2)) device.attributes.emplace_back(name, random_value(dice));
  }
  for (const char* name : {"m", "d.example.com/m"}) {
    if (!dice.one_in(3))
      device.capacity.emplace_back(name, objects::DeviceCapacity{*parse_quantity(dice.one_in(2) ? "1Ki" : "1024"), {}});
  }
  if (dice.one_in(2)) device.allow_multiple_allocations = dice.one_in(2);
  return device;
}

constexpr const char* kExpressions[] = {
    "device.driver == 'd.example.com'",
    "device.attributes['d.example.com'].x == 'a'",
    "device.attributes['d.example.com'].?x.orValue('none') == 'a'",
    "device.attributes['other.example.com'].?x.orValue(1) == 1 || device.allowMultipleAllocations",
    "has(device.attributes['a'].c) || device.attributes['a/b'].?c.hasValue() || "
    "device.attributes['a'].?`b/c`.hasValue()",
    "device.attributes.exists(d, device.attributes[d].size() > 2)",
    "device.capacity['d.example.com'].m.isInteger() && device.attributes['d.example.com'].y == 'a'",
    "device.capacity.all(d, device.capacity[d].size() == 1)",
    "'x' in device.attributes['d.example.com'] && device.attributes['d.example.com'].xx == 2",
};

}  // namespace

TEST_CASE("selectors-answer-as-if-each-device-were-the-first") {
  Dice dice(21);
  for (int round = 0; round < 10; ++round) {
    std::vector<objects::Device> devices(1);
    for (int i = 0; i < 200; ++i) devices.push_back(random_device(dice, devices.back()));
    CelSelectors selectors{Features{}};
    std::vector<std::size_t> numbers;
    std::vector<std::string> drivers;
    for (const objects::Device& device : devices) {
      drivers.emplace_back(dice.one_in(10) ? "other.example.com" : "d.example.com");
      numbers.push_back(selectors.add_device(drivers.back(), device));
    }
    cel::Scratch scratch;
    for (const char* expression : kExpressions) {
      const auto program = cel::compile(expression);
      REQUIRE(program);
      const std::size_t selector = selectors.compile(expression);
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const cel::Outcome own = cel::evaluate(*program, cel_device(drivers[d], devices[d]), scratch);
        INFO(expression << " round " << round << " device " << d);
        REQUIRE(selectors.evaluate(selector, numbers[d]).match == own.match);
        REQUIRE(selectors.evaluate(selector, numbers[d]).error == own.error);
      }
    }
  }
}

TEST_CASE("devices-in-use-are-found-in-any-order") {
  Dice dice(22);
  for (int round = 0; round < 200; ++round) {
    test::DraQuestion question;
    std::set<std::string> names;
    std::vector<std::string> free;
    const std::size_t slices = 1 + dice.roll(4);
    objects::AllocationResult held;
    for (std::size_t s = 0; s < slices; ++s) {
      objects::ResourceSlice slice = test::slice(fmt::format("s{}", s), {});
      slice.spec.pool.name = fmt::format("p{}", dice.roll(2));
      for (std::size_t d = dice.roll(6); d > 0; --d) {
        const std::string name = fmt::format("d{}", dice.roll(100));
        if (!names.insert(name).second) continue;
        slice.spec.devices.push_back(test::device(name));
        if (dice.one_in(2)) {
          held.results.emplace_back();
          held.results.back().driver = test::kDriver;
          held.results.back().pool = slice.spec.pool.name;
          held.results.back().device = name;
        } else {
          free.push_back(name);
        }
      }
      question.slices.push_back(std::move(slice));
    }
    for (objects::ResourceSlice& slice : question.slices) {
      slice.spec.pool.resource_slice_count = std::ranges::count_if(
          question.slices, [&](const auto& other) { return other.spec.pool.name == slice.spec.pool.name; });
    }
    question.allocated.emplace_back().allocation = held;
    question.claims = {test::claim_of({static_cast<std::int64_t>(free.size()) + 1})};
    REQUIRE(test::ask(question).outcome != AllocationOutcome::kAllocated);
    if (free.empty()) continue;
    question.claims = {test::claim_of({static_cast<std::int64_t>(free.size())})};
    const AllocationAnswer answer = test::ask(question);
    INFO("round " << round);
    REQUIRE(answer.outcome == AllocationOutcome::kAllocated);
    std::set<std::string> taken;
    for (const auto& result : answer.allocations.front().results) taken.insert(result.device);
    REQUIRE(taken == std::set<std::string>(free.begin(), free.end()));
  }
}

}  // namespace gpusched::dra
