#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/placement/options.hpp"
#include "support/builders.hpp"

namespace gpusched::testing {

/// SplitMix64 (public domain, S. Vigna): the same numbers on every platform, unlike the distributions of std.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// 0 to bound - 1; the bias is far below what a test could notice.
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <class Range>
  auto pick(const Range& range) {
    return *(std::begin(range) + below(static_cast<int>(std::size(range))));
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }
  }

 private:
  std::uint64_t state_;
};

/// What a random cluster may hold.
struct Variety {
  int max_nodes = 6;
  int max_gpus = 8;
  bool fractions = true;  ///< pods with less than a GPU
  bool rules = true;      ///< taints, labels, cordons
  bool priorities = true;
};

/// Nodes of every kind (islands, pairs, time-sliced, MIG, mixed, without GPUs) in an order that is not that of the
/// names.
[[nodiscard]] std::vector<NodeSpec> random_nodes(Random& random, const Variety& variety = {});
[[nodiscard]] NodeSpec random_node(Random& random, const std::string& name, const Variety& variety = {});
/// Pods "p0", "p1", ... that ask for what such nodes have, and for some things that they lack.
[[nodiscard]] std::vector<PodSpec> random_pods(Random& random, int count, const Variety& variety = {});
[[nodiscard]] PodSpec random_pod(Random& random, const std::string& name, const Variety& variety = {});
/// One of the allowed combinations of view, policy and scoring.
[[nodiscard]] placement::Options random_options(Random& random);

}  // namespace gpusched::testing
