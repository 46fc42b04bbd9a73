#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpusched/io/document.hpp"

namespace gpusched::check {

/// The text of a suite in which one value is another one; all else, comments included, stays byte for byte. `place` is
/// a value of `document`, the text's only one; `json` what it shall be. None when that cannot be done in place: the
/// result is read again and must be the same document but for this value.
/// Scalars, lists and objects in brackets and block texts ("|") can be replaced.
[[nodiscard]] std::optional<std::string> replace_value(const io::Document& document, const io::Value& place,
                                                       std::string_view json);

}  // namespace gpusched::check
