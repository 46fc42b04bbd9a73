#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "gpusched/whatif/moves.hpp"

namespace gpusched::report {

/// Adds `gpus` and, when there are some, `migInstances`.
void add_shares(nlohmann::ordered_json& object, const ClusterUsage& usage, NodeId node,
                std::span<const GpuShare> shares);
/// [{pod, from, to, gpus[], migInstances[]}]
[[nodiscard]] nlohmann::ordered_json move_list(const ClusterUsage& usage, std::span<const whatif::Move> moves);
/// Adds `budgets` and `orphans`: what is to be said of evictions.
void add_remarks(nlohmann::ordered_json& object, const ClusterUsage& usage, const whatif::Disruption& disruption,
                 const whatif::EvictionRemarks& remarks);

}  // namespace gpusched::report
