#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::render {

/// A document as YAML in block style. A string is quoted unless no YAML reader could take it for something else.
[[nodiscard]] std::string yaml(const nlohmann::ordered_json& document);

}  // namespace gpusched::render
