#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gpusched::placement {

/// How well two GPUs of a node are connected; symmetric.
using PairScore = std::function<int(std::uint16_t, std::uint16_t)>;

/// The aligned allocation of NVIDIA's device plugin: of all ways to split the GPUs into sets of `size` the one with the
/// highest sum of scores, of it the best set that holds `required`; the first of equals. Empty when there is none. More
/// than kMostAligned GPUs are not split: then the best set by its own score, GPU by GPU.
/// Source: go-gpuallocator, gpuallocator/besteffort_policy.go.
[[nodiscard]] std::vector<std::uint16_t> aligned_choice(std::span<const std::uint16_t> available,
                                                        std::span<const std::uint16_t> required, std::size_t size,
                                                        const PairScore& score);
inline constexpr std::size_t kMostAligned = 16;

}  // namespace gpusched::placement
