#pragma once

#include <optional>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::io {

/// Recognises bytes that are no document of any format that is read: empty, UTF-16 or UTF-32, binary, an HTML page,
/// what kubectl prints for people (an error, a table, `describe`). The diagnostic has no source.
[[nodiscard]] std::optional<Diagnostic> refuse_bytes(std::string_view bytes);

}  // namespace gpusched::io
