#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "gpusched/io/source.hpp"
#include "sched_cases.hpp"

namespace gpusched::conformance {
namespace {

constexpr const char* kCorpus = "sched-cases.jsonl";

/// The folder of the recorded answers: the variable, the place beside a work tree, or the sample.
std::filesystem::path corpus_folder() {
  if (const char* const folder = std::getenv("GPUSCHED_CONFORMANCE_DIR")) {
    return folder;
  }
  const std::filesystem::path beside = "../shared/conformance";
  return std::filesystem::exists(beside / kCorpus) ? beside : std::filesystem::path("tests/conformance/data");
}

std::vector<io::Document> read_corpus(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  auto documents = io::parse_documents({file.string(), std::move(text).str()});
  REQUIRE(documents.has_value());
  return *std::move(documents);
}

kubescheduler::Prediction predict_case(const SchedCase& sched_case) {
  kubescheduler::PredictOptions options;
  options.rules = kubescheduler::rules_for({});
  options.configuration = sched_case.configuration;
  const kubescheduler::Snapshot snapshot(sched_case.objects, options.rules.requests);
  for (const objects::Pod& pod : snapshot.objects().pods) {
    if (pod.meta.namespace_name + "/" + pod.meta.name == sched_case.pod) {
      return kubescheduler::predict(snapshot, pod, options);
    }
  }
  FAIL("no pod " << sched_case.pod << " in " << sched_case.id);
  return {};
}

struct Tally {
  std::size_t cases = 0, equal = 0;
};

TEST_CASE("the scheduler's answers are predicted") {
  const char* const only = std::getenv("GPUSCHED_CONFORMANCE_CASE");
  std::size_t shown = 0;
  constexpr std::size_t kShown = 40;
  std::map<std::string, Tally> families;
  for (const io::Document& document : read_corpus(corpus_folder() / kCorpus)) {
    const SchedCase sched_case = read_sched_case(document);
    if (only != nullptr && !std::string_view(sched_case.id).starts_with(only)) {
      continue;
    }
    const std::vector<std::string> found = differences(predict_case(sched_case), sched_case.expect);
    Tally& tally = families[sched_case.family];
    ++tally.cases;
    tally.equal += found.empty() ? 1 : 0;
    if (!found.empty() && shown++ < kShown) {
      fmt::print("{}\n", sched_case.id);
      for (const std::string& difference : found) {
        fmt::print("  {}\n", difference);
      }
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

}  // namespace
}  // namespace gpusched::conformance
