#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusched/mig/layout.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::whatif {

/// The layout as mig::parse_layout takes it: "3g.40gb+4g.40gb" with commas. The "+" of "1g.10gb+me" stays, as no
/// profile begins with a letter.
[[nodiscard]] std::string comma_layout(std::string_view text);

/// The model's instance.
[[nodiscard]] MigInstance instance_of(const mig::Board& board, mig::Instance placed, std::uint16_t gpu,
                                      ShapeBuilder& builder);

/// "GPU 0: 1g.10gb@0, 3g.40gb@4; GPU 1: no MIG", equal GPUs together.
[[nodiscard]] std::string mig_text(const ClusterShape& shape, const NodeClass& node_class);

}  // namespace gpusched::whatif
