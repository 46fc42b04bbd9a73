#include <array>
#include <string_view>

#include "gpusched/mig/board.hpp"

namespace gpusched::mig {
namespace {

#include "mig/geometry_table.inc"

// ProfileSet and Occupancy keep a bit or a counter per profile, and starts a bit per memory slice.
constexpr bool fits_the_masks() {
  for (const Board& board : kBoards) {
    if (board.profiles.size() > 16 || board.memory_slices > 16) return false;
  }
  return true;
}
static_assert(fits_the_masks());

}  // namespace

std::span<const Board> boards() {
  return kBoards;
}

}  // namespace gpusched::mig
