#pragma once

#include <string_view>

#include "cel/ast.hpp"
#include "cel/source.hpp"

namespace gpusched::cel {

/// Parses an expression and expands its macros. Errors are worded as those of the parser generator that cel-go uses;
/// the tree is of use only when there are none.
void parse(const Source& source, Errors& errors, Ast& ast);

}  // namespace gpusched::cel
