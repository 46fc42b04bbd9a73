// The scheduling chain of GPUStack's operator against vectors from its documentation, its unit tests and its rules.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "chain_vectors.hpp"

namespace gpusched::conformance {
namespace {

using Json = nlohmann::json;

std::filesystem::path corpus_path() {
  constexpr std::string_view kName = "gpustack-chain-vectors.json";
  if (const char* const folder = std::getenv("GPUSCHED_CONFORMANCE_DIR")) return std::filesystem::path(folder) / kName;
  const std::filesystem::path shared = std::filesystem::path("../shared/conformance") / kName;
  if (std::filesystem::exists(shared)) return shared;
  return std::filesystem::path("tests/conformance/data") / kName;
}

Json corpus() {
  const std::filesystem::path path = corpus_path();
  std::ifstream file(path, std::ios::binary);
  INFO("cannot read " << path << "; tests run in the project's root");
  REQUIRE(file.good());
  return Json::parse(file);
}

/// "1600k (1d flavor)" and "4 (x2)" as the quantities that they stand for.
std::vector<std::string> quantities(const Json& texts) {
  std::vector<std::string> list;
  for (const Json& json : texts.is_array() ? texts : Json::array({texts})) {
    const auto text = json.get<std::string>();
    const std::size_t blank = text.find(' ');
    const bool twice = text.ends_with("(x2)");
    list.insert(list.end(), twice ? 2 : 1, text.substr(0, blank));
  }
  return list;
}

/// The vector's expectation in a form that can be compared: lists of names are sets, remarks in quotas are dropped.
Json comparable(const std::string& area, Json expected) {
  if (area != "flavor-and-pool-names" || !expected.is_object()) return expected;
  for (auto& [key, value] : expected.items()) {
    if (value.is_array()) std::sort(value.begin(), value.end());
    if (key != "nominalQuota") continue;
    for (auto& [queue, texts] : value.items()) texts = quantities(texts);
  }
  return expected;
}

/// Whether everything that is expected is in the answer. Stop policies name some facts only, and say "unchanged".
bool agrees(const std::string& area, const Json& expected, const Json& answer) {
  if (area == "request-rule") {
    const bool accepted = expected.at("accepted").get<bool>();
    return answer.at("accepted") == accepted && (accepted || answer.at("rule") == expected.at("rule"));
  }
  if (area != "stop-policy") return expected == answer;
  return std::ranges::all_of(expected.items(), [&](const auto& entry) {
    if (entry.value() == "unchanged") return answer.at("unchanged") == true;
    return answer.at(entry.key()) == entry.value();
  });
}

struct Tally {
  int equal = 0;
  int cases = 0;
};

}  // namespace

TEST_CASE("gpustack-chain-vectors") {
  std::map<std::string, Tally> areas;
  Tally all;
  const Json vectors = corpus().at("vectors");
  REQUIRE(!vectors.empty());
  for (const Json& vector : vectors) {
    const auto area = vector.at("area").get<std::string>();
    const Json expected = comparable(area, vector.at("expected"));
    const Json answer = chain_answer(area, vector);
    const bool equal = agrees(area, expected, answer);
    for (Tally* const tally : {&areas[area], &all}) {
      ++tally->cases;
      tally->equal += equal ? 1 : 0;
    }
    if (!equal) {
      fmt::print("{} {}\n--- expected\n{}\n--- ours\n{}\n--- input\n{}\n", vector.at("id").get<std::string>(), area,
                 expected.dump(), answer.dump(), vector.at("input").dump());
    }
    CHECK(equal);
  }
  for (const auto& [area, tally] : areas) fmt::print("{}: {} of {} equal\n", area, tally.equal, tally.cases);
  fmt::print("gpustack-chain-vectors: {} of {} equal\n", all.equal, all.cases);
}

}  // namespace gpusched::conformance
