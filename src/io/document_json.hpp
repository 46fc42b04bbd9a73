#pragma once

#include <memory_resource>
#include <string_view>

#include "gpusched/io/document.hpp"
#include "io/syntax_error.hpp"

namespace gpusched::io {

/// One or more JSON documents, each an array or an object. kPaddingBytes readable bytes must follow `text`, and the
/// Values point into it: strings without escapes and numbers are not copied.
/// Grammar: RFC 8259; a lone surrogate escape becomes U+FFFD, as in Go's encoding/json, which Kubernetes uses.
[[nodiscard]] ParseOutcome parse_json(std::string_view text, std::pmr::memory_resource& arena, const Limits& limits);

}  // namespace gpusched::io
