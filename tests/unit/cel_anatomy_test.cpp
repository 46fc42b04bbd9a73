#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/cel/anatomy.hpp"

namespace gpusched::cel {
namespace {

using Texts = std::vector<std::string>;

Texts found_words(std::string_view expression) {
  constexpr std::string_view kKinds = "tnfi";
  Texts texts;
  for (const Word& word : words(expression)) {
    texts.push_back(std::string(1, kKinds[static_cast<std::size_t>(word.kind)]) + ":" + word.value);
  }
  return texts;
}

}  // namespace

TEST_CASE("conjuncts-of-expressions") {
  CHECK(conjuncts("a") == Texts{"a"});
  CHECK(conjuncts("a && b&&c") == Texts{"a", "b", "c"});
  CHECK(conjuncts("  ((a && b)) ") == Texts{"a", "b"});
  CHECK(conjuncts("(a) && (b)") == Texts{"(a)", "(b)"});
  CHECK(conjuncts("a || b && c") == Texts{"a || b && c"});
  CHECK(conjuncts("a ? b && c : d") == Texts{"a ? b && c : d"});
  CHECK(conjuncts("f(a && b) && [c && d]") == Texts{"f(a && b)", "[c && d]"});
  CHECK(conjuncts(R"(x == "a && b" && y)") == Texts{R"(x == "a && b")", "y"});
  CHECK(conjuncts("a // && b\n && c") == Texts{"a // && b", "c"});
  CHECK(conjuncts("") == Texts{""});
  CHECK(conjuncts(")(") == Texts{")("});
  CHECK(conjuncts("\xff && a") == Texts{"\xff && a"});
}

TEST_CASE("words-of-expressions") {
  CHECK(found_words(R"(device.attributes["d.example.com"].model == 'L4')") ==
        Texts{"f:attributes", "i:d.example.com", "f:model", "t:L4"});
  CHECK(found_words("x.startsWith(\"A\") && y in [\"b\", r'c']") == Texts{"t:A", "t:b", "t:c"});
  CHECK(found_words("a.n > -3 && a.m - 4 == 5") == Texts{"f:n", "n:-3", "f:m", "n:4", "n:5"});
  CHECK(found_words("a[?\"k\"].?b.orValue(1)") == Texts{"i:k", "f:b", "n:1"});
  CHECK(found_words("\"\\xff\" == \xff").empty());
}

TEST_CASE("words-are-replaced") {
  const std::string_view expression = "\"é\" == \"ü\" && device.attributes[\"d\"].x >= -1";
  const std::vector<Word> found = words(expression);
  REQUIRE(found.size() == 6);
  CHECK(with_word(expression, found[1], "a\"b\\") == "\"é\" == \"a\\\"b\\\\\" && device.attributes[\"d\"].x >= -1");
  CHECK(with_word(expression, found[4], "y") == "\"é\" == \"ü\" && device.attributes[\"d\"].y >= -1");
  CHECK(with_word(expression, found[5], "7") == "\"é\" == \"ü\" && device.attributes[\"d\"].x >= 7");
}

}  // namespace gpusched::cel
