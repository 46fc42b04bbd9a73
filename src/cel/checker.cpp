#include "cel/checker.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cel/check_rules.hpp"

namespace gpusched::cel {
namespace {

/// a.b.c of an identifier and selections, empty for anything else.
std::string qualified_name(const Expr* expr) {
  if (expr->kind == ExprKind::kIdent) return expr->name;
  if (expr->kind != ExprKind::kSelect || expr->presence_test) return {};
  std::string prefix = qualified_name(expr->target);
  return prefix.empty() ? prefix : prefix + "." + expr->name;
}

std::string_view without_dot(std::string_view name) {
  return name.starts_with('.') ? name.substr(1) : name;
}

/// The function of a null literal's enum: the only one that the original knows.
constexpr std::string_view kNullValue = "google.protobuf.NullValue.NULL_VALUE";

const Type* literal_type(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
      return &types::kBool;
    case Kind::kInt:
      return &types::kInt;
    case Kind::kUint:
      return &types::kUint;
    case Kind::kDouble:
      return &types::kDouble;
    case Kind::kString:
      return &types::kString;
    case Kind::kBytes:
      return &types::kBytes;
    default:
      return &types::kNull;
  }
}

}  // namespace

std::string Checker::signature(const std::vector<const Type*>& args, bool member) {
  std::string text = member ? checked_name(*args[0]) + "." : "";
  text += "(";
  for (std::size_t i = member ? 1 : 0; i < args.size(); ++i) {
    text += (i == (member ? 1 : 0) ? "" : ", ") + checked_name(*args[i]);
  }
  return text + ")";
}

void Checker::undeclared(const Expr* at, std::string_view name) {
  errors_.add(at->offset, fmt::format("undeclared reference to '{}' (in container '')", name));
}

void Checker::mismatch(const Expr* at, const Type& expected, const Type& actual) {
  errors_.add(at->offset,
              fmt::format("expected type '{}' but found '{}'", checked_name(expected), checked_name(actual)));
}

void Checker::check(Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kMissing:
      expr->type = &types::kError;
      return;
    case ExprKind::kLiteral:
      expr->type = literal_type(expr->literal);
      return;
    case ExprKind::kIdent:
      return ident(expr);
    case ExprKind::kSelect:
      return select(expr);
    case ExprKind::kCall:
      return call(expr);
    case ExprKind::kList:
      return list(expr);
    case ExprKind::kMap:
      return map(expr);
    case ExprKind::kStruct:
      return message(expr);
    case ExprKind::kComprehension:
      return comprehension(expr);
  }
}

const Type* Checker::local(std::string_view name) const {
  for (auto scope = locals_.rbegin(); scope != locals_.rend(); ++scope) {
    if (scope->first == name) return scope->second;
  }
  return nullptr;
}

/// A name that is no local variable: the device, a type, an enum value.
bool Checker::global(Expr* expr, std::string_view name, bool hidden) {
  if (name == "device") {
    expr->type = &types::kDevice;
  } else if (name == kNullValue) {
    expr->kind = ExprKind::kLiteral;
    expr->literal = Value::of_int(0);
    expr->type = &types::kInt;
    return true;
  } else if (const Type* named = Declarations::named_type(name)) {
    expr->type = pool_.type_of(named);
    expr->named_type = named;
  } else {
    return false;
  }
  const std::string resolved = (hidden ? "." : "") + std::string(name);
  expr->kind = ExprKind::kIdent;
  expr->name = resolved;
  expr->target = nullptr;
  return true;
}

void Checker::ident(Expr* expr) {
  const std::string name = expr->name;
  const Type* variable = local(without_dot(name));
  if (variable != nullptr && !name.starts_with('.')) {
    expr->type = variable;
    return;
  }
  if (global(expr, without_dot(name), variable != nullptr)) return;
  expr->type = &types::kError;
  undeclared(expr, name);
}

void Checker::select(Expr* expr) {
  const std::string name = expr->presence_test ? std::string() : qualified_name(expr);
  if (!name.empty()) {
    const std::string first = name.substr(0, name.find('.', 1));
    const bool is_local = local(without_dot(first)) != nullptr;
    if ((!is_local || name.starts_with('.')) && global(expr, without_dot(name), is_local)) return;
  }
  const Type* type = field_type(expr, expr->target, expr->name, false);
  if (expr->presence_test) type = &types::kBool;
  expr->type = bound_.apply(pool_, type, false);
}

const Type* Checker::field_type(Expr* expr, Expr* operand, std::string_view field, bool optional) {
  check(operand);
  const Type* operand_type = bound_.apply(pool_, operand->type, false);
  const bool was_optional = is_optional(*operand_type);
  const Type* target = was_optional ? operand_type->params[0] : operand_type;
  const Type* result = &types::kError;
  switch (target->kind) {
    case TypeKind::kMap:
      result = target->params[1];
      break;
    case TypeKind::kStruct:
      if (const Type* found = lookup_field(expr->offset, target->name, field)) result = found;
      break;
    case TypeKind::kTypeParam:
      bound_.assign(&types::kDyn, target);
      result = &types::kDyn;
      break;
    default:
      if (!is_dyn_or_error(*target)) {
        errors_.add(expr->offset, fmt::format("type '{}' does not support field selection", checked_name(*target)));
      }
      result = &types::kDyn;
  }
  return was_optional || optional ? pool_.optional(result) : result;
}

const Type* Checker::lookup_field(std::int32_t offset, std::string_view type_name, std::string_view field) {
  const std::optional<const Type*> found = declarations_.field(type_name, field);
  if (!found) {
    errors_.add(offset, fmt::format("unexpected failed resolution of '{}'", type_name));
    return nullptr;
  }
  if (*found != nullptr) return *found;
  errors_.add(offset, fmt::format("undefined field '{}'", field));
  return nullptr;
}

void Checker::call(Expr* expr) {
  if (expr->name == "_?._") {
    const Type* type = field_type(expr, expr->args[0], expr->args[1]->literal.view(), true);
    expr->args[1]->type = &types::kString;
    expr->type = bound_.apply(pool_, type, false);
    expr->function = declarations_.function("_?._");
    expr->overloads = {&expr->function->overloads[0]};
    return;
  }
  for (Expr* arg : expr->args) check(arg);
  if (expr->target == nullptr) {
    const Function* function = declarations_.function(without_dot(expr->name));
    if (function == nullptr) {
      undeclared(expr, expr->name);
      expr->type = &types::kError;
      return;
    }
    expr->name = function->name;
    return resolve(expr, *function);
  }
  const std::string prefix = qualified_name(expr->target);
  if (!prefix.empty()) {
    const std::string full = prefix + "." + expr->name;
    if (const Function* function = declarations_.function(without_dot(full))) {
      expr->target = nullptr;
      expr->name = function->name;
      return resolve(expr, *function);
    }
  }
  check(expr->target);
  const Function* function = declarations_.function(expr->name);
  if (function != nullptr) return resolve(expr, *function);
  expr->type = &types::kError;
  undeclared(expr, expr->name);
}

void Checker::resolve(Expr* expr, const Function& function) {
  expr->function = &function;
  expr->type = resolve_overloads(expr, function);
  if (expr->type == nullptr) expr->type = &types::kError;
}

/// The type of a call of && or ||: operands of any number, each a bool.
const Type* Checker::logical_type(Expr* expr, const Function& function) {
  expr->overloads = {&function.overloads[0]};
  bool good = true;
  for (const Expr* arg : expr->args) {
    if (bound_.assign(arg->type, &types::kBool)) continue;
    mismatch(arg, types::kBool, *arg->type);
    good = false;
  }
  return good ? &types::kBool : nullptr;
}

const Type* Checker::resolve_overloads(Expr* expr, const Function& function) {
  if (function.name == "_&&_" || function.name == "_||_") return logical_type(expr, function);
  const bool member = expr->target != nullptr;
  std::vector<const Type*> args;
  if (member) args.push_back(expr->target->type);
  for (const Expr* arg : expr->args) args.push_back(arg->type);

  const Type* result = nullptr;
  for (const Overload& overload : function.overloads) {
    if (overload.member != member) continue;
    Substitution fresh;
    for (const Type* param : overload.params) fresh.add(*param, new_variable());
    std::vector<const Type*> wanted;
    wanted.reserve(overload.args.size());
    for (const Type* arg : overload.args) wanted.push_back(fresh.apply(pool_, arg, false));
    if (!bound_.assign_all(args, wanted)) continue;
    expr->overloads.push_back(&overload);
    const Type* type = bound_.apply(pool_, fresh.apply(pool_, overload.result, false), false);
    if (result == nullptr) {
      result = type;
    } else if (!is_dyn(*result) && !same_type(*type, *result)) {
      result = &types::kDyn;
    }
  }
  if (result != nullptr) return result;
  for (const Type*& arg : args) arg = bound_.apply(pool_, arg, true);
  errors_.add(expr->offset, fmt::format("found no matching overload for '{}' applied to '{}'", function.name,
                                        signature(args, member)));
  return nullptr;
}

const Type* Checker::new_variable() {
  return pool_.param(fmt::format("_var{}", variables_++));
}

/// The type of an element behind `?`: what its optional holds.
const Type* Checker::unwrapped(const Expr* element, bool optional) {
  const Type* type = element->type;
  if (!optional) return type;
  if (is_optional(*type)) return type->params[0];
  if (!is_dyn(*type)) mismatch(element, *pool_.optional(type), *type);
  return type;
}

const Type* Checker::join(const Type* previous, const Type* current) {
  if (previous == nullptr) return current;
  if (bound_.assign(previous, current)) return most_general(previous, current);
  return &types::kDyn;
}

void Checker::list(Expr* expr) {
  const Type* element = nullptr;
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    check(expr->args[i]);
    element = join(element, unwrapped(expr->args[i], expr->optional[i]));
  }
  expr->type = pool_.list(element == nullptr ? new_variable() : element);
}

void Checker::map(Expr* expr) {
  const Type* key = nullptr;
  const Type* value = nullptr;
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    check(expr->keys[i]);
    key = join(key, expr->keys[i]->type);
    check(expr->args[i]);
    value = join(value, unwrapped(expr->args[i], expr->optional[i]));
  }
  if (key == nullptr) {
    key = new_variable();
    value = new_variable();
  }
  expr->type = pool_.map(key, value);
}

void Checker::message(Expr* expr) {
  const std::string name(without_dot(expr->name));
  const Type* type = Declarations::named_type(name);
  if (type == nullptr) {
    undeclared(expr, expr->name);
    expr->type = &types::kError;
    return;
  }
  expr->name = name;
  std::string_view message = Declarations::well_known_message(*type);
  if (message.empty()) {
    message = name;
    if (type->kind != TypeKind::kStruct) {
      errors_.add(expr->offset, fmt::format("'{}' is not a message type", type->name));
      type = &types::kError;
    }
  }
  expr->type = type;
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    Expr* value = expr->args[i];
    check(value);
    const Expr::Entry& entry = expr->fields[i];
    const Type* field = lookup_field(entry.offset, message, entry.field);
    if (field == nullptr) field = &types::kError;
    const Type* type_of_value = unwrapped(value, expr->optional[i]);
    if (bound_.assign(field, type_of_value)) continue;
    errors_.add(entry.offset, fmt::format("expected type of field '{}' is '{}' but provided type is '{}'", entry.field,
                                          checked_name(*field), checked_name(*type_of_value)));
  }
}

void Checker::comprehension(Expr* expr) {
  check(expr->target);
  check(expr->init);
  const Type* range = bound_.apply(pool_, expr->target->type, false);
  const Type* accumulator = expr->init->type;
  const bool two = !expr->variable2.empty();
  const Type* first = &types::kDyn;
  const Type* second = &types::kDyn;
  switch (range->kind) {
    case TypeKind::kList:
      first = two ? &types::kInt : range->params[0];
      second = range->params[0];
      break;
    case TypeKind::kMap:
      first = range->params[0];
      second = range->params[1];
      break;
    case TypeKind::kDyn:
    case TypeKind::kError:
    case TypeKind::kTypeParam:
      bound_.assign(&types::kDyn, range);
      break;
    default:
      errors_.add(expr->target->offset,
                  fmt::format("expression of type '{}' cannot be range of a comprehension (must be "
                              "list, map, or dynamic)",
                              checked_name(*range)));
      first = second = &types::kError;
  }
  locals_.emplace_back(expr->accumulator, accumulator);
  locals_.emplace_back(expr->variable, first);
  if (two) locals_.emplace_back(expr->variable2, second);
  check(expr->condition);
  expect_type(expr->condition, &types::kBool);
  check(expr->step);
  expect_type(expr->step, accumulator);
  locals_.resize(locals_.size() - (two ? 2 : 1));
  check(expr->result);
  locals_.pop_back();
  expr->type = bound_.apply(pool_, expr->result->type, false);
}

void Checker::expect_type(const Expr* expr, const Type* type) {
  if (!bound_.assign(type, expr->type)) mismatch(expr, *type, *expr->type);
}

void check(Ast& ast, const Declarations& declarations, TypePool& pool, Errors& errors) {
  Checker checker(declarations, pool, errors);
  checker.check(ast.root);
  for (Expr& expr : ast.nodes) {
    if (expr.type != nullptr) expr.type = checker.bound().apply(pool, expr.type, true);
  }
}

}  // namespace gpusched::cel
