#pragma once

#include <chrono>
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

/// A fixture of `nodes` nodes with eight GPUs, every third one with NVLink pairs, and `pods` one-GPU pods.
[[nodiscard]] std::string cluster_fixture(int nodes);
[[nodiscard]] std::string pod_fixture(int pods);

void place_benchmark();
void frag_benchmark();
void kueue_benchmark();

}  // namespace gpusched::bench
