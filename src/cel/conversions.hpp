#pragma once

#include "cel/heap.hpp"
#include "cel/value.hpp"

namespace gpusched::cel {

/// string(value) as the conversions and string.format make it; an error when there is no such conversion.
[[nodiscard]] Value to_string_value(Heap& heap, const Value& value);
/// Conversions from text; an error "type conversion error from 'string' to ..." for a bad one.
[[nodiscard]] Value timestamp_from(const Value& text);
[[nodiscard]] Value duration_from(const Value& text);

}  // namespace gpusched::cel
