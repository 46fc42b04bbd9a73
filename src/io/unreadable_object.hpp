#pragma once

#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::io {

/// Why the object of that kind is not read, at least one error with a pointer from the object on: the fields of a Pod
/// or Node that have a wrong type; for other kinds and broken texts `otherwise`. Reads the text again as a whole.
[[nodiscard]] Diagnostics why_unreadable(std::string_view text, std::string_view kind, std::string_view otherwise);

}  // namespace gpusched::io
