#include "gpusched/mig/enumerate.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace gpusched::mig {
namespace {

/// Walks the memory axis from left to right, so that each set of instances comes up once.
class LayoutWalk {
 public:
  LayoutWalk(const Board& board, ProfileSet profiles, bool maximal_only)
      : board_(board), profiles_(profiles), maximal_only_(maximal_only) {}

  std::vector<Layout> run() {
    if (board_.starts_known) walk(0, Occupancy(board_));
    return std::move(found_);
  }

 private:
  void walk(std::uint8_t slice, const Occupancy& occupancy) {
    if (slice == board_.memory_slices) {
      const bool wanted = !maximal_only_ || (occupancy.fitting().bits() & profiles_.bits()) == 0;
      if (!current_.empty() && wanted) found_.push_back(current_);
      return;
    }
    for (const ProfileIndex profile : profiles_) {
      const Instance instance{profile, slice};
      if (!occupancy.fits(instance)) continue;
      Occupancy next = occupancy;
      next.add(instance);
      current_.push_back(instance);
      walk(static_cast<std::uint8_t>(slice + board_.profiles[profile].memory_slices), next);
      current_.pop_back();
    }
    walk(static_cast<std::uint8_t>(slice + 1), occupancy);
  }

  const Board& board_;
  ProfileSet profiles_;
  bool maximal_only_;
  Layout current_;
  std::vector<Layout> found_;
};

}  // namespace

std::vector<Layout> legal_layouts(const Board& board, ProfileSet profiles) {
  return LayoutWalk(board, profiles, false).run();
}

std::vector<Layout> maximal_layouts(const Board& board, ProfileSet profiles) {
  return LayoutWalk(board, profiles, true).run();
}

std::vector<std::vector<ProfileIndex>> distinct_multisets(const std::vector<Layout>& layouts) {
  std::set<std::vector<ProfileIndex>> distinct;
  for (const Layout& layout : layouts) {
    std::vector<ProfileIndex> profiles;
    for (const Instance& instance : layout) profiles.push_back(instance.profile);
    std::ranges::sort(profiles);
    distinct.insert(std::move(profiles));
  }
  return {distinct.begin(), distinct.end()};
}

}  // namespace gpusched::mig
