#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "gpusched/base/text.hpp"

/// Members of a document as the cells of its table.
namespace gpusched::render {

/// A text, with what could steer a terminal made visible; a number as it is.
[[nodiscard]] inline std::string text(const nlohmann::ordered_json& value) {
  return value.is_string() ? escape_control(value.get_ref<const std::string&>()) : value.dump();
}

/// Texts with commas between: `unnamed` stands for an empty one, `none` for a list without any.
struct Joined {
  std::string_view none = {};
  std::string_view unnamed = {};
};
[[nodiscard]] inline std::string joined(const nlohmann::ordered_json& list, Joined words = {}) {
  std::string all;
  for (const nlohmann::ordered_json& entry : list) {
    const std::string word = text(entry);
    (all += &entry == &list.front() ? "" : ", ") += word.empty() ? words.unnamed : word;
  }
  return list.empty() ? std::string(words.none) : all;
}

/// "ml/train" of an object with `namespace` and `name`, "train" without a namespace.
[[nodiscard]] inline std::string qualified_name(const nlohmann::ordered_json& object) {
  const std::string space = text(object.at("namespace"));
  return (space.empty() ? "" : space + "/") + text(object.at("name"));
}

/// A number, or "min to max" where the input leaves it open.
[[nodiscard]] inline std::string number(const nlohmann::ordered_json& value) {
  return value.is_object() ? fmt::format("{} to {}", value.at("min").dump(), value.at("max").dump()) : value.dump();
}

}  // namespace gpusched::render
