#include <catch2/catch.hpp>

#include <string>

#include "support/cel_device.hpp"

namespace gpusched::cel {
namespace {

using test::answer;
using test::run;

TEST_CASE("cel-attributes-are-found-by-domain-and-name") {
  CHECK(answer("device.attributes['gpu.example.com'].model == 'A100'") == "true");
  CHECK(answer("device.attributes['other.example.com'].model == 'H100'") == "true");
  CHECK(answer("device.attributes['gpu.example.com'].index > 6") == "true");
  CHECK(answer("device.attributes['gpu.example.com'].shared") == "true");
  CHECK(answer("device.driver == 'gpu.example.com' && !device.allowMultipleAllocations") == "true");
}

TEST_CASE("cel-missing-attributes-are-errors-unless-asked-for") {
  CHECK(answer("device.attributes['gpu.example.com'].color == 'red'") == "no such key: color");
  CHECK(answer("device.attributes['x'].color == 'red'") == "no such key: color");
  CHECK(answer("has(device.attributes['x'].color)") == "false");
  CHECK(answer("device.attributes['x'].?color.orValue('red') == 'red'") == "true");
}

TEST_CASE("cel-or-and-and-absorb-errors-of-the-other-side") {
  CHECK(answer("device.attributes['x'].a == 1 || true") == "true");
  CHECK(answer("device.attributes['x'].a == 1 && false") == "false");
  CHECK(answer("device.attributes['x'].a == 1 && true") == "no such key: a");
}

TEST_CASE("cel-capacities-are-quantities") {
  CHECK(answer("device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('39Gi'))") == "true");
  CHECK(answer("device.capacity['gpu.example.com'].memory.compareTo(quantity('42949672960')) == 0") == "true");
  CHECK(answer("quantity('1x').isInteger()").find("quantities must match") != std::string::npos);
}

TEST_CASE("cel-versions-compare-by-semver") {
  CHECK(answer("device.attributes['gpu.example.com'].version.isLessThan(semver('1.2.3'))") == "true");
  CHECK(answer("semver('v1.2', true).minor() == 2") == "true");
  CHECK(answer("isSemver('v1.2')") == "false");
}

TEST_CASE("cel-integers-do-not-wrap") {
  CHECK(answer("device.attributes['gpu.example.com'].index + 9223372036854775807 > 0") == "integer overflow");
  CHECK(answer("device.attributes['gpu.example.com'].index / 0 > 0") == "division by zero");
  CHECK(answer("1u - 2u == 0u") == "unsigned integer overflow");
}

TEST_CASE("cel-numbers-of-all-types-compare-by-value") {
  CHECK(answer("dyn(1) == dyn(1u) && dyn(1) == dyn(1.0)") == "true");
  CHECK(answer("1 in [1u, 2u].map(x, dyn(x))") == "true");
  CHECK(answer("double('NaN') == double('NaN')") == "false");
}

TEST_CASE("cel-macros-walk-lists-and-maps") {
  CHECK(answer("[1, 2, 3].all(x, x > 0)") == "true");
  CHECK(answer("[1, 2, 3].exists_one(x, x > 2)") == "true");
  CHECK(answer("[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]") == "true");
  CHECK(answer("{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}") == "true");
  CHECK(answer("[5, 6].transformList(i, v, i + v) == [5, 7]") == "true");
  CHECK(answer("cel.bind(x, 2, x * x == 4)") == "true");
}

TEST_CASE("cel-strings-count-code-points") {
  CHECK(answer("'h\xC3\xA9llo'.size() == 5 && 'h\xC3\xA9llo'.substring(1, 2) == '\xC3\xA9'") == "true");
  CHECK(answer("'abc'.substring(4) == ''") == "index out of range: 4");
}

TEST_CASE("cel-regular-expressions-are-those-of-go") {
  CHECK(answer("device.driver.matches('^gpu\\\\.(?<rest>.*)$')") == "true");
  CHECK(answer("'a1b2'.findAll('[0-9]') == ['1', '2']") == "true");
  CHECK(answer("device.driver.matches(device.driver + '(')") ==
        "error parsing regexp: missing closing ): `gpu.example.com(`");
}

TEST_CASE("cel-addresses-are-read-strictly") {
  CHECK(answer("isIP('10.0.0.01')") == "false");
  CHECK(answer("cidr('10.0.0.0/8').containsIP('10.1.2.3')") == "true");
}

TEST_CASE("cel-named-zones-need-a-table") {
  struct Table : ZoneTable {
    std::optional<std::int32_t> offset(std::string_view name, std::int64_t) const override {
      return name == "Test/Zone" ? std::optional(3600) : std::nullopt;
    }
  };
  const std::string expression = "timestamp('2024-01-01T23:30:00Z').getHours('Test/Zone') == 0";
  CHECK(answer(expression) == "unknown time zone Test/Zone");
  CHECK(answer("timestamp('2024-01-01T23:30:00Z').getHours('01:00') == 0") == "true");
  const Table table;
  CompileOptions options;
  options.zones = &table;
  const auto program = compile(expression, options);
  REQUIRE(program);
  Scratch scratch;
  CHECK(evaluate(*program, test::device(), scratch).match);
}

TEST_CASE("cel-costs-are-counted-as-the-original-does") {
  CHECK(run("true").cost == 0);
  CHECK(run("device.driver == 'gpu.example.com'").cost == 4);
  CHECK(run("device.attributes['gpu.example.com'].index > 6").cost == 5);
  CHECK(run("[1, 2].size() == 2").cost == 2);
}

TEST_CASE("cel-evaluation-stops-at-the-cost-limit") {
  CompileOptions options;
  options.cost_limit = 2;
  const auto program = compile("device.driver == 'a'", options);
  REQUIRE(program);
  Scratch scratch;
  const Outcome outcome = evaluate(*program, test::device(), scratch);
  CHECK(outcome.error_kind == ErrorKind::kCostLimit);
  CHECK(outcome.error == "operation cancelled: actual cost limit exceeded");
}

TEST_CASE("cel-a-result-that-is-no-bool-is-an-error") {
  const Outcome outcome = run("device.attributes['gpu.example.com'].model");
  CHECK(outcome.error_kind == ErrorKind::kResult);
  CHECK(outcome.error ==
        "CEL result of type string could not be converted to bool: unsupported native conversion from "
        "string to 'bool'");
}

TEST_CASE("cel-a-device-with-a-bad-version-fails-every-expression") {
  Device device("d", false);
  device.add_attribute("v", VersionText{"1"});
  CHECK(device.error().starts_with("attribute v: parse semantic version: "));
  Scratch scratch;
  CHECK(evaluate(*compile("true"), device, scratch).error_kind == ErrorKind::kAttribute);
}

TEST_CASE("cel-a-program-tells-what-it-observes") {
  const auto program = compile("device.attributes['a'].b == 1 && device.capacity['c'].d.isInteger()");
  REQUIRE(program);
  const Observed& seen = observed(*program);
  CHECK_FALSE(seen.driver);
  CHECK_FALSE(seen.all_attributes);
  CHECK(seen.attributes == std::vector<ObservedName>{{"a", "b"}});
  CHECK(seen.capacities == std::vector<ObservedName>{{"c", "d"}});
  CHECK(observed(*compile("device.attributes.all(k, true)")).all_attributes);
  CHECK(observed(*compile("device.driver == 'a'")).driver);
}

}  // namespace
}  // namespace gpusched::cel
