#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "gpusched/explain/explain.hpp"

namespace gpusched::report {

/// [{verdict, by?, text}]
[[nodiscard]] nlohmann::ordered_json findings_json(std::span<const explain::Finding> findings);
/// [{change, effect, verified}]
[[nodiscard]] nlohmann::ordered_json fixes_json(std::span<const explain::Fix> fixes);

}  // namespace gpusched::report
