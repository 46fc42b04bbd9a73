#include <algorithm>
#include <bit>

#include "gpusched/mig/layout.hpp"

namespace gpusched::mig {
namespace {

constexpr std::int8_t Engines::* kEngines[] = {&Engines::copy, &Engines::decoder, &Engines::encoder, &Engines::jpeg,
                                               &Engines::ofa};

std::uint32_t slices_from(const Profile& profile, std::uint32_t start) {
  return start < 32 ? ((1U << profile.memory_slices) - 1) << start : 0;
}

}  // namespace

Occupancy::Occupancy(const Board& board, std::span<const Instance> instances) : board_(&board) {
  for (const Instance& instance : instances) add(instance);
}

bool Occupancy::budget_allows(const Profile& profile, ProfileIndex index) const {
  if (compute_slices_ + profile.compute_slices > board_->compute_slices) return false;
  if (counts_[index] >= profile.max_instances) return false;
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    const std::int8_t budget = board_->engine_budget.*kEngines[i];
    const std::int8_t wanted = profile.engines.*kEngines[i];
    if (budget != kUnknownEngines && wanted > 0 && engines_[i] + wanted > budget) return false;
  }
  return true;
}

bool Occupancy::fits(Instance instance) const {
  if (instance.profile >= board_->profiles.size()) return false;
  const Profile& profile = board_->profiles[instance.profile];
  if (instance.start >= 16 || ((profile.starts >> instance.start) & 1U) == 0) return false;
  return (memory_mask_ & slices_from(profile, instance.start)) == 0 && budget_allows(profile, instance.profile);
}

std::optional<std::uint8_t> Occupancy::lowest_start(ProfileIndex profile) const {
  if (profile >= board_->profiles.size()) return std::nullopt;
  const Profile& row = board_->profiles[profile];
  if (!budget_allows(row, profile)) return std::nullopt;
  for (std::uint32_t starts = row.starts; starts != 0; starts &= starts - 1) {
    const int start = std::countr_zero(starts);
    if ((memory_mask_ & slices_from(row, static_cast<std::uint32_t>(start))) == 0)
      return static_cast<std::uint8_t>(start);
  }
  return std::nullopt;
}

ProfileSet Occupancy::fitting() const {
  ProfileSet set;
  for (const ProfileIndex i : all_profiles(*board_)) {
    if (lowest_start(i)) set.insert(i);
  }
  return set;
}

void Occupancy::add(Instance instance) {
  if (instance.profile >= board_->profiles.size()) return;
  const Profile& profile = board_->profiles[instance.profile];
  memory_mask_ |= slices_from(profile, instance.start);
  compute_slices_ += profile.compute_slices;
  ++counts_[instance.profile];
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    const std::int8_t count = std::max<std::int8_t>(profile.engines.*kEngines[i], 0);
    engines_[i] = static_cast<std::int16_t>(engines_[i] + count);
  }
}

bool legal(const Board& board, std::span<const Instance> instances) {
  Occupancy occupancy(board);
  for (const Instance& instance : instances) {
    if (!occupancy.fits(instance)) return false;
    occupancy.add(instance);
  }
  return true;
}

std::optional<std::uint8_t> lowest_start(const Board& board, std::span<const Instance> existing, ProfileIndex profile) {
  return Occupancy(board, existing).lowest_start(profile);
}

std::uint32_t remaining(const Board& board, std::span<const Instance> existing, ProfileIndex profile) {
  // Ranges of one length on a line: taking the leftmost that fits, again and again, gives the largest number.
  Occupancy occupancy(board, existing);
  std::uint32_t count = 0;
  while (const auto start = occupancy.lowest_start(profile)) {
    occupancy.add({profile, *start});
    ++count;
  }
  return count;
}

CouldAdd could_add(const Board& board, std::span<const Instance> busy) {
  const std::uint32_t fitting = Occupancy(board, busy).fitting().bits();
  const std::uint32_t base = base_profiles(board).bits();
  return {.base = ProfileSet(static_cast<std::uint16_t>(fitting & base)),
          .other = ProfileSet(static_cast<std::uint16_t>(fitting & ~base))};
}

}  // namespace gpusched::mig
