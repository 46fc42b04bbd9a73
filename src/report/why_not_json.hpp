#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "gpusched/dra/why_not.hpp"

namespace gpusched::report {

/// "nodes", one entry for all nodes alike, only with `details`; "hints"; "fixes".
[[nodiscard]] nlohmann::ordered_json why_not_json(const dra::WhyNot& why, std::span<const dra::NodeFacts> nodes,
                                                  bool details);

}  // namespace gpusched::report
