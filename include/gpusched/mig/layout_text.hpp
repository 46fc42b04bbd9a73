#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/layout.hpp"

namespace gpusched::mig {

/// What a person wants one GPU to be cut into.
struct WantedLayout {
  bool mig_enabled = true;  ///< false for "all-disabled"
  std::vector<LayoutEntry> entries;
};

/// Reads the name of a mig-parted configuration ("all-balanced") or a list of profiles with commas between them:
/// "3g.40gb,4g.40gb", "2x1g.10gb", "3g.40gb@4" with its start, or the number that `nvidia-smi mig -cgi` takes ("9").
/// Errors: "mig-profile-unknown", "mig-start-illegal", "mig-config-unknown", "mig-config-not-on-board",
/// "mig-layout-empty". At most one entry more than the board can hold is read.
[[nodiscard]] Result<WantedLayout> parse_layout(const Board& board, std::string_view text);

/// "3g.40gb, 1g.10gb@6"; "no instances" for none.
[[nodiscard]] std::string entries_text(const Board& board, std::span<const LayoutEntry> entries);

}  // namespace gpusched::mig
