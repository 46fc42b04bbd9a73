#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "gpusched/io/source.hpp"
#include "topology_cases.hpp"

namespace gpusched::conformance {
namespace {

constexpr const char* kCorpus = "kueue-topology-cases.jsonl";

/// The folder in the variable if it has this corpus, else the sample.
std::filesystem::path corpus_file() {
  if (const char* const folder = std::getenv("GPUSCHED_CONFORMANCE_DIR")) {
    const std::filesystem::path file = std::filesystem::path(folder) / kCorpus;
    if (std::filesystem::exists(file)) return file;
  }
  return std::filesystem::path("tests/conformance/data") / kCorpus;
}

/// GPUSCHED_CONFORMANCE_CASE narrows a run to the cases whose id starts with it.
bool is_wanted(const std::string& id) {
  const char* const only = std::getenv("GPUSCHED_CONFORMANCE_CASE");
  return only == nullptr || std::string_view(id).starts_with(only);
}

struct Tally {
  std::size_t queries = 0, equal = 0;
};

void show(const TopologyCase& topology_case, std::size_t query) {
  fmt::print("{} query {}\n", topology_case.id, query);
  for (const PodSetAnswer& answer : topology_case.ours[query]) fmt::print("  ours  {}\n", answer);
  for (const QueryAnswer& variant : topology_case.expect[query]) {
    for (const PodSetAnswer& answer : variant) fmt::print("  Kueue {}\n", answer);
  }
}

TEST_CASE("pod sets go to the domains that Kueue chooses") {
  std::ifstream lines(corpus_file(), std::ios::binary);
  REQUIRE(lines);
  std::map<std::string, Tally> families;
  Tally total;
  for (std::string line; std::getline(lines, line);) {
    auto documents = io::parse_documents({kCorpus, line});
    REQUIRE(documents.has_value());
    const TopologyCase topology_case = answer_topology_case(documents->front());
    if (!is_wanted(topology_case.id)) continue;
    REQUIRE(topology_case.ours.size() == topology_case.expect.size());
    for (std::size_t query = 0; query < topology_case.ours.size(); ++query) {
      const bool equal = std::ranges::count(topology_case.expect[query], topology_case.ours[query]) > 0;
      for (Tally* const tally : {&families[topology_case.family], &total}) {
        ++tally->queries;
        tally->equal += equal ? 1U : 0U;
      }
      if (!equal && total.queries - total.equal <= 20) show(topology_case, query);
    }
  }
  for (const auto& [family, tally] : families) fmt::print("{}: {} of {} equal\n", family, tally.equal, tally.queries);
  fmt::print("total: {} of {} equal\n", total.equal, total.queries);
  CHECK(total.equal == total.queries);
}

}  // namespace
}  // namespace gpusched::conformance
