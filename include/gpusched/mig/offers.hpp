#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpusched/mig/enumerate.hpp"

namespace gpusched::mig {

/// What one GPU can offer after a repartition.
struct Offer {
  std::vector<std::uint8_t> counts;  ///< free instances of each wanted profile, in the order asked for
  Layout layout;                     ///< all instances, ascending by start: the busy ones, kept free ones and new ones
  std::uint8_t destroyed = 0;        ///< free instances that have to go
  std::uint8_t created = 0;
};

/// Every combination of the wanted profiles that fits beside the busy instances, which keep their places: for each the
/// layout that destroys the fewest of the free instances, then creates the fewest, then has the lowest starts. Offers
/// that another one beats in everything are left out; the present layout is always there, first. Empty on a board whose
/// starts are unknown.
[[nodiscard]] std::vector<Offer> offers(const Board& board, std::span<const Instance> busy,
                                        std::span<const Instance> free, std::span<const ProfileIndex> wanted);

}  // namespace gpusched::mig
