#include "gpusched/base/text.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace gpusched {
namespace {

using namespace std::string_literals;

TEST_CASE("edit-distance-counts-edits-and-swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("spread", "spread") == 0);
  CHECK(edit_distance("spraed", "spread") == 1);
  CHECK(edit_distance("sprad", "spread") == 1);
  CHECK(edit_distance("sprread", "spread") == 1);
  CHECK(edit_distance("sprexd", "spread") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ca", "abc") == 3);  // a swapped pair is not edited again
  CHECK(edit_distance("BinPack", "binpack") == 0);
  CHECK(edit_distance("BniPack", "binpack") == 1);
}

TEST_CASE("suggest-finds-the-closest-allowed-word") {
  static constexpr std::array<std::string_view, 5> kPolicies = {"bin-pack", "spread", "fgd", "island", "a"};
  CHECK(suggest("binpack", kPolicies) == "bin-pack");
  CHECK(suggest("SPREAD", kPolicies) == "spread");
  CHECK(suggest("spraed", kPolicies) == "spread");
  CHECK(suggest("fdg", kPolicies) == "fgd");
  CHECK(suggest("ilsnad", kPolicies) == "island");
  CHECK(suggest("random", kPolicies).empty());
  CHECK(suggest("x", kPolicies).empty());
  CHECK(suggest("", kPolicies).empty());
  CHECK(suggest(std::string(100'000, 'b'), kPolicies).empty());
  CHECK(suggest("spread", {}).empty());
}

TEST_CASE("suggest-takes-the-first-of-equally-close-words") {
  static constexpr std::array<std::string_view, 2> kWords = {"node-b", "node-a"};
  CHECK(suggest("node-c", kWords) == "node-b");
}

TEST_CASE("join-puts-the-separator-between-words") {
  CHECK(join(std::vector<std::string>{}, ", ").empty());
  CHECK(join(std::vector<std::string>{"a"}, ", ") == "a");
  CHECK(join(std::vector<std::string>{"a", "", "c"}, ", ") == "a, , c");
  CHECK(join(std::array<std::string_view, 2>{"a", "b"}, "|") == "a|b");
}

TEST_CASE("format-double-g-prints-six-significant-digits") {
  CHECK(format_double_g(0) == "0");
  CHECK(format_double_g(-0.0) == "-0");
  CHECK(format_double_g(1) == "1");
  CHECK(format_double_g(0.1) == "0.1");
  CHECK(format_double_g(66.66666666) == "66.6667");
  CHECK(format_double_g(100000) == "100000");
  CHECK(format_double_g(999999.5) == "1e+06");
  CHECK(format_double_g(1234567) == "1.23457e+06");
  CHECK(format_double_g(0.0001) == "0.0001");
  CHECK(format_double_g(0.00001234) == "1.234e-05");
  CHECK(format_double_g(1e300) == "1e+300");
  CHECK(format_double_g(std::numeric_limits<double>::infinity()) == "inf");
}

struct Utf8Case {
  const char* name;
  std::string text;
  bool valid;
  std::string escaped;
};

const Utf8Case kUtf8Cases[] = {
    {"empty", "", true, ""},
    {"ascii", "node-1", true, "node-1"},
    {"two-bytes", "\u00b5", true, "\u00b5"},
    {"three-bytes", "\u20ac", true, "\u20ac"},
    {"four-bytes", "\U0001f600", true, "\U0001f600"},
    {"largest-code-point", "\xf4\x8f\xbf\xbf", true, "\xf4\x8f\xbf\xbf"},
    {"above-largest-code-point", "\xf4\x90\x80\x80", false, R"(\xf4\x90\x80\x80)"},
    {"surrogate", "\xed\xa0\x80", false, R"(\xed\xa0\x80)"},
    {"overlong-two-bytes", "\xc0\xaf", false, R"(\xc0\xaf)"},
    {"overlong-three-bytes", "\xe0\x80\xaf", false, R"(\xe0\x80\xaf)"},
    {"overlong-four-bytes", "\xf0\x80\x80\xaf", false, R"(\xf0\x80\x80\xaf)"},
    {"cut-off", "a\xe2\x82", false, R"(a\xe2\x82)"},
    {"lone-continuation", "\x80z", false, R"(\x80z)"},
    {"latin-1", "caf\xe9 x", false, R"(caf\xe9 x)"},
    {"no-lead-byte", "\xff\xfe", false, R"(\xff\xfe)"},
    {"colour-sequence", "\x1b[31mred", true, R"(\x1b[31mred)"},
    {"line-ends", "a\r\n\tb", true, R"(a\r\n\tb)"},
    {"zero-byte", "a\0b"s, true, R"(a\x00b)"},
    {"delete", "\x7f", true, R"(\x7f)"},
    {"second-control-block", "\u009b", true, R"(\u009b)"},
    {"direction-override", "a\u202eb", true, R"(a\u202eb)"},
    {"line-separator", "\u2028", true, R"(\u2028)"},
    {"byte-order-mark", "\ufeffx", true, R"(\ufeffx)"},
    {"no-width", "a\u200b\u2060\u00ad\u200d", true, R"(a\u200b\u2060\u00ad\u200d)"},
    {"tag-character", "\U000e0041", true, R"(\U000e0041)"},
    {"backslash-stays", R"(C:\n)", true, R"(C:\n)"},
};

TEST_CASE("utf-8-is-checked-and-control-characters-are-made-visible") {
  for (const Utf8Case& c : kUtf8Cases) {
    INFO(c.name);
    CHECK(valid_utf8(c.text) == c.valid);
    CHECK(escape_control(c.text) == c.escaped);
  }
}

TEST_CASE("long-values-are-cut-between-characters") {
  CHECK(shorten("abc", 3) == "abc");
  CHECK(shorten("abcd", 3) == "abc…");
  CHECK(shorten("aéé", 4) == "aé…");
  CHECK(shorten("a\nb", 2) == "a\\n…");
  CHECK(shorten("\xff\xff", 1) == "\\xff…");
  CHECK(quote("a\tb") == "\"a\\tb\"");
  CHECK(quote(std::string(41, 'x')) == '"' + std::string(40, 'x') + "…\"");
}

TEST_CASE("width-is-counted-in-cells") {
  CHECK(display_width("") == 0);
  CHECK(display_width("node-1") == 6);
  CHECK(display_width("größe") == 5);
  CHECK(display_width("gro\u0308ße") == 5);
  CHECK(display_width("训练") == 4);
  CHECK(display_width("\xff") == 1);
  CHECK(pad_right("训练", 6) == "训练  ");
  CHECK(pad_right("long", 2) == "long");
}

}  // namespace
}  // namespace gpusched
