#pragma once

#include <memory_resource>
#include <string_view>

#include "gpusched/io/document.hpp"
#include "io/syntax_error.hpp"

namespace gpusched::io {

/// The YAML documents of a text that hold something. Aliases share the values of their anchor, so an alias costs no
/// memory; Limits::max_alias_values bounds what a walk over the tree meets. Merge keys (`<<`) are applied: the
/// object's own members win, then the first of several merged objects.
[[nodiscard]] ParseOutcome parse_yaml(std::string_view text, std::pmr::memory_resource& arena, const Limits& limits);

}  // namespace gpusched::io
