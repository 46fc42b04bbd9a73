// The DRA allocator against the answers of the real one: devices and their order, chosen subrequests, configurations,
// node selectors, error texts, and the number of steps of the search.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "alloc_cases.hpp"
#include "gpusched/dra/cel_selectors.hpp"

namespace gpusched::conformance {
namespace {

std::filesystem::path corpus_path() {
  constexpr std::string_view kName = "alloc-cases.jsonl";
  if (const char* const folder = std::getenv("GPUSCHED_CONFORMANCE_DIR")) return std::filesystem::path(folder) / kName;
  const std::filesystem::path shared = std::filesystem::path("../shared/conformance") / kName;
  if (std::filesystem::exists(shared)) return shared;
  return std::filesystem::path("tests/conformance/data") / kName;
}

std::vector<io::Document> corpus() {
  const std::filesystem::path path = corpus_path();
  std::ifstream file(path, std::ios::binary);
  INFO("cannot read " << path << "; tests run in the project's root");
  REQUIRE(file.good());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<std::vector<io::Document>> documents = io::parse_documents({path.string(), std::move(text)});
  REQUIRE(documents);
  return std::move(*documents);
}

}  // namespace

TEST_CASE("alloc-cases") {
  constexpr std::size_t kShown = 3;
  AllocReplay replay(kShown);
  for (const io::Document& document : corpus()) {
    const AllocCase question = read_alloc_case(document);
    dra::CelSelectors selectors(question.features);
    replay.ask(question, selectors);
  }
  fmt::print("{}", replay.summary());
  CHECK(replay.all_equal());
}

}  // namespace gpusched::conformance
