#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "cli/inputs.hpp"
#include "gpusched/placement/options.hpp"

namespace gpusched::cli {

// Of every command that places pods.
inline constexpr OptionSpec kPolicyOption{.name = "policy",
                                          .value = "POLICY",
                                          .help = "which of the nodes that fit wins",
                                          .choices = placement::kPolicyNames,
                                          .fallback = "binpack"};
inline constexpr OptionSpec kViewOption{
    .name = "view",
    .value = "VIEW",
    .help = "what the scheduler sees: the hardware, or the integers that kube-scheduler counts",
    .choices = placement::kViewNames,
    .fallback = "gpu"};

/// The enumerator that stands where a value stands among the choices of its option, which the parser has checked.
template <class Enum>
[[nodiscard]] Enum chosen(std::span<const std::string_view> choices, std::string_view value) {
  return static_cast<Enum>(std::ranges::find(choices, value) - choices.begin());
}

/// The strategy that --gpu-weight, --resources or --scheduler-config (with --profile) ask for; none of them: none.
/// Bin-packing scores MostAllocated, spreading LeastAllocated, unless a configuration names its strategy. Warnings of
/// the configuration are reported.
[[nodiscard]] Result<std::optional<scoring::ScoringStrategy>> scoring_strategy(const Arguments& arguments,
                                                                               Inputs& inputs, placement::Policy policy,
                                                                               const ClusterShape& shape,
                                                                               Diagnostics& warnings);

}  // namespace gpusched::cli
