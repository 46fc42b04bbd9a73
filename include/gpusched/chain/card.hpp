#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/gpustack.hpp"

namespace gpusched::mig {
struct Board;
}

namespace gpusched::chain {

/// An accelerator as it was detected, with its row of the ledger. Without a row nothing is known of its use, which is
/// not the same as being free. Points into the Devices that it was made from.
struct Card {
  const objects::Accelerator* spec = nullptr;
  const objects::LedgerRow* ledger = nullptr;  ///< nullptr: no row yet
};

/// The accelerators of one model on a node.
struct CardGroup {
  const objects::AcceleratorGroup* group = nullptr;
  std::string key;      ///< "nvidia-h100-80gb-hbm3"
  bool ledger = false;  ///< the ledger has this group
  std::vector<Card> cards;
};

/// "nvidia-tesla-t4" of a group or its ledger.
[[nodiscard]] std::string accelerator_key(std::string_view manufacturer, std::string_view id);

/// The groups of a node with their ledger rows, which are found by id.
[[nodiscard]] std::vector<CardGroup> card_groups(const objects::Devices& devices);

// The populations are disjoint: a partitioned accelerator is neither whole nor sliceable.
[[nodiscard]] bool is_partitioned(const Card& card);
[[nodiscard]] bool is_sliceable(const Card& card);
/// Whether the ledger tells which partitions live on it or still fit.
[[nodiscard]] bool partitions_known(const Card& card);

/// Units that one more slice can take: 0 when it is in another mode, hosts its full number of slices, or is unknown.
[[nodiscard]] std::int64_t free_slice_units(const Card& card);
/// Whether it can grant one more share.
[[nodiscard]] bool can_share(const Card& card);
/// Whether it can be given away whole.
[[nodiscard]] bool is_free(const Card& card);

[[nodiscard]] std::int64_t count_of(std::span<const objects::ProfileCount> counts, std::string_view profile);
/// Further instances of a profile (the manufacturer's spelling) on a partitioned accelerator: the ledger's number, the
/// profile's static count while no ledger is published, never zero for a fresh node.
[[nodiscard]] std::int64_t remaining_of(const Card& card, const objects::PartitionProfile& profile);
/// Live instances and remaining ones: what a scheduler that subtracts requests must start from.
[[nodiscard]] std::int64_t capacity_of(const Card& card, const objects::PartitionProfile& profile);

/// How many instances of the profile still fit next to the live ones: its legal placements that overlap none of them.
[[nodiscard]] std::int64_t remaining_placements(const objects::PartitionProfile& profile,
                                                std::span<const objects::PartitionPlacement> live);

/// The ledger of Devices nobody uses yet.
[[nodiscard]] std::vector<objects::LedgerGroup> free_ledger(const objects::Devices& devices);

/// The profiles that the device manager records for a MIG board: those with a placement and a name that can be part of
/// a resource's name. `manufacturer` is always NVIDIA's here.
[[nodiscard]] std::vector<objects::PartitionProfile> board_profiles(const mig::Board& board);

}  // namespace gpusched::chain
