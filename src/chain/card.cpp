#include "gpusched/chain/card.hpp"

#include <algorithm>
#include <bit>

#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/mig/board.hpp"

namespace gpusched::chain {

namespace {

bool in_mode(const Card& card, Mode mode) {
  return card.ledger != nullptr && (card.ledger->mode == static_cast<std::int64_t>(Mode::kNone) ||
                                    card.ledger->mode == static_cast<std::int64_t>(mode));
}

/// The row of an accelerator; rows mostly stand in the order of the accelerators, so `hint` is tried first.
const objects::LedgerRow* find_row(const objects::LedgerGroup& ledger, std::string_view id, std::size_t hint) {
  if (hint < ledger.rows.size() && ledger.rows[hint].id == id) return &ledger.rows[hint];
  const auto found = std::ranges::find(ledger.rows, id, &objects::LedgerRow::id);
  return found == ledger.rows.end() ? nullptr : &*found;
}

}  // namespace

std::string accelerator_key(std::string_view manufacturer, std::string_view id) {
  return std::string(manufacturer).append("-").append(id);
}

std::vector<CardGroup> card_groups(const objects::Devices& devices) {
  std::vector<CardGroup> groups;
  groups.reserve(devices.groups.size());
  for (const objects::AcceleratorGroup& group : devices.groups) {
    CardGroup& cards = groups.emplace_back();
    cards.group = &group;
    cards.key = accelerator_key(group.manufacturer, group.id);
    const auto ledger = std::ranges::find_if(devices.ledger, [&](const objects::LedgerGroup& candidate) {
      return candidate.id == group.id && candidate.manufacturer == group.manufacturer;
    });
    cards.ledger = ledger != devices.ledger.end();
    cards.cards.reserve(group.accelerators.size());
    for (std::size_t i = 0; i < group.accelerators.size(); ++i) {
      const objects::Accelerator& spec = group.accelerators[i];
      cards.cards.push_back({&spec, cards.ledger ? find_row(*ledger, spec.id, i) : nullptr});
    }
  }
  return groups;
}

bool is_partitioned(const Card& card) {
  return card.spec->physical_count > 0;
}

bool is_sliceable(const Card& card) {
  return card.spec->logical_count > 0 && !is_partitioned(card);
}

bool partitions_known(const Card& card) {
  return card.ledger != nullptr &&
         (!card.ledger->allocated_profiles.empty() || !card.ledger->remaining_profiles.empty());
}

std::int64_t free_slice_units(const Card& card) {
  const bool open = is_sliceable(card) && in_mode(card, Mode::kSliced);
  return open && card.ledger->allocated_slices < card.spec->logical_count ? card.ledger->remaining : 0;
}

bool can_share(const Card& card) {
  return !is_partitioned(card) && in_mode(card, Mode::kShared) && card.ledger->remaining >= kUnitsPerShare;
}

bool is_free(const Card& card) {
  return !is_partitioned(card) && in_mode(card, Mode::kNone) && card.ledger->remaining >= kUnitsPerCard;
}

std::int64_t count_of(std::span<const objects::ProfileCount> counts, std::string_view profile) {
  const auto found = std::ranges::find(counts, profile, &objects::ProfileCount::name);
  return found == counts.end() ? 0 : found->count;
}

std::int64_t remaining_of(const Card& card, const objects::PartitionProfile& profile) {
  return partitions_known(card) ? count_of(card.ledger->remaining_profiles, profile.name) : profile.count;
}

std::int64_t capacity_of(const Card& card, const objects::PartitionProfile& profile) {
  const std::int64_t live = partitions_known(card) ? count_of(card.ledger->allocated_profiles, profile.name) : 0;
  return live + remaining_of(card, profile);
}

std::int64_t remaining_placements(const objects::PartitionProfile& profile,
                                  std::span<const objects::PartitionPlacement> live) {
  const auto fits = [&](const objects::PartitionPlacement& place) {
    return std::ranges::none_of(live, [&](const objects::PartitionPlacement& taken) {
      return place.start < taken.start + taken.length && taken.start < place.start + place.length;
    });
  };
  return std::ranges::count_if(profile.placements, fits);
}

std::vector<objects::LedgerGroup> free_ledger(const objects::Devices& devices) {
  std::vector<objects::LedgerGroup> groups;
  for (const objects::AcceleratorGroup& group : devices.groups) {
    objects::LedgerGroup& ledger = groups.emplace_back();
    ledger.id = group.id;
    ledger.manufacturer = group.manufacturer;
    for (const objects::Accelerator& card : group.accelerators) {
      objects::LedgerRow& row = ledger.rows.emplace_back();
      row.id = card.id;
      row.index = card.index;
      row.remaining = kUnitsPerCard;
      for (const objects::PartitionProfile& profile : card.profiles) {
        if (profile.count > 0) row.remaining_profiles.push_back({profile.name, profile.count});
      }
    }
  }
  return groups;
}

std::vector<objects::PartitionProfile> board_profiles(const mig::Board& board) {
  std::vector<objects::PartitionProfile> profiles;
  const Manufacturer& nvidia = *find_manufacturer("nvidia");
  for (const mig::Profile& row : board.profiles) {
    if (row.starts == 0 || !can_be_offered(nvidia, row.name) || row.variant != mig::Variant::kPlain) continue;
    objects::PartitionProfile& profile = profiles.emplace_back();
    profile.name = row.name;
    profile.memory_mib = row.memory_mib;
    profile.compute_slices = row.compute_slices;
    profile.memory_slices = row.memory_slices;
    profile.count = row.max_instances;
    for (int start = 0; start < 16; ++start) {
      if (((row.starts >> start) & 1U) != 0) profile.placements.push_back({start, row.memory_slices});
    }
  }
  return profiles;
}

}  // namespace gpusched::chain
