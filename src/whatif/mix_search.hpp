#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/mig/offers.hpp"

namespace gpusched::whatif {

/// GPUs that can be changed in the same ways.
struct MixGroup {
  std::int64_t gpus = 0;
  bool enable_mig = false;         ///< a change takes a whole GPU away from other pods
  std::vector<mig::Offer> offers;  ///< the first is to leave it as it is
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
  bool optimal = false;
};

/// The most instances served, then the most slices, then the fewest changed GPUs, the fewest put into MIG mode,
/// the fewest destroyed instances, the fewest created ones.
[[nodiscard]] MixSolution solve_mix(const MixProblem& problem);

}  // namespace gpusched::whatif
