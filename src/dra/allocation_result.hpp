#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "dra/question.hpp"
#include "dra/search_state.hpp"

namespace gpusched::dra {

/// status.allocation of every claim from what the search took. `devices` are the node's, which may be another one than
/// the question's if both are alike. Share ids are random versions 4 made from `seed`.
/// Error: "create NodeSelector for claim ...", which ends the scheduling attempt.
[[nodiscard]] std::expected<std::vector<objects::AllocationResult>, std::string> allocation_results(
    const ClusterFacts& cluster, const Question& question, std::span<const DeviceRef> devices,
    std::span<const SearchState::Taking> takings, std::span<const objects::ResourceClaim* const> claims,
    const NodeFacts& node, std::uint64_t seed);

}  // namespace gpusched::dra
