#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/objects/disruption.hpp"

namespace gpusched::io {

/// The PodDisruptionBudgets of a dump in input order. Errors of decoding go to `diagnostics`.
[[nodiscard]] std::vector<objects::DisruptionRule> read_disruption_rules(const ClusterDump& dump,
                                                                         Diagnostics& diagnostics);

/// How many pods of each budget may be evicted now, with the pods of the dump. `covered` hears of every pod (an index
/// of the dump) and a budget that covers it.
[[nodiscard]] std::vector<std::int32_t> allowed_disruptions(
    const ClusterDump& dump, std::span<const objects::DisruptionRule> rules,
    const std::function<void(std::size_t pod, std::uint32_t rule)>& covered = {});

}  // namespace gpusched::io
