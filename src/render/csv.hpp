#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::render {

/// The main list of a report (pods, claims, jobs, …) as CSV: a row for each entry, a column for each key in the order
/// in which the keys first stand; lists and objects inside are JSON text; of an empty list the columns that are always
/// there. Of documents that have such a list.
[[nodiscard]] bool has_csv(const nlohmann::ordered_json& document);
[[nodiscard]] std::string csv(const nlohmann::ordered_json& document, bool headers);
/// The events of a simulation in the same way.
[[nodiscard]] bool has_csv_events(const nlohmann::ordered_json& document);
[[nodiscard]] std::string csv_events(const nlohmann::ordered_json& document, bool headers);

}  // namespace gpusched::render
