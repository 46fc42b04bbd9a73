#pragma once

#include <cstddef>
#include <string_view>

#include "io/syntax_error.hpp"

namespace gpusched::io {

/// Why the JSON document at `start` cannot be read, in people's words. simdjson's own errors have neither a place nor
/// the token, so this scan runs once simdjson has refused a text. `follows_document`: another document came before.
[[nodiscard]] SyntaxError find_json_error(std::string_view text, std::size_t start, bool follows_document,
                                          const Limits& limits);

}  // namespace gpusched::io
