#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::render {

/// The objects of a report, one a line as kubectl's `-o name` prints them: the pods of a placement, the nodes with free
/// GPUs of a fragmentation report, the items of a list.
[[nodiscard]] bool has_names(const nlohmann::ordered_json& document);
[[nodiscard]] std::string names(const nlohmann::ordered_json& document);

}  // namespace gpusched::render
