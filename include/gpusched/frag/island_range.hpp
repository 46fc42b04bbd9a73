#pragma once

#include <cstdint>
#include <span>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::frag {

/// What can be said about islands when only the number of free GPUs on a node is known, not which ones: the fewest and
/// the most pods of `size` GPUs that fit inside one island each, over all ways in which `free` of the GPUs are free.
/// `islands` has the number of GPUs of each island.
[[nodiscard]] Range pods_within_islands(std::span<const int> islands, int free, int size);

/// The fewest and the most free GPUs that the freest island can have.
[[nodiscard]] Range largest_free_island(std::span<const int> islands, int free);

}  // namespace gpusched::frag
