#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gpusched/base/text.hpp"

namespace gpusched::io {

/// What stands at `offset`, for "found …": a punctuation character or a word in single quotes, "the end of the text",
/// "the end of the line".
[[nodiscard]] std::string found_at(std::string_view text, std::size_t offset);

/// Bytes of the valid UTF-8 character that starts `text`; 0 if the bytes are not valid UTF-8 or `text` is empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not part of valid UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

}  // namespace gpusched::io
