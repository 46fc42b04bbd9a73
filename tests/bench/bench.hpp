#pragma once

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace gpusched::bench {

/// Seconds that `work` takes.
template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The median of the seconds that `work` takes, over half a second and three runs at least, each after `before`.
template <class Work, class Before>
double median_seconds(Work&& work, Before&& before) {
  std::vector<double> times;
  for (double sum = 0; times.size() < 3 || sum < 0.5; sum += times.back()) {
    before();
    times.push_back(seconds(work));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

template <class Work>
double median_seconds(Work&& work) {
  return median_seconds(work, [] {});
}

/// A fixture of `nodes` nodes with eight GPUs, every third one with NVLink pairs, and `pods` one-GPU pods.
[[nodiscard]] std::string cluster_fixture(int nodes);
[[nodiscard]] std::string pod_fixture(int pods);

void place_benchmark();
void frag_benchmark();
void kueue_benchmark();
/// All modes, 100,000 jobs on 1,000 nodes.
void gang_benchmark();
/// Nodes that could go, moves that open a block, nodes to add.
void search_benchmark();
/// Searches that take the real allocator long, and partitioned GPUs of 1,000 nodes.
void dra_benchmark();

/// For scripts/bench-peers, on its files: a name, nanoseconds and a digest of the answers a line.
void dra_cases(std::span<const std::string> files);
void cel_cases(std::span<const std::string> files);
void dump_cases(std::span<const std::string> files);
void scheduler_cases(std::span<const std::string> files);
void kueue_cases(std::span<const std::string> files);

}  // namespace gpusched::bench
