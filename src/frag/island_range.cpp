#include "gpusched/frag/island_range.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace gpusched::frag {

Range pods_within_islands(std::span<const int> islands, int free, int size) {
  // Most: whole pods are packed first, what is left of the free GPUs fits anywhere.
  std::int64_t most = 0;
  // Fewest: up to size - 1 GPUs of an island are free without holding a pod. Beyond that a GPU makes one pod possible
  // and lets up to size - 1 more follow for nothing, as far as the island reaches.
  int harmless = 0;
  std::vector<int> absorbed;  // free GPUs that one more pod accounts for
  for (const int gpus : islands) {
    most += gpus / size;
    harmless += std::min(gpus, size - 1);
    for (int left = gpus - (size - 1); left > 0; left -= size) {
      absorbed.push_back(std::min(left, size));
    }
  }
  std::ranges::sort(absorbed, std::greater{});
  std::int64_t fewest = 0;
  for (int rest = free - harmless; rest > 0 && fewest < std::ssize(absorbed); ++fewest) {
    rest -= absorbed[static_cast<std::size_t>(fewest)];
  }
  return {fewest, std::min<std::int64_t>(most, free / size)};
}

Range largest_free_island(std::span<const int> islands, int free) {
  const auto room = [&](int each) {
    int sum = 0;
    for (const int gpus : islands) {
      sum += std::min(gpus, each);
    }
    return sum;
  };
  const int largest = islands.empty() ? 0 : std::ranges::max(islands);
  int even = 0;  // the free GPUs spread as evenly as the islands allow
  while (even < largest && room(even) < free) {
    ++even;
  }
  return {even, std::min(free, largest)};
}

}  // namespace gpusched::frag
