#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "gpusched/mig/layout.hpp"
#include "gpusched/mig/layout_text.hpp"

namespace gpusched::mig {
namespace {

/// Depth-first search for the lexicographically first starts of a list of entries.
class LayoutSearch {
 public:
  LayoutSearch(const Board& board, std::span<const LayoutEntry> entries) : board_(board), entries_(entries) {}

  /// The layout, or nothing. Lists that cannot fit by their sums are refused before the search.
  std::optional<std::vector<Instance>> run() {
    if (!sums_fit()) return std::nullopt;
    found_.clear();
    if (!extend(Occupancy(board_))) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool sums_fit() const {
    if (entries_.size() > board_.memory_slices) return false;
    std::uint32_t memory = 0;
    std::uint32_t compute = 0;
    for (const LayoutEntry& entry : entries_) {
      memory += board_.profiles[entry.profile].memory_slices;
      compute += board_.profiles[entry.profile].compute_slices;
    }
    return memory <= board_.memory_slices && compute <= board_.compute_slices;
  }

  /// Starts that are worth a try: an entry without a fixed start goes behind the last such entry of its profile, since
  /// exchanging the two would give a lexicographically smaller layout.
  std::uint32_t starts_to_try(const LayoutEntry& entry) const {
    const std::uint32_t starts = board_.profiles[entry.profile].starts;
    if (entry.start) return *entry.start < 16 ? starts & (1U << *entry.start) : 0;
    for (std::size_t i = found_.size(); i-- > 0;) {
      if (entries_[i].profile == entry.profile && !entries_[i].start) return starts & ~((2U << found_[i].start) - 1);
    }
    return starts;
  }

  bool extend(const Occupancy& occupancy) {
    if (found_.size() == entries_.size()) return true;
    const LayoutEntry& entry = entries_[found_.size()];
    for (std::uint32_t starts = starts_to_try(entry); starts != 0; starts &= starts - 1) {
      const Instance instance{entry.profile, static_cast<std::uint8_t>(std::countr_zero(starts))};
      if (!occupancy.fits(instance)) continue;
      Occupancy next = occupancy;
      next.add(instance);
      found_.push_back(instance);
      if (extend(next)) return true;
      found_.pop_back();
    }
    return false;
  }

  const Board& board_;
  std::span<const LayoutEntry> entries_;
  std::vector<Instance> found_;
};

std::string starts_text(const Profile& profile) {
  std::string text;
  for (std::uint32_t starts = profile.starts; starts != 0; starts &= starts - 1) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", std::countr_zero(starts));
  }
  return text;
}

std::unexpected<Diagnostics> unknown_geometry(const Board& board) {
  return fail("mig-geometry-unknown",
              fmt::format("the MIG geometry of {} is unknown: no source gives the starts of its profiles",
                          board.products.front()));
}

std::unexpected<Diagnostics> illegal_start(const Board& board, const LayoutEntry& entry) {
  const Profile& profile = board.profiles[entry.profile];
  return fail("mig-start-illegal", fmt::format("{} cannot start at memory slice {}; it may start at {}", profile.name,
                                               *entry.start, starts_text(profile)));
}

/// Profiles that the list may have as its next entry.
ProfileSet still_fitting(const Board& board, std::vector<LayoutEntry> entries) {
  ProfileSet set;
  entries.emplace_back();
  for (const ProfileIndex i : all_profiles(board)) {
    entries.back() = {.profile = i};
    if (LayoutSearch(board, entries).run()) set.insert(i);
  }
  return set;
}

/// Names the first entry that makes the list impossible; `entries` as a whole has no layout.
std::unexpected<Diagnostics> impossible(const Board& board, std::span<const LayoutEntry> entries) {
  std::size_t bad = 0;
  while (bad + 1 < entries.size() && LayoutSearch(board, entries.first(bad + 1)).run()) ++bad;
  const auto before = entries.first(bad);
  const std::string beside = bad == 0 ? "" : fmt::format(" beside {}", entries_text(board, before));
  return fail("mig-layout-impossible",
              fmt::format("entry {} of the MIG layout, {}, does not fit{} on {}", bad + 1,
                          entries_text(board, entries.subspan(bad, 1)), beside, board.products.front()),
              fmt::format("profiles that would still fit: {}",
                          join_names(board, still_fitting(board, {before.begin(), before.end()}))));
}

}  // namespace

std::string to_string(const Board& board, Instance instance) {
  if (instance.profile >= board.profiles.size()) return fmt::format("?@{}", instance.start);
  return fmt::format("{}@{}", board.profiles[instance.profile].name, instance.start);
}

Result<std::vector<Instance>> place_layout(const Board& board, std::span<const LayoutEntry> entries) {
  if (!board.starts_known) return unknown_geometry(board);
  // More entries than memory slices never fit, so that a list of any length is looked at only this far.
  const auto first = entries.first(std::min<std::size_t>(entries.size(), board.memory_slices + std::size_t{1}));
  for (const LayoutEntry& entry : first) {
    if (entry.profile >= board.profiles.size()) {
      return fail("mig-profile-unknown",
                  fmt::format("{} has no profile number {}", board.products.front(), entry.profile));
    }
    const std::uint32_t starts = board.profiles[entry.profile].starts;
    if (entry.start && (*entry.start >= 16 || ((starts >> *entry.start) & 1U) == 0)) return illegal_start(board, entry);
  }
  if (auto layout = LayoutSearch(board, first).run()) return *std::move(layout);
  return impossible(board, first);
}

Result<std::vector<Instance>> place_layout(const Board& board, std::span<const ProfileIndex> profiles) {
  const auto first = profiles.first(std::min<std::size_t>(profiles.size(), board.memory_slices + std::size_t{1}));
  std::vector<LayoutEntry> entries;
  for (const ProfileIndex profile : first) entries.push_back({.profile = profile});
  return place_layout(board, entries);
}

}  // namespace gpusched::mig
