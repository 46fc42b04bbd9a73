#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "bench.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/io/source.hpp"
#include "gpusched/kueue/admission.hpp"

namespace gpusched::bench {

namespace {

constexpr std::int64_t kStart = 1'893'456'000;  // 2030-01-01T00:00:00Z, as the peer's clock

[[noreturn]] void give_up(const Diagnostics& errors) {
  fmt::print(stderr, "gpusched_bench: {}\n", errors.front().message);
  std::exit(2);
}

objects::KueueObjects read_objects(const std::string& file) {
  io::SourceReader reader({}, std::cin);
  const Result<io::ClusterInput> input = io::read_cluster_input(reader, std::vector{file}, 1);
  if (!input) give_up(input.error());
  io::KueueInputReader kueue_reader("default");
  kueue_reader.add(input->dump);
  Result<objects::KueueObjects> objects = std::move(kueue_reader).finish();
  if (!objects) give_up(objects.error());
  return std::move(*objects);
}

std::string line_of(const kueue::AdmittedWorkload& workload) {
  std::string line = fmt::format("{}|{}", workload.workload, workload.cluster_queue);
  for (const kueue::AdmittedPods& pods : workload.pod_sets) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < pods.usage.size(); ++i) {
      words.push_back(
          fmt::format("{}={}:{}", pods.usage[i].first, pods.flavors[i].second, pods.usage[i].second.to_string()));
    }
    if (pods.topology) {
      for (const objects::TopologyDomain& domain : pods.topology->domains) {
        words.push_back(fmt::format("{}*{}", join(domain.values, ","), domain.count));
      }
    }
    line += fmt::format("|{}*{} {}", pods.name, pods.count, join(words, " "));
  }
  return line;
}

/// How many are admitted, and a hash (FNV-1a) of who got what and why the others wait.
std::string digest(const kueue::AdmissionAnswer& answer) {
  std::vector<std::string> lines;
  for (const kueue::AdmittedWorkload& workload : answer.admitted) lines.push_back(line_of(workload));
  for (const kueue::PendingWorkload& workload : answer.pending) {
    const bool told = !workload.reason.empty();
    lines.push_back(told ? fmt::format("{}|{}|{}", workload.workload, workload.reason, workload.message)
                         : workload.workload);
  }
  std::ranges::sort(lines);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::string& line : lines) {
    for (const char c : line + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return fmt::format("{} admitted {:016x}", answer.admitted.size(), hash);
}

}  // namespace

// From decoded objects to the last admission, everything that is made on the way included. Of several runs the fastest,
// as the peer's: whatever else the machine does only adds.
void kueue_cases(std::span<const std::string> files) {
  for (const std::string& file : files) {
    const objects::KueueObjects objects = read_objects(file);
    const auto admit = [&] {
      auto simulation = kueue::AdmissionSimulation::make(objects, {}, kStart, {});
      if (!simulation) give_up(simulation.error());
      return std::move(*simulation);
    };
    constexpr int kRuns = 50;
    double taken = std::numeric_limits<double>::max();
    for (int run = 0; run < kRuns; ++run) {
      taken = std::min(taken, seconds([&] { static_cast<void>(admit()); }));
    }
    fmt::print("{}\t{:.1f}\t{}\n", std::filesystem::path(file).stem().string(),
               taken / static_cast<double>(objects.workloads.size()) * 1e9, digest(admit().answer()));
  }
}

}  // namespace gpusched::bench
