#pragma once

#include <cstddef>
#include <string_view>

#include "io/syntax_error.hpp"

namespace gpusched::io {

/// yaml-cpp's message in people's words, with what stands at that place.
[[nodiscard]] SyntaxError explain_yaml_error(std::string_view text, std::size_t offset,
                                             std::string_view parser_message);

}  // namespace gpusched::io
