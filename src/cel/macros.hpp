#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.hpp"

namespace gpusched::cel {

/// What became of a call that may be a macro.
struct Expansion {
  Expr* expr = nullptr;  ///< the expansion; null: no macro of that name and number of arguments
  std::int32_t error_offset = kNoOffset;
  std::string error;  ///< the arguments do not fit the macro
};

[[nodiscard]] Expansion expand_macro(Ast& ast, std::int32_t offset, std::string_view name, Expr* target,
                                     const std::vector<Expr*>& args);

}  // namespace gpusched::cel
