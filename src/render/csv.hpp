#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::render {

/// The main list of a report (pods, claims, jobs, …) as CSV: a row for each entry, a column for each key in the order
/// in which the keys first stand; lists and objects inside are JSON text. Documents without such a list give nothing.
[[nodiscard]] std::string csv(const nlohmann::ordered_json& document, bool headers);
/// The events of a simulation in the same way.
[[nodiscard]] std::string csv_events(const nlohmann::ordered_json& document, bool headers);

}  // namespace gpusched::render
