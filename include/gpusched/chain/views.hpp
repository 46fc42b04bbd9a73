#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpusched/chain/card.hpp"

/// An InstanceType's status: what its pool can still give, seen four ways.
/// Source: GPUStack operator v0.9.0-rc2; shares count accelerators of one node, a partition is always asked for singly.
namespace gpusched::chain {

struct View {
  std::int64_t once_max_request = 0;  ///< the largest single request that can be served now
  std::int64_t remaining = 0;
  std::int64_t capacity = 0;

  bool operator==(const View&) const = default;
};

using ProfileCounts = std::map<std::string, std::int64_t, std::less<>>;  ///< by published name

struct FourViews {
  View exclusive;    ///< whole accelerators
  View shared;       ///< shares of a tenth
  View sliced;       ///< per cent of an accelerator
  View partitioned;  ///< instances; remaining is the largest number of one profile, summed over the accelerators
  ProfileCounts remaining_profiles;  ///< every offered profile, also at 0
  ProfileCounts allocated_profiles;

  bool operator==(const FourViews&) const = default;
};

/// One node's accelerators of the pool's model.
using NodeCards = std::span<const Card>;

/// The views over the nodes of a pool. Accelerators without a ledger row count as capacity and as nothing that remains;
/// partitioned ones fall back to their static counts.
[[nodiscard]] FourViews four_views(std::span<const NodeCards> nodes, std::string_view manufacturer);

/// "8/8 8/80 100/800 0/0": onceMaxRequest/remaining of the four.
[[nodiscard]] std::string column(const FourViews& views);

/// The CPU view of a pool without accelerators: `nominal` cores in all, `largest` on one node, `reserved_milli` by
/// workloads. With `overcommit` a reservation stands for 1000/800 of itself.
[[nodiscard]] View cpu_view(std::int64_t nominal, std::int64_t largest, std::int64_t reserved_milli, bool overcommit);

}  // namespace gpusched::chain
