#pragma once

#include <optional>
#include <string_view>

#include "gpusched/io/document.hpp"

namespace gpusched::check {

/// -1, 0 or 1 for two numbers in JSON's grammar; exact, whatever their size.
[[nodiscard]] int compare_numbers(std::string_view a, std::string_view b);

/// Whether two values are the same JSON: numbers by amount, members in any order.
[[nodiscard]] bool same_value(const io::Value& a, const io::Value& b);

/// The value that a pointer leads to (FieldExpectation), or nullptr.
[[nodiscard]] const io::Value* find_value(const io::Value& root, std::string_view pointer);

}  // namespace gpusched::check
