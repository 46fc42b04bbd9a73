#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/board.hpp"

namespace gpusched::mig {

/// What a mig-parted configuration asks of every GPU of one board.
struct NamedConfig {
  bool mig_enabled = false;
  /// One entry per instance, ascending by size; empty for all-disabled and all-enabled. place_layout() of this list
  /// gives a creation order in which every instance finds its lowest start free.
  std::vector<ProfileIndex> profiles;
};

/// The configuration that the label `nvidia.com/mig.config` names, on this board: "all-balanced", "all-1g.10gb" (seven
/// instances on an 80 GB board, four on an A100 40GB), "all-disabled". First the static list of gpu-operator, then what
/// mig-parted 0.14 and later generate from the GPU itself: all-<profile> at the profile's largest count, and
/// all-balanced (2 x 1g, 2g, 3g with seven compute slices; 2 x 1g, 2g with four). Errors: "mig-config-unknown" (no such
/// name), "mig-config-not-on-board" (its profiles are another board's).
[[nodiscard]] Result<NamedConfig> find_named_config(std::string_view name, const Board& board);

/// Every configuration that this board can have, sorted by name: for messages and completion.
[[nodiscard]] std::vector<std::string> named_configs(const Board& board);

}  // namespace gpusched::mig
