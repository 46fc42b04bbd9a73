#pragma once

#include "cel/ast.hpp"
#include "cel/environment.hpp"
#include "cel/source.hpp"
#include "cel/type.hpp"

namespace gpusched::cel {

/// Finds the type of every expression and the overloads of every call.
void check(Ast& ast, const Declarations& declarations, TypePool& pool, Errors& errors);

/// What cel-go's validators find in a tree that checks: literals of timestamp, duration and matches, literals with
/// elements of different types, constant format strings.
void validate(const Ast& ast, Errors& errors);
/// The same for one call of string.format.
void validate_format(const Expr* expr, Errors& errors);

}  // namespace gpusched::cel
