#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "whatif/node_packing.hpp"

namespace gpusched::whatif {

__extension__ typedef __int128 int128;

/// The largest number that there is, for what is larger.
[[nodiscard]] constexpr std::int64_t saturated(int128 value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return value > kMost ? kMost : static_cast<std::int64_t>(value);
}

/// What any nodes of these offers cost at least on which all pods fit that fit on one of them; `prices` by offer, 1
/// each to count nodes. The largest of three kinds of bounds: by GPUs, cpu and memory in total; by each kind of pod
/// alone; and by one kind of pod together with the GPUs of all others.
[[nodiscard]] std::int64_t least_cost(const NodePacking& packing, std::span<const std::size_t> offers,
                                      std::span<const std::int64_t> prices);

}  // namespace gpusched::whatif
