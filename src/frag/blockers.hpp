#pragma once

#include <span>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::frag {

/// The block that is closest to holding a pod of the largest size that fits nowhere, and who holds its GPUs. An NVLink
/// island that is large enough is preferred to a whole node.
[[nodiscard]] Blockers find_blockers(const ClusterUsage& usage, std::span<const SizeRow> rows);

}  // namespace gpusched::frag
