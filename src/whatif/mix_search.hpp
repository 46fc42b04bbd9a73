#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "gpusched/mig/offers.hpp"

namespace gpusched::whatif {

/// What moving one pod costs. A pod that holds several GPUs is shared out among them, rounded down, so that the sum
/// never is above what its one move costs; every number up to 8 divides this.
inline constexpr std::int32_t kMoveCost = 840;

/// GPUs that can be changed in the same ways.
struct MixGroup {
  std::int64_t gpus = 0;
  bool enable_mig = false;               ///< a change takes a whole GPU away from other pods
  std::vector<mig::Offer> offers;        ///< the first is to leave it as it is
  std::vector<std::int32_t> moves = {};  ///< by offer, in kMoveCost: the pods that have to go first; empty: none

  [[nodiscard]] std::int32_t moves_of(std::size_t offer) const { return moves.empty() ? 0 : moves[offer]; }
};

/// What an answer costs; what comes first matters most.
struct MixPrice {
  std::int64_t moves = 0;  ///< in kMoveCost
  std::int64_t changed = 0, enabled = 0, destroyed = 0, created = 0;

  auto operator<=>(const MixPrice&) const = default;
};

/// One offer is chosen for each GPU so that their counts cover what is wanted.
struct MixProblem {
  std::vector<std::int64_t> wanted;
  std::vector<std::int64_t> slices;  ///< compute slices of each wanted profile
  std::vector<MixGroup> groups;
};

struct MixSolution {
  std::vector<std::vector<std::size_t>> choices;  ///< by group, for its first GPUs: an offer; the others stay
  std::vector<std::int64_t> before, after;        ///< free instances by wanted profile
  MixPrice price;
  bool optimal = false;
};

/// The most instances served, then the most slices, then the fewest moves, the fewest changed GPUs, the fewest put into
/// MIG mode, the fewest destroyed instances, the fewest created ones.
[[nodiscard]] MixSolution solve_mix(const MixProblem& problem);

}  // namespace gpusched::whatif
