#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusched/mig/layout.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::whatif {

/// What a layout asks of one GPU.
struct MigWish {
  bool mig = false;  ///< in MIG mode
  std::vector<mig::LayoutEntry> entries;
};

/// The name of a mig-parted configuration, or profiles: "3g.40gb+4g.40gb", "2x1g.10gb+1g.20gb". Errors:
/// "mig-config-unknown", "mig-config-not-on-board", "mig-profile-unknown", "mig-layout-impossible" (too many).
[[nodiscard]] Result<MigWish> parse_layout(std::string_view text, const mig::Board& board);

/// The model's instance.
[[nodiscard]] MigInstance instance_of(const mig::Board& board, mig::Instance placed, std::uint16_t gpu,
                                      ShapeBuilder& builder);

/// "GPU 0: 1g.10gb@0, 3g.40gb@4; GPU 1: no MIG", equal GPUs together.
[[nodiscard]] std::string mig_text(const ClusterShape& shape, const NodeClass& node_class);

}  // namespace gpusched::whatif
