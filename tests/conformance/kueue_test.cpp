// Kueue's admission against the answers of the real one, word for word.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "conformance/corpus.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "kueue_cases.hpp"

namespace gpusched::conformance {
namespace {

/// GPUSCHED_CONFORMANCE_CASE narrows a run to the cases whose id starts with it.
bool is_wanted(std::string_view id) {
  const char* const only = std::getenv("GPUSCHED_CONFORMANCE_CASE");
  return only == nullptr || id.starts_with(only);
}

struct Tally {
  std::size_t cases = 0, equal = 0;
};

}  // namespace

TEST_CASE("kueue-cases") {
  constexpr std::size_t kShown = 6;
  std::map<std::string, Tally> families;
  std::size_t shown = 0;
  for (const io::Document& document : corpus("kueue-cases.jsonl")) {
    if (!is_wanted(document.root.find("id")->text())) {
      continue;
    }
    const KueueCase kueue_case = read_kueue_case(document);
    const std::vector<std::string> ours = answer_case(kueue_case);
    const bool equal = std::ranges::find(kueue_case.expected, ours.front()) != kueue_case.expected.end();
    Tally& tally = families[kueue_case.family];
    ++tally.cases;
    tally.equal += equal ? 1 : 0;
    if (!equal && shown++ < kShown) {
      fmt::print("{}\nours:\n{}\nreal:\n{}\n", kueue_case.id, ours.front(), kueue_case.expected.front());
    } else if (!equal) {
      fmt::print("{} differs\n", kueue_case.id);
    }
  }
  Tally total;
  for (const auto& [family, tally] : families) {
    fmt::print("{}: {} of {} equal\n", family, tally.equal, tally.cases);
    total.cases += tally.cases;
    total.equal += tally.equal;
  }
  fmt::print("total: {} of {} equal\n", total.equal, total.cases);
  CHECK(total.equal == total.cases);
}

TEST_CASE("Kueue's objects of the field are read") {
  const std::filesystem::path folder = "../shared/cases/field-files/queues";
  if (!std::filesystem::exists(folder)) {
    return;
  }
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto documents = io::parse_documents({entry.path().string(), std::move(text)});
    REQUIRE(documents);
    for (const io::Document& document : *documents) {
      io::Decoder decoder(document);
      objects::KueueObjects objects;
      if (!io::decode_kueue_object(decoder, document.root, objects)) {
        continue;
      }
      // Its requeueAfterSeconds is "50400 // in 14h, …".
      const bool good = entry.path().filename() != "kueue-workload-ml-training-job.yaml";
      INFO(entry.path());
      CHECK(decoder.failed() != good);
      ++read;
    }
  }
  CHECK(read >= 20);
}

}  // namespace gpusched::conformance
