#pragma once

#include <nlohmann/json.hpp>

/// Vectors about the gates.
namespace gpusched::conformance {

[[nodiscard]] nlohmann::json credits_fold(const nlohmann::json& in);
[[nodiscard]] nlohmann::json credits_transform(const nlohmann::json& in);
[[nodiscard]] nlohmann::json request_rule(const nlohmann::json& in);
[[nodiscard]] nlohmann::json gate3_feasibility(const nlohmann::json& in);
[[nodiscard]] nlohmann::json gate3_demand(const nlohmann::json& in);
[[nodiscard]] nlohmann::json workload_pin(const nlohmann::json& in);
[[nodiscard]] nlohmann::json pod_pin(const nlohmann::json& in);

}  // namespace gpusched::conformance
