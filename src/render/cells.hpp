#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "gpusched/base/text.hpp"

/// Members of a document as the cells of its table.
namespace gpusched::render {

/// A text, with what could steer a terminal made visible.
[[nodiscard]] inline std::string text(const nlohmann::ordered_json& value) {
  return escape_control(value.get_ref<const std::string&>());
}

/// A number, or "min to max" where the input leaves it open.
[[nodiscard]] inline std::string number(const nlohmann::ordered_json& value) {
  return value.is_object() ? fmt::format("{} to {}", value.at("min").dump(), value.at("max").dump()) : value.dump();
}

}  // namespace gpusched::render
