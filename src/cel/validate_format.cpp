#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "cel/checker.hpp"
#include "cel/format.hpp"

namespace gpusched::cel {
namespace {

bool one_of(const Type& type, std::initializer_list<TypeKind> kinds) {
  return type.is(TypeKind::kDyn) || std::ranges::find(kinds, type.kind) != kinds.end();
}

/// The first expression in an argument of %s that cannot be a text, or null.
const Expr* not_a_text(const Expr* expr) {
  if (!one_of(*expr->type, {TypeKind::kList, TypeKind::kMap, TypeKind::kInt, TypeKind::kUint, TypeKind::kDouble,
                            TypeKind::kBool, TypeKind::kString, TypeKind::kTimestamp, TypeKind::kBytes,
                            TypeKind::kDuration, TypeKind::kType, TypeKind::kNull})) {
    return expr;
  }
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    if (expr->kind == ExprKind::kMap) {
      if (const Expr* bad = not_a_text(expr->keys[i])) return bad;
    }
    if (expr->kind == ExprKind::kMap || expr->kind == ExprKind::kList) {
      if (const Expr* bad = not_a_text(expr->args[i])) return bad;
    }
  }
  return nullptr;
}

bool fits(char verb, const Type& type) {
  switch (verb) {
    case 'd':
    case 'o':
      return one_of(type, {TypeKind::kInt, TypeKind::kUint});
    case 'f':
    case 'e':
      return one_of(type, {TypeKind::kDouble, TypeKind::kString});
    case 'b':
      return one_of(type, {TypeKind::kInt, TypeKind::kUint, TypeKind::kBool});
    default:
      return one_of(type, {TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes});
  }
}

}  // namespace

void validate_format(const Expr* expr, Errors& errors) {
  const bool constant = expr->target->kind == ExprKind::kLiteral && expr->target->literal.is(Kind::kString);
  if (!constant || expr->args.size() != 1 || expr->args[0]->kind != ExprKind::kList) return;
  const std::vector<Expr*>& args = expr->args[0]->args;
  const Expr* at = expr;
  std::size_t used = 0;
  const std::string error = walk_format(
      expr->target->literal.view(), args.size(), true, [](std::string_view) {},
      [&](const FormatClause& clause) {
        ++used;
        const Expr* arg = args[clause.argument];
        const Expr* bad = arg;
        if (clause.verb == 's') {
          bad = not_a_text(arg);
        } else if (fits(clause.verb, *arg->type)) {
          bad = nullptr;
        }
        if (bad == nullptr) return std::string();
        at = bad;
        return format_type_error(clause.verb, bad->type->name);
      });
  if (!error.empty()) {
    errors.add(at->offset, error);
  } else if (args.size() > used) {
    errors.add(expr->offset,
               fmt::format("too many arguments supplied to string.format (expected {}, got {})", used, args.size()));
  }
}

}  // namespace gpusched::cel
