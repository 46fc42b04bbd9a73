// The 81 named configurations of gpu-operator on every MIG board: accepted with the same instances, or refused.
// tests/conformance/data/mig-configs.jsonl is written by scripts/gen_mig_expectations.py from the table of sources.

#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "gpusched/io/document.hpp"
#include "gpusched/mig/layout.hpp"
#include "gpusched/mig/named_config.hpp"

namespace gpusched::conformance {
namespace {

using Counts = std::map<std::string, long>;

/// The instances that the configuration makes on the board; none when it is refused.
std::optional<Counts> ours(std::string_view name, const mig::Board& board) {
  const auto config = mig::find_named_config(name, board);
  if (!config || !mig::place_layout(board, config->profiles)) return std::nullopt;
  Counts counts;
  for (const mig::ProfileIndex profile : config->profiles) ++counts[std::string(board.profiles[profile].name)];
  return counts;
}

std::optional<Counts> expected(const io::Value& accepted, std::string_view board) {
  const io::Value* const devices = accepted.find(board);
  if (devices == nullptr) return std::nullopt;
  Counts counts;
  for (const io::Member& member : devices->members()) {
    counts[std::string(member.key())] = std::stol(std::string(member.value.text()));
  }
  return counts;
}

}  // namespace

TEST_CASE("conformance-mig-configurations", "[conformance]") {
  std::ifstream file("tests/conformance/data/mig-configs.jsonl", std::ios::binary);
  const auto documents = io::parse_documents({"mig-configs.jsonl", {std::istreambuf_iterator<char>(file), {}}});
  REQUIRE(documents);
  std::size_t rows = 0;
  std::size_t cases = 0;
  std::size_t equal = 0;
  for (const io::Document& document : *documents) {
    ++rows;
    const std::string_view name = document.root.find("config")->text();
    for (const mig::Board& board : mig::boards()) {
      if (!board.starts_known) continue;
      ++cases;
      if (ours(name, board) == expected(*document.root.find("accepted"), board.id)) {
        ++equal;
      } else {
        FAIL_CHECK(name << " on " << board.id << " differs");
      }
    }
  }
  std::cout << "mig configurations: " << equal << " of " << cases << " equal\n";
  CHECK(rows == 81);
  CHECK(cases == 81 * 16);
  CHECK(equal == cases);
}

}  // namespace gpusched::conformance
