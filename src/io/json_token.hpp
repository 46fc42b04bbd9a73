#pragma once

#include <cstddef>
#include <string_view>

#include "io/tree_builder.hpp"

namespace gpusched::io {

/// Bytes of the JSON number that starts `text`, 0 if none does. Grammar: RFC 8259, section 6.
[[nodiscard]] std::size_t json_number_length(std::string_view text);

/// Whether a number or a literal may end before the byte at `index`: blank, punctuation or the end of the text.
[[nodiscard]] bool ends_json_scalar(std::string_view text, std::size_t index);

/// The content of a string literal: `text` starts behind the opening quote. `ok` is false for a bad escape, a control
/// character or a missing closing quote; `length` then counts up to the offending byte (a backslash for an escape).
struct JsonString {
  std::string_view content;
  std::size_t length = 0;  ///< bytes up to the closing quote
  bool ok = false;
};

/// Content without escapes points into `text`; else it is decoded into the builder's arena.
[[nodiscard]] JsonString read_json_string(std::string_view text, TreeBuilder& builder);

/// Bytes of the valid escape that starts `text` (with its backslash; a pair of surrogate escapes is one), 0 if none
/// does.
[[nodiscard]] std::size_t json_escape_length(std::string_view text);

/// The offset behind the bracket that closes the array or object at `start`, by counting brackets outside strings;
/// npos if it is never closed.
[[nodiscard]] std::size_t json_document_end(std::string_view text, std::size_t start);

}  // namespace gpusched::io
