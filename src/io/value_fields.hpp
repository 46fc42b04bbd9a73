#pragma once

#include <string_view>

#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// The text of a member that is a string; "" when there is none, it is something else, or this is no object.
[[nodiscard]] inline std::string_view text_of(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value != nullptr && value->is_string() ? value->text() : std::string_view();
}

}  // namespace gpusched::io
