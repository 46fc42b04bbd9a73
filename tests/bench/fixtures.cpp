#include <fmt/format.h>

#include "bench.hpp"

namespace gpusched::bench {

std::string cluster_fixture(int nodes) {
  std::string text = "{\"nodes\": [";
  for (int i = 0; i < nodes; ++i) {
    const bool pairs = i % 3 == 2;
    text += fmt::format(
        R"({}{{"name": "node-{}", "allocatable": {{"cpu": "256", "memory": "2048Gi", "pods": "110"}},
 "gpu": {{"model": "{}", "count": 8, "memory_gib": 80, "islands": {}, "nvlink_gbps": 300, "pcie_gbps": 32}}}})",
        i == 0 ? "" : ",\n", i, pairs ? "A100-PCIE-80GB" : "A100-SXM4-80GB",
        pairs ? "[[0, 1], [2, 3], [4, 5], [6, 7]]" : "[[0, 1, 2, 3, 4, 5, 6, 7]]");
  }
  return text + "]}";
}

std::string pod_fixture(int pods) {
  return fmt::format(R"({{"pods": [{{"name": "pod", "count": {}, "gpus": 1, "memory_gib": 16,
 "requests": {{"cpu": "4", "memory": "32Gi"}}}}]}})",
                     pods);
}

}  // namespace gpusched::bench
