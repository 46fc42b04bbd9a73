// Prices from tables and objects, and what is wrong with others.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gpusched/io/price_list.hpp"

namespace gpusched::io {

TEST_CASE("prices are read from tables and objects") {
  const PriceList expected{{"aws/p5.48xlarge", 98'320'000}, {"like:dgx-a", 12'000'000}};
  const std::vector<std::string> texts{
      "aws/p5.48xlarge,98.32\nlike:dgx-a,12\n",
      "shape,price\n\"aws/p5.48xlarge\", 98.320\nlike:dgx-a,12.000000\n",
      "like:dgx-a,12\naws/p5.48xlarge,98.32\n",
      R"({"aws/p5.48xlarge": 98.32, "like:dgx-a": 12})",
      "aws/p5.48xlarge: 98.32\n\"like:dgx-a\": \"12\"\n",
  };
  for (const std::string& text : texts) {
    INFO(text);
    const auto prices = read_prices({"prices", text});
    REQUIRE(prices.has_value());
    CHECK(*prices == expected);
  }
}

TEST_CASE("a price is a short decimal number") {
  struct Case {
    std::string text, code;
    std::uint32_t line;
  };
  const std::vector<Case> cases{
      {"a,1\nb,cheap\n", "bad-price", 2},
      {"a,98.3212345\nb,1\n", "bad-price", 1},  // no header
      {"a,1\nb,-1\n", "bad-price", 2},
      {"a,1\nb,1.0000001\n", "bad-price", 2},
      {"a,1\nb,1234567890\n", "bad-price", 2},
      {"a,1\nb,1.\n", "bad-price", 2},
      {"a,1\nb,1e3\n", "bad-price", 2},
      {"a,1\nb\n", "bad-price", 2},
      {"a,1\na,2\n", "duplicate-price", 2},
      {"{\"a\": true}", "bad-price", 1},
      {"{\"a\": -1}", "bad-price", 1},
      {"{\"a\": 1, \"a\": 2}", "duplicate-key", 1},
      {"[1]", "bad-price", 1},
  };
  for (const Case& test : cases) {
    INFO(test.text);
    const auto prices = read_prices({"prices", test.text});
    REQUIRE_FALSE(prices.has_value());
    CHECK(prices.error().front().code == test.code);
    CHECK(prices.error().front().line == test.line);
  }
}

}  // namespace gpusched::io
