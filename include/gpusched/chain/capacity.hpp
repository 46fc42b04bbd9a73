#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "gpusched/chain/card.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/objects/resources.hpp"

/// Stage 3: the counting keys that the worker patches into a node's status.capacity.
namespace gpusched::chain {

/// One model on a node, as the counting keys see it.
struct ModelCards {
  const CardGroup* group = nullptr;
  std::int64_t memory_mib =
      0;  ///< of one accelerator, read back from the rounded `.memory` label; 0 when it is missing
};

/// Which pools of one manufacturer the node advertises: the bare `.sliced` and `.partitioned` of status.capacity are
/// there and positive. Not allocatable, which also falls to zero when everything is in use.
struct Pools {
  bool sliced = false;
  bool partitioned = false;
};
[[nodiscard]] Pools pools_of(const objects::ResourceList& capacity, const Manufacturer& manufacturer);

/// Amounts by resource key, sorted.
using Amounts = std::map<std::string, std::int64_t, std::less<>>;

/// The keys of one manufacturer, summed over its models on a managed node: .sliced.units, .cores-percentage,
/// .memory-percentage, .memory-mib; .partitioned.units and one key for each offered profile, also at 0.
[[nodiscard]] Amounts counting_keys(const Manufacturer& manufacturer, std::span<const ModelCards> models,
                                    const Pools& pools);

/// Whether the worker owns a key of status.capacity, and so may remove it.
[[nodiscard]] bool is_counting_key(std::string_view resource);

/// What has to change in status.capacity: a value to set, or none to remove a stale key. Equal amounts give nothing.
[[nodiscard]] std::map<std::string, std::optional<std::int64_t>, std::less<>> capacity_patch(
    const objects::ResourceList& capacity, const Amounts& desired);

/// The bare keys that the device plugin advertises for the models: whole accelerators, shares, slices, and partitions
/// (live ones and, of each accelerator, the largest number of one profile that still fits). For nodes that have Devices
/// but no such keys yet.
[[nodiscard]] Amounts bare_keys(const Manufacturer& manufacturer, std::span<const ModelCards> models);

}  // namespace gpusched::chain
