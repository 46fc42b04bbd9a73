#pragma once

#include <string>

#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// A value as JSON text, with numbers as they were written.
[[nodiscard]] std::string to_json(const Value& value);

/// A text as a JSON string.
void append_json_string(std::string_view text, std::string& out);

}  // namespace gpusched::io
