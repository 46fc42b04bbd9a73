#pragma once

#include <cstdint>
#include <span>

#include "whatif/node_packing.hpp"

namespace gpusched::whatif {

/// Nodes of these offers that the pods which fit on one of them need at least: by GPUs, cpu and memory in total, and by
/// each kind of pod alone.
[[nodiscard]] std::int64_t least_nodes(const NodePacking& packing, std::span<const std::size_t> offers);

/// What any mix of all offers costs at least, by the same figures.
[[nodiscard]] std::int64_t least_price(const NodePacking& packing, std::span<const std::int64_t> prices);

}  // namespace gpusched::whatif
