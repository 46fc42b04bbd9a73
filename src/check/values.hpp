#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpusched/io/document.hpp"

namespace gpusched::check {

/// -1, 0 or 1 for two numbers in JSON's grammar; exact, whatever their size.
[[nodiscard]] int compare_numbers(std::string_view a, std::string_view b);

/// Whether two values are the same JSON: numbers by amount, members in any order.
[[nodiscard]] bool same_value(const io::Value& a, const io::Value& b);

/// The value that a pointer leads to (FieldExpectation), or nullptr.
[[nodiscard]] const io::Value* find_value(const io::Value& root, std::string_view pointer);

/// Where a mistyped pointer may have wanted to go: the same path with the closest spelling of the step that leads
/// nowhere, else the first place, of those closest to the root, that has a member of the pointer's last name. "" for
/// neither.
[[nodiscard]] std::string nearest_pointer(const io::Value& root, std::string_view pointer);

}  // namespace gpusched::check
