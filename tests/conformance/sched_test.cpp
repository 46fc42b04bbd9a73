#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "gpusched/dra/cel_selectors.hpp"
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

kubescheduler::Prediction predict_case(const SchedCase& sched_case, kubescheduler::SchedulerVersion version) {
  kubescheduler::PredictOptions options;
  options.rules = kubescheduler::rules_for(version);
  options.configuration = sched_case.configuration;
  dra::CelSelectors selectors(options.rules.dra);
  options.selectors = &selectors;
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

/// Counts right predictions by family and prints the first wrong ones.
class Replay {
 public:
  void ask(const SchedCase& sched_case, const Expectation& expect, kubescheduler::SchedulerVersion version) {
    const std::vector<std::string> found = differences(predict_case(sched_case, version), expect);
    Tally& tally = families_[sched_case.family];
    ++tally.cases;
    tally.equal += found.empty() ? 1 : 0;
    constexpr std::size_t kShown = 40;
    if (!found.empty() && shown_++ < kShown) {
      fmt::print("{}\n", sched_case.id);
      for (const std::string& difference : found) {
        fmt::print("  {}\n", difference);
      }
    }
  }

  void finish() const {
    Tally total;
    for (const auto& [family, tally] : families_) {
      fmt::print("{}: {} of {} equal\n", family, tally.equal, tally.cases);
      total.cases += tally.cases;
      total.equal += tally.equal;
    }
    fmt::print("total: {} of {} equal\n", total.equal, total.cases);
    CHECK(total.equal == total.cases);
  }

 private:
  std::map<std::string, Tally> families_;
  std::size_t shown_ = 0;
};

/// GPUSCHED_CONFORMANCE_CASE narrows a run to the cases whose id starts with it.
bool is_wanted(const std::string& id) {
  const char* const only = std::getenv("GPUSCHED_CONFORMANCE_CASE");
  return only == nullptr || std::string_view(id).starts_with(only);
}

TEST_CASE("the scheduler's answers are predicted") {
  Replay replay;
  for (const io::Document& document : read_corpus(corpus_folder() / kCorpus)) {
    const SchedCase sched_case = read_sched_case(document);
    if (is_wanted(sched_case.id)) {
      replay.ask(sched_case, {sched_case.expect, {}}, {});
    }
  }
  replay.finish();
}

/// Random args of PodTopologySpread, InterPodAffinity and NodeResourcesFit, score weights and disabled plugins.
TEST_CASE("the answers under plugin arguments are predicted") {
  Replay replay;
  for (const io::Document& document : read_corpus("tests/conformance/data/sched-args-cases.jsonl")) {
    const SchedCase sched_case = read_sched_case(document);
    if (is_wanted(sched_case.id)) {
      replay.ask(sched_case, {sched_case.expect, {}}, {});
    }
  }
  replay.finish();
}

struct OtherVersion {
  const char* name;
  kubescheduler::SchedulerVersion version;
};

TEST_CASE("what older schedulers do differently is predicted") {
  const OtherVersion other = GENERATE(OtherVersion{"1.34.0", {34, 0}}, OtherVersion{"1.34.12", {34, 12}},
                                      OtherVersion{"1.35.8", {35, 8}}, OtherVersion{"1.36.5", {36, 5}});
  const std::filesystem::path file = corpus_folder() / fmt::format("skew-{}.jsonl", other.name);
  if (!std::filesystem::exists(file)) {
    return;
  }
  const std::vector<io::Document> answers = read_corpus(file);
  std::map<std::string, const io::Value*> by_id;
  for (const io::Document& answer : answers) {
    by_id[std::string(answer.root.find("id")->text())] = answer.root.find("expect");
  }
  Replay replay;
  for (const io::Document& document : read_corpus(corpus_folder() / kCorpus)) {
    const SchedCase sched_case = read_sched_case(document);
    const auto answer = by_id.find(sched_case.id);
    if (answer != by_id.end() && is_wanted(sched_case.id)) {
      replay.ask(sched_case, {sched_case.expect, *answer->second}, other.version);
    }
  }
  fmt::print("version {}:\n", other.name);
  replay.finish();
}

}  // namespace
}  // namespace gpusched::conformance
