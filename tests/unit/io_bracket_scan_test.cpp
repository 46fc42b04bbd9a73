#include "io/bracket_scan.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

using gpusched::io::BracketScan;

namespace {

/// The rule in its plainest form; the text starts behind the first bracket. Only quotes can be escaped.
std::size_t end_bytewise(const std::string& text) {
  int depth = 1;
  bool in_string = false;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool plain = !std::exchange(escaped, !escaped && c == '\\');
    if (c == '"') {
      in_string ^= plain;
    } else if (!in_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return BracketScan::npos;
}

std::size_t end_in_blocks(const std::string& text, std::size_t block) {
  BracketScan scan;
  scan.start();
  for (std::size_t at = 0; at < text.size(); at += block) {
    const std::size_t end = scan.find_end(std::string_view(text).substr(at, block));
    if (end != BracketScan::npos) {
      return at + end;
    }
  }
  return BracketScan::npos;
}

}  // namespace

TEST_CASE("a value ends at its own bracket") {
  struct Case {
    std::string name, text;
    std::size_t end;
  };
  const std::string blanks(200, ' ');
  const std::vector<Case> cases = {
      {"empty", "}", 1},
      {"nested", R"("a":[{}]} ,)", 9},
      {"brackets-in-strings", R"("}":"]}{["}x)", 11},
      {"escaped-quote", R"("\"}"} )", 6},
      {"escaped-backslash", R"("\\"} ")", 5},
      {"open", R"("a":{)", BracketScan::npos},
      {"open-string", R"("a}}}}})", BracketScan::npos},
      {"behind-a-block", blanks + "}", 201},
      {"backslashes-over-a-block", "\"" + std::string(127, '\\') + "\"\"}", 131},
      {"nothing", "", BracketScan::npos},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    for (const std::size_t block : {1, 7, 64, 65, 1000}) {
      INFO(block);
      CHECK(end_in_blocks(c.text, block) == c.end);
    }
  }
}

TEST_CASE("random texts in random blocks give what a byte at a time gives") {
  std::mt19937 random(1);
  const std::string letters = R"({}[]"\ a)";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) {
      // Few brackets, so that values get long; now and then a run of backslashes.
      c = random() % 4 == 0 ? letters[random() % letters.size()] : 'x';
    }
    const std::size_t block = 1 + random() % 200;
    INFO(text << " in blocks of " << block);
    REQUIRE(end_in_blocks(text, block) == end_bytewise(text));
  }
}
