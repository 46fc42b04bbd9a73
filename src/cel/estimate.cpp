#include "cel/estimate.hpp"

#include <cmath>
#include <utility>

#include "cel/estimator.hpp"
#include "cel/source.hpp"

namespace gpusched::cel {

std::uint64_t Range::scale(std::uint64_t value, double factor) {
  constexpr double kMax = 18446744073709551616.0;  // 2^64
  const auto size = static_cast<double>(value);
  if (size > 0 && factor > 0 && size > kMax / factor) return kUnbounded;
  const double product = std::ceil(size * factor);
  return product >= kMax ? kUnbounded : static_cast<std::uint64_t>(product);
}

namespace {

constexpr std::string_view kAccumulator = "__result__";
constexpr Range kStep = Range::exactly(1);

Path extended(Path path, std::string_view step) {
  path.emplace_back(step);
  return path;
}

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    case TypeKind::kOpaque:
      return is_optional(type) && is_scalar(*type.params[0]);
    default:
      return false;
  }
}

/// The size that the expression itself tells.
std::optional<Range> written_size(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kLiteral:
      if (expr->literal.is(Kind::kString)) return Range::exactly(count_code_points(expr->literal.view()));
      if (expr->literal.is(Kind::kBytes)) return Range::exactly(expr->literal.size);
      return Range::exactly(1);
    case ExprKind::kList:
    case ExprKind::kMap:
      return Range::exactly(expr->args.size());
    default:
      return std::nullopt;
  }
}

/// cel.bind() and its like: a comprehension over nothing.
bool is_bind(const Expr* expr) {
  return expr->target->kind == ExprKind::kList && expr->target->args.empty() &&
         expr->condition->kind == ExprKind::kLiteral && expr->condition->literal.is_false() &&
         expr->accumulator != kAccumulator;
}

}  // namespace

const Estimator::Local* Estimator::local(const std::string& name) const {
  const auto found = locals_.find(name);
  return found == locals_.end() || found->second.empty() ? nullptr : &found->second.back();
}

Path Estimator::path_of(const Expr* expr) const {
  if (expr->kind == ExprKind::kIdent) {
    if (const Local* variable = local(expr->name)) return variable->path;
  }
  const auto found = paths_.find(expr);
  return found == paths_.end() ? Path() : found->second;
}

/// DRA's sizes of what can be reached through the device.
std::optional<Range> Estimator::declared_size(const Path& path) const {
  constexpr std::uint64_t kEntries = 32;
  constexpr std::uint64_t kDomain = 63;
  constexpr std::uint64_t kName = 32;
  if (path.empty() || path[0] != "device") return std::nullopt;
  const auto up_to = [](std::uint64_t size) { return Range{0, size}; };
  const auto is_value = [](const std::string& step) { return step == "@items" || step == "@values"; };
  // A struct type has no number of elements: 0.
  if (path.size() == 1) return up_to(0);
  const std::string& field = path[1];
  if (path.size() == 2) {
    if (field == "driver") return up_to(kDomain);
    if (field == "attributes" || field == "capacity") return up_to(kEntries);
    if (declarations_.field(types::kDevice.name, field).value_or(nullptr) != nullptr) return up_to(1);
    return std::nullopt;
  }
  if (field != "attributes" && field != "capacity") return std::nullopt;
  if (path[2] == "@keys") return path.size() == 3 ? std::optional(up_to(kDomain)) : std::nullopt;
  if (!is_value(path[2])) return std::nullopt;
  if (path.size() == 3) return up_to(kEntries);
  if (path[3] == "@keys") return path.size() == 4 ? std::optional(up_to(kName)) : std::nullopt;
  // Below attributes any field name leads to a value; capacities are reached by index only.
  if (!is_value(path[3]) && field == "capacity") return std::nullopt;
  if (path.size() > 4) return std::nullopt;
  return up_to(field == "attributes" ? declarations_.attribute_size() : 0);
}

std::optional<Range> Estimator::size(const Expr* expr) {
  if (const auto found = sizes_.find(expr); found != sizes_.end()) return found->second;
  if (const auto written = written_size(expr)) return written;
  if (const auto declared = declared_size(path_of(expr))) {
    sizes_[expr] = *declared;
    return declared;
  }
  if (expr->type != nullptr && is_scalar(*expr->type)) return Range::exactly(1);
  if (expr->kind == ExprKind::kIdent) {
    if (const Local* variable = local(expr->name)) return variable->size;
  }
  return std::nullopt;
}

Range Estimator::size_or_unknown(const Expr* expr) {
  return size(expr).value_or(Range::unknown());
}

std::optional<EntrySizes> Estimator::entries(const Expr* expr) {
  if (const auto found = entries_.find(expr); found != entries_.end()) return found->second;
  if (expr->kind == ExprKind::kIdent) {
    if (const Local* variable = local(expr->name)) return variable->entries;
  }
  return std::nullopt;
}

void Estimator::copy_sizes(const Expr* to, const Expr* from) {
  if (const auto known = size(from)) sizes_[to] = *known;
  if (const auto known = entries(from)) entries_[to] = *known;
}

Operand Estimator::operand(const Expr* expr) {
  Path path = path_of(expr);
  if (!path.empty() && path[0] == kAccumulator) path.clear();
  return {expr, expr->type, std::move(path), size(expr)};
}

Range Estimator::cost(const Expr* expr) {
  switch (expr->kind) {
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
      return is_bind(expr) ? bind(expr) : comprehension(expr);
    default:
      return {};
  }
}

Range Estimator::ident(const Expr* expr) {
  const Local* variable = local(expr->name);
  paths_[expr] = variable != nullptr ? variable->path : Path{expr->name};
  return kStep;
}

Range Estimator::select(const Expr* expr) {
  Range sum = cost(expr->target);
  if (expr->presence_test) return sum;
  switch (expr->target->type->kind) {
    case TypeKind::kMap:
    case TypeKind::kStruct:
    case TypeKind::kTypeParam:
      sum = sum + kStep;
      break;
    default:
      break;
  }
  paths_[expr] = extended(path_of(expr->target), expr->name);
  return sum;
}

Range Estimator::list(const Expr* expr) {
  constexpr Range kBase = Range::exactly(10);
  Range sum = kBase;
  Range item{expr->args.empty() ? 0 : Range::kUnbounded, 0};
  for (const Expr* element : expr->args) {
    sum = sum + cost(element);
    item = item.united(size_or_unknown(element));
  }
  entries_[expr] = {true, Range::exactly(1), item};
  return sum;
}

Range Estimator::map(const Expr* expr) {
  constexpr Range kBase = Range::exactly(30);
  Range sum = kBase;
  const std::uint64_t least = expr->args.empty() ? 0 : Range::kUnbounded;
  Range key{least, 0};
  Range value{least, 0};
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    sum = sum + cost(expr->keys[i]) + cost(expr->args[i]);
    key = key.united(size_or_unknown(expr->keys[i]));
    value = value.united(size_or_unknown(expr->args[i]));
  }
  entries_[expr] = {false, key, value};
  return sum;
}

Range Estimator::message(const Expr* expr) {
  constexpr Range kBase = Range::exactly(40);
  Range sum = kBase;
  for (const Expr* value : expr->args) sum = sum + cost(value);
  return sum;
}

Range Estimator::bind(const Expr* expr) {
  Range sum = cost(expr->target) + cost(expr->init);
  push(expr->accumulator, {path_of(expr->init), size(expr->init), entries(expr->init)});
  sum = sum + cost(expr->result);
  pop(expr->accumulator);
  copy_sizes(expr, expr->result);
  return sum;
}

void Estimator::push_variables(const Expr* expr) {
  const Expr* range = expr->target;
  const auto sizes = entries(range);
  const bool is_list = sizes ? sizes->list : range->type->is(TypeKind::kList);
  const auto key_size = sizes ? std::optional(sizes->key) : std::nullopt;
  const auto value_size = sizes ? std::optional(sizes->value) : std::nullopt;
  const Path path = path_of(range);
  if (expr->variable2.empty()) {
    push(expr->variable, {extended(path, is_list ? "@items" : "@keys"), is_list ? value_size : key_size, {}});
    return;
  }
  push(expr->variable, {extended(path, is_list ? "@indices" : "@keys"), key_size, {}});
  push(expr->variable2, {extended(path, is_list ? "@items" : "@values"), value_size, {}});
}

Range Estimator::comprehension(const Expr* expr) {
  Range sum = cost(expr->target) + cost(expr->init);
  push(expr->accumulator, {path_of(expr->init), size(expr->init), entries(expr->init)});
  push_variables(expr);
  const Range round = cost(expr->condition) + cost(expr->step);
  pop(expr->variable);
  if (!expr->variable2.empty()) pop(expr->variable2);
  sum = sum + cost(expr->result);
  pop(expr->accumulator);
  const Range count = size_or_unknown(expr->target);
  sum = sum + count * round;
  if (expr->init->kind == ExprKind::kLiteral) {
    if (const auto known = size(expr->init)) sizes_[expr] = *known;
  } else if (expr->init->kind == ExprKind::kList || expr->init->kind == ExprKind::kMap) {
    sizes_[expr] = count;
    if (const auto step = entries(expr->step)) entries_[expr] = *step;
  }
  return sum;
}

std::uint64_t estimate_cost(const Ast& ast, const Declarations& declarations) {
  return Estimator(declarations).cost(ast.root).max;
}

}  // namespace gpusched::cel
