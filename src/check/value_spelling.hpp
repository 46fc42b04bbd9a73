#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"

// How a value stands in the text of its document. What is said here is a guess: reading the edited text again tells
// whether it was right.
namespace gpusched::check {

/// Places at which the value's text may end, the likeliest first.
[[nodiscard]] std::vector<std::size_t> possible_ends(std::string_view text, const io::Value& place);

/// A new value as it may be written at `at`, the one in the style of the old one first. `json` is `value` as JSON.
[[nodiscard]] std::vector<std::string> spellings(std::string_view text, std::size_t at, const io::Value& value,
                                                 std::string_view json);

}  // namespace gpusched::check
