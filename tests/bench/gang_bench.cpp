#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>

#include "bench.hpp"
#include "gpusched/gang/simulate.hpp"
#include "gpusched/io/model_reader.hpp"

namespace gpusched::bench {

namespace {

constexpr int kNodes = 1'000;
constexpr int kJobs = 100'000;

struct Size {
  int pods, gpus_per_pod;
};

/// Of a hundred jobs: most are small, a few take several nodes.
Size size_of(std::uint64_t percent) {
  struct Share {
    std::uint64_t below;
    Size size;
  };
  constexpr std::array<Share, 7> kShares = {Share{50, {1, 1}}, {65, {1, 2}}, {80, {1, 4}}, {92, {1, 8}},
                                            {96, {2, 8}},      {99, {4, 8}}, {100, {8, 8}}};
  return std::ranges::find_if(kShares, [&](const Share& share) { return percent < share.below; })->size;
}

/// Jobs of a minute to four hours that come a little faster than the cluster can take them.
std::string job_fixture(int priorities) {
  constexpr double kShortest = 60, kLongest = 14'400;
  constexpr std::uint64_t kSpan = 140'000;  // seconds in which they are submitted
  std::mt19937_64 engine;
  const auto below = [&](std::uint64_t count) { return engine() % count; };
  std::string text = "{\"jobs\": [";
  for (int i = 0; i < kJobs; ++i) {
    const Size size = size_of(below(100));
    const double place = static_cast<double>(below(1'000'000)) / 1e6;
    const auto duration = static_cast<std::int64_t>(kShortest * std::pow(kLongest / kShortest, place));
    text += fmt::format(R"({}{{"name": "j{}", "pods": {}, "gpus_per_pod": {}, "duration": {}, "arrival": {},
 "priority": {}}})",
                        i == 0 ? "" : ",\n", i, size.pods, size.gpus_per_pod, duration, below(kSpan),
                        below(static_cast<std::uint64_t>(priorities)));
  }
  return text + "]}";
}

io::Model read(const std::string& cluster, const std::string& jobs) {
  io::ModelReader reader;
  const auto cluster_documents = io::parse_documents({"cluster.json", cluster});
  const auto job_documents = io::parse_documents({"jobs.json", jobs});
  reader.read_cluster(cluster_documents->front());
  reader.read_jobs(job_documents->front());
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    fmt::print(stderr, "{}\n", model.error().front().message);
    std::exit(2);
  }
  return std::move(*model);
}

}  // namespace

void gang_benchmark() {
  for (const int priorities : {1, 3}) {
    const io::Model model = read(cluster_fixture(kNodes), job_fixture(priorities));
    fmt::print("{} jobs of {} priorities on {} nodes\n", kJobs, priorities, kNodes);
    for (const gang::ModeInfo& mode : gang::kModes) {
      gang::Options options;
      options.mode = mode.mode;
      const std::clock_t begin = std::clock();  // processor time: each run is long, and takes one processor
      const Result<gang::SimulationResult> result = gang::simulate(model.usage, model.jobs, options);
      const double taken = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      if (!result) std::abort();
      fmt::print("{:<14} {:>7} ended, makespan {:>7} s: {:.2f} s\n", mode.name,
                 std::ranges::count(result->jobs, gang::JobState::kFinished, &gang::JobOutcome::state),
                 result->makespan_ms() / 1000, taken);
    }
  }
}

}  // namespace gpusched::bench
