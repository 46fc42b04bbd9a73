#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

#include "bench.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/dra/claim_series.hpp"
#include "gpusched/dra/model_devices.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/io/source.hpp"
#include "gpusched/render/render.hpp"
#include "gpusched/report/slices.hpp"
#include "support/dra_builders.hpp"

namespace gpusched::bench {

namespace {

using test::DraQuestion;

struct Case {
  std::string name;
  DraQuestion question;
};

objects::Device in_group(std::size_t number, std::int64_t group) {
  return test::device("d" + std::to_string(number), {{"g", group}});
}

/// `count` devices whose attribute g is that of their group, and one claim with requests of these counts.
Case alike(std::size_t count, std::vector<std::int64_t> counts, std::size_t groups = 1) {
  Case made{fmt::format("{} alike, requests {}", count, fmt::join(counts, "+")), {}};
  std::vector<objects::Device> devices;
  for (std::size_t i = 0; i < count; ++i) {
    devices.push_back(in_group(i, static_cast<std::int64_t>(i * groups / count)));
  }
  made.question.slices = {test::slice("s", std::move(devices))};
  made.question.claims = {test::claim_of(counts)};
  return made;
}

Case constrained(Case made, objects::DeviceConstraint constraint, std::string_view what) {
  made.name += fmt::format(", {}", what);
  made.question.claims[0].devices.constraints = {std::move(constraint)};
  return made;
}

/// Requests for devices of so many compute slices on GPUs that the driver partitions.
Case partitions(std::size_t gpus, const std::vector<std::pair<std::int64_t, int>>& wanted) {
  Case made{fmt::format("{} GPUs, MIG", gpus), {}};
  made.question.slices = test::mig_slices(gpus);
  std::vector<objects::DeviceRequest> requests;
  for (const auto& [count, slices] : wanted) {
    made.name += fmt::format(" {} x {}g", count, slices);
    requests.push_back(
        test::request("r" + std::to_string(requests.size()), test::exactly(count, {"g=" + std::to_string(slices)})));
  }
  made.question.claims = {test::claim("c", std::move(requests))};
  return made;
}

std::vector<std::int64_t> ones(std::size_t count) {
  return std::vector<std::int64_t>(count, 1);
}

/// Where nothing fits, and twins that fit only in the last way that is tried.
std::vector<Case> long_searches() {
  std::vector<Case> cases;
  cases.push_back(alike(24, {25}));
  cases.push_back(alike(24, {24}));
  cases.push_back(alike(8, ones(9)));
  cases.push_back(alike(12, ones(13)));
  cases.push_back(alike(12, ones(12)));
  cases.push_back(alike(16, {8, 9}));
  cases.push_back(alike(16, {8, 8}));
  cases.push_back(alike(16, {5, 5, 7}));
  cases.push_back(constrained(alike(64, {17}, 4), test::match("g"), "one group"));
  cases.push_back(constrained(alike(64, {16}, 4), test::match("g"), "one group"));
  cases.push_back(constrained(alike(56, {9}, 8), test::distinct("g"), "one of each group"));
  cases.push_back(constrained(alike(56, {8}, 8), test::distinct("g"), "one of each group"));
  cases.push_back(partitions(3, {{22, 1}}));
  cases.push_back(partitions(4, {{29, 1}}));
  cases.push_back(partitions(4, {{28, 1}}));
  cases.push_back(partitions(8, {{25, 2}}));
  cases.push_back(partitions(4, {{8, 1}, {8, 3}}));
  cases.push_back(partitions(8, {{8, 1}, {8, 7}}));
  cases.push_back(partitions(8, {{8, 2}, {8, 1}, {8, 4}}));
  return cases;
}

void long_search_benchmark() {
  fmt::print("dra: searches that take the real allocator long\n");
  for (const Case& test : long_searches()) {
    dra::AllocationAnswer answer;
    const double counted = median_seconds([&] { answer = test::ask(test.question); });
    dra::AllocateOptions options;
    options.count_steps = false;
    const double answered = median_seconds([&] { answer.outcome = test::ask(test.question, options).outcome; });
    fmt::print("  {:<44} {:<13} {:>24} steps  {:7.3f} ms  answer alone {:7.3f} ms\n", test.name,
               dra::name_of(answer.outcome), dra::to_string(answer.steps), counted * 1e3, answered * 1e3);
  }
}

constexpr int kNodes = 1'000;
constexpr std::size_t kClaims = 20'000;

std::string partitioned_cluster() {
  std::string text = "{\"nodes\": [";
  for (int i = 0; i < kNodes; ++i) {
    text +=
        fmt::format(R"({}{{"name": "h100-{}", "gpu": {{"model": "H100-SXM5-80GB", "count": 8, "memory_gib": 80}}}})",
                    i == 0 ? "" : ",\n", i);
  }
  return text + "]}";
}

template <class T>
T value_of(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "gpusched_bench: {}\n", result.error().front().message);
  std::exit(2);
}

std::vector<objects::ResourceClaim> partition_claims() {
  constexpr std::string_view kProfiles[] = {"1g.10gb", "2g.20gb", "1g.10gb", "3g.40gb", "7g.80gb"};
  std::vector<objects::ResourceClaim> claims;
  for (std::size_t i = 0; i < kClaims; ++i) {
    const std::string selector = fmt::format("device.attributes[\"gpu.nvidia.com\"].?profile.orValue(\"\") == \"{}\"",
                                             kProfiles[i % std::size(kProfiles)]);
    claims.push_back(test::claim("c" + std::to_string(i), {test::request("mig", test::exactly(1, {selector}))}));
  }
  return claims;
}

/// All GPUs partitioned by counters, from a file to allocations.
void partition_benchmark() {
  io::ModelReader reader;
  const std::vector<io::Document> fixture = value_of(io::parse_documents({"cluster.json", partitioned_cluster()}));
  reader.read_cluster(fixture.front());
  const io::Model model = value_of(std::move(reader).finish());
  dra::SliceOptions options;
  options.style = dra::SliceStyle::kNvidia;
  options.dynamic_mig = true;
  const auto slices = value_of(dra::slices_of(model.usage.shape(), options));
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "gpusched-bench-slices.json";
  std::ofstream(file) << render::render(report::slices_report(slices, report::ApiVersion::kV1), render::Format::kJson);
  io::DraObjects objects;
  const double load = seconds([&] {
    io::SourceReader source({}, std::cin);
    const io::ClusterInput input = value_of(io::read_cluster_input(source, std::vector{file.string()}, 1));
    objects = value_of(io::read_dra_objects(input.dump.others));
  });
  std::size_t devices = 0;
  for (const objects::ResourceSlice& slice : objects.slices) devices += slice.spec.devices.size();
  const std::vector<objects::ResourceClaim> claims = partition_claims();
  const std::vector<objects::DeviceClass> classes = {test::any_class()};
  const std::vector<dra::NodeFacts> nodes = dra::node_facts(model.usage.shape());
  std::size_t allocated = 0;
  const double decide = seconds([&] {
    dra::CelSelectors selectors{dra::Features{}};
    dra::AllocateOptions search;
    search.count_steps = false;
    const dra::ClaimSeries series =
        dra::allocate_in_series({{}, objects.slices, classes, nodes, claims, {}, selectors, false, search});
    for (const dra::ClaimOutcome& outcome : series.claims) allocated += outcome.allocation ? 1 : 0;
  });
  fmt::print(
      "dra: {} devices on {} nodes with counters: {} MB load {:.2f} s, {} of {} claims allocated, {:.0f} claims/s\n",
      devices, kNodes, std::filesystem::file_size(file) / 1'000'000, load, allocated, kClaims,
      static_cast<double>(kClaims) / decide);
  std::filesystem::remove(file);
}

}  // namespace

void dra_benchmark() {
  long_search_benchmark();
  partition_benchmark();
}

}  // namespace gpusched::bench
