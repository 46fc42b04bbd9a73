#pragma once

#include <nlohmann/json.hpp>

#include "gpusched/objects/gpustack.hpp"

/// Vectors about stage 4, and the Devices that many areas describe.
namespace gpusched::conformance {

/// Devices of {manufacturer, groups: [{id?, overcommit?, cards: [{logical?, profiles?, part?, …}]}]}.
[[nodiscard]] objects::Devices devices_of(const nlohmann::json& in);

[[nodiscard]] nlohmann::json flavors_and_pools(const nlohmann::json& in);
[[nodiscard]] nlohmann::json queue_fill(const nlohmann::json& in);
[[nodiscard]] nlohmann::json stop_policy(const nlohmann::json& in);
[[nodiscard]] nlohmann::json four_view(const nlohmann::json& in);
[[nodiscard]] nlohmann::json cpu_view(const nlohmann::json& in);

}  // namespace gpusched::conformance
