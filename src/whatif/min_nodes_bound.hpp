#pragma once

#include <cstdint>
#include <span>

#include "whatif/node_packing.hpp"

namespace gpusched::whatif {

/// What any nodes of these offers cost at least on which all pods fit that fit on one of them; `prices` by offer, 1
/// each to count nodes. The largest of three kinds of bounds: by GPUs, cpu and memory in total; by each kind of pod
/// alone; and by one kind of pod together with the GPUs of all others.
[[nodiscard]] std::int64_t least_cost(const NodePacking& packing, std::span<const std::size_t> offers,
                                      std::span<const std::int64_t> prices);

}  // namespace gpusched::whatif
