#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cel/checker.hpp"
#include "cel/conversions.hpp"
#include "cel/regex.hpp"
#include "cel/time.hpp"

namespace gpusched::cel {
namespace {

/// Calls `visit` for an expression and all below it; `in_format` inside the arguments of format().
void walk(const Expr* expr, bool in_format, const std::function<void(const Expr*, bool)>& visit) {
  if (expr == nullptr) return;
  visit(expr, in_format);
  in_format = in_format || (expr->kind == ExprKind::kCall && expr->name == "format");
  walk(expr->target, in_format, visit);
  for (const auto* parts : {&expr->keys, &expr->args}) {
    for (const Expr* part : *parts) walk(part, in_format, visit);
  }
  for (const Expr* part : {expr->init, expr->condition, expr->step, expr->result}) walk(part, in_format, visit);
}

/// What timestamp(), duration() or matches() says to a literal; "" when it is fine.
bool good_literal(std::string_view function, const Value& literal) {
  if (function == "timestamp") {
    if (literal.is(Kind::kInt)) return literal.integer >= kMinTimestamp && literal.integer <= kMaxTimestamp;
    return literal.is(Kind::kString) && !timestamp_from(literal).is_error();
  }
  if (function == "duration") return literal.is(Kind::kString) && !duration_from(literal).is_error();
  std::string rewritten;
  return !literal.is(Kind::kString) || check_regex(literal.view(), rewritten).empty();
}

/// The first argument, which for the function matches(text, pattern) is not the pattern: so does the original.
void check_literal(const Expr* expr, std::string_view function, Errors& errors) {
  if (expr->kind != ExprKind::kCall || expr->name != function || expr->args.empty()) return;
  const Expr* arg = expr->args[0];
  if (arg->kind != ExprKind::kLiteral || good_literal(function, arg->literal)) return;
  errors.add(arg->offset, fmt::format("invalid {} argument", function));
}

const Type* element_type(const Expr* expr, std::size_t i) {
  const Type* type = expr->args[i]->type;
  return expr->optional[i] && !type->params.empty() ? type->params[0] : type;
}

void mismatch(const Expr* at, const Type& expected, const Type& actual, Errors& errors) {
  errors.add(at->offset,
             fmt::format("expected type '{}' but found '{}'", checked_name(expected), checked_name(actual)));
}

void check_list(const Expr* expr, Errors& errors) {
  for (std::size_t i = 1; i < expr->args.size(); ++i) {
    if (same_type(*element_type(expr, 0), *element_type(expr, i), false)) continue;
    return mismatch(expr->args[i], *element_type(expr, 0), *element_type(expr, i), errors);
  }
}

void check_map(const Expr* expr, Errors& errors) {
  for (std::size_t i = 1; i < expr->args.size(); ++i) {
    const Type& key = *expr->keys[0]->type;
    if (!same_type(key, *expr->keys[i]->type, false)) mismatch(expr->keys[i], key, *expr->keys[i]->type, errors);
    const Type& value = *element_type(expr, 0);
    if (!same_type(value, *element_type(expr, i), false))
      mismatch(expr->args[i], value, *element_type(expr, i), errors);
  }
}

}  // namespace

void validate(const Ast& ast, Errors& errors) {
  for (const std::string_view function : {"duration", "timestamp", "matches"}) {
    walk(ast.root, false, [&](const Expr* expr, bool) { check_literal(expr, function, errors); });
  }
  walk(ast.root, false, [&](const Expr* expr, bool in_format) {
    if (expr->kind == ExprKind::kList && !in_format) check_list(expr, errors);
  });
  walk(ast.root, false, [&](const Expr* expr, bool in_format) {
    if (expr->kind == ExprKind::kMap && !in_format) check_map(expr, errors);
  });
  walk(ast.root, false, [&](const Expr* expr, bool) {
    const bool is_format = expr->kind == ExprKind::kCall && expr->name == "format" && expr->target != nullptr;
    if (is_format) validate_format(expr, errors);
  });
}

}  // namespace gpusched::cel
