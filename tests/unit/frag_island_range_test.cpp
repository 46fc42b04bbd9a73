#include "gpusched/frag/island_range.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using gpusched::frag::largest_free_island;
using gpusched::frag::pods_within_islands;
using gpusched::frag::Range;

namespace {

/// Every way to spread `free` over the islands, one after the other.
template <class Body>
void each_distribution(const std::vector<int>& islands, std::size_t next, int free, std::vector<int>& parts,
                       Body&& body) {
  if (next == islands.size()) {
    if (free == 0) {
      body(parts);
    }
    return;
  }
  for (int part = 0; part <= std::min(free, islands[next]); ++part) {
    parts.push_back(part);
    each_distribution(islands, next + 1, free - part, parts, body);
    parts.pop_back();
  }
}

}  // namespace

TEST_CASE("ranges by island equal all distributions") {
  const std::vector<std::vector<int>> shapes = {{8}, {4, 4}, {2, 2, 2, 2}, {1, 1, 1}, {8, 4, 2, 1}, {3, 5}, {6, 6, 2}};
  for (const std::vector<int>& islands : shapes) {
    int all = 0;
    for (const int gpus : islands) {
      all += gpus;
    }
    for (int free = 0; free <= all; ++free) {
      for (int size = 1; size <= 8; ++size) {
        Range pods{1'000, -1};
        Range largest{1'000, -1};
        std::vector<int> parts;
        each_distribution(islands, 0, free, parts, [&](const std::vector<int>& distribution) {
          std::int64_t count = 0;
          for (const int part : distribution) {
            count += part / size;
          }
          const std::int64_t most = std::ranges::max(distribution);
          pods = {std::min(pods.min, count), std::max(pods.max, count)};
          largest = {std::min(largest.min, most), std::max(largest.max, most)};
        });
        CAPTURE(islands, free, size);
        CHECK(pods_within_islands(islands, free, size) == pods);
        CHECK(largest_free_island(islands, free) == largest);
      }
    }
  }
}
