#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cli/inputs.hpp"
#include "gpusched/report/placement.hpp"

namespace gpusched::cli {

/// The values of --order, by placement::Order.
inline constexpr std::array<std::string_view, 3> kOrders = {"given", "priority", "largest-first"};

/// Sizes for which fragmentation is measured.
inline constexpr std::array<int, 4> kSizes = {1, 2, 4, 8};

/// What `place` is asked beside placing.
enum class PlaceQuestion : std::uint8_t { kPlace, kFill, kCompare, kDrainable, kDefrag, kMinNodes };

/// The question that the options ask; an error when they ask more than one.
[[nodiscard]] Result<PlaceQuestion> place_question(const Arguments& arguments);

/// View, policy, order and score.
[[nodiscard]] Result<placement::Options> placement_options(const Arguments& arguments, Inputs& inputs,
                                                           const ClusterShape& shape, Diagnostics& warnings);

/// Every combination of what --compare names; none without it. Combinations that no scheduler could run are left out
/// with a warning.
[[nodiscard]] Result<std::vector<whatif::Alternative>> compared_alternatives(const Arguments& arguments, Inputs& inputs,
                                                                             const ClusterShape& shape,
                                                                             Diagnostics& warnings);

/// The pods that the question is about, which are not placed before it is answered; error: there is no such pod.
[[nodiscard]] Result<std::vector<PodId>> asked_pods(PlaceQuestion question, const Arguments& arguments,
                                                    const io::Model& model);

/// Answers the question on the cluster as it is after the placement, into `parts`. Returns the exit code.
[[nodiscard]] Result<int> search(PlaceQuestion question, const Arguments& arguments, Inputs& inputs, io::Model& model,
                                 std::span<const PodId> asked, const placement::Options& options,
                                 report::PlacementParts& parts);

}  // namespace gpusched::cli
