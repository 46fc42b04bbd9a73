#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/mig/layout.hpp"

namespace gpusched::mig {

/// Who chooses the start of an instance that is created without one.
enum class StartRule : std::uint8_t {
  kLowest,       ///< the lowest free one
  kKeepLargest,  ///< where the most of the largest profiles still fit afterwards, then the lowest. Inferred: it gives
                 ///< every sequence that NVIDIA's MIG user guide shows of the driver ("Creating GPU Instances")
};

/// The start that the rule chooses beside the existing instances; none when the profile fits nowhere.
[[nodiscard]] std::optional<std::uint8_t> choose_start(const Board& board, std::span<const Instance> existing,
                                                       ProfileIndex profile, StartRule rule);

/// What came of a list of instances that were created one after another, each where the rule says.
struct Creation {
  std::vector<Instance> created;        ///< in order, up to the first that found no place
  std::optional<std::uint8_t> stopped;  ///< index of that one; none: all were created
};
[[nodiscard]] Creation create_in_order(const Board& board, std::span<const ProfileIndex> list, StartRule rule);

/// All orders of one list: a legal layout may come about in some of them only.
struct CreationOrders {
  std::uint32_t orders = 0;       ///< different orders
  std::uint32_t working = 0;      ///< those in which every instance finds a place
  std::uint32_t tries = 0;        ///< the first working one is mig-parted's so many-th try; 0: none works
  std::vector<Instance> created;  ///< in that order
};

/// Tries the orders as mig-parted does: first the largest profiles first, then every other, exchanging from the front
/// ("error attempting multiple config orderings: all orderings failed" when none works). Source: mig-parted v0.15,
/// pkg/mig/config, iteratePermutationsUntilSuccess. A list of more than kMaxInstancesPerGpu has no orders.
[[nodiscard]] CreationOrders creation_orders(const Board& board, std::span<const ProfileIndex> list, StartRule rule);

}  // namespace gpusched::mig
