#include "cel/macros.hpp"

#include <utility>

#include <fmt/format.h>

namespace gpusched::cel {
namespace {

constexpr std::string_view kAccumulator = "__result__";
constexpr std::string_view kUnused = "#unused";

using Args = std::vector<Expr*>;

/// Builds the trees of one expansion; all new nodes stand at the macro's call.
class Builder {
 public:
  Builder(Ast& ast, std::int32_t offset) : ast_(ast), offset_(offset) {}

  Expr* literal(const Value& value) {
    Expr* made = ast_.make(ExprKind::kLiteral, offset_);
    made->literal = value;
    return made;
  }
  Expr* truth(bool value) { return literal(Value::boolean(value)); }
  Expr* ident(std::string_view name) {
    Expr* made = ast_.make(ExprKind::kIdent, offset_);
    made->name = name;
    return made;
  }
  Expr* accumulator() { return ident(kAccumulator); }
  Expr* list(Args elements) {
    Expr* made = ast_.make(ExprKind::kList, offset_);
    made->optional.assign(elements.size(), false);
    made->args = std::move(elements);
    return made;
  }
  Expr* empty_map() { return ast_.make(ExprKind::kMap, offset_); }
  Expr* call(std::string_view name, Args args) {
    Expr* made = ast_.make(ExprKind::kCall, offset_);
    made->name = name;
    made->args = std::move(args);
    return made;
  }
  Expr* method(std::string_view name, Expr* target, Args args) {
    Expr* made = call(name, std::move(args));
    made->target = target;
    return made;
  }
  Expr* fold(Expr* range, std::string_view variable, std::string_view variable2, std::string_view accumulator,
             Expr* init, Expr* condition, Expr* step, Expr* result) {
    Expr* made = ast_.make(ExprKind::kComprehension, offset_);
    made->target = range;
    made->variable = variable;
    made->variable2 = variable2;
    made->accumulator = accumulator;
    made->init = init;
    made->condition = condition;
    made->step = step;
    made->result = result;
    return made;
  }
  /// A comprehension over nothing whose accumulator is the variable: evaluated when it is first used.
  Expr* bind(std::string_view name, Expr* init, Expr* result) {
    return fold(list({}), kUnused, {}, name, init, truth(false), ident(name), result);
  }
  Expr* presence_test(Expr* operand, std::string_view field) {
    Expr* made = ast_.make(ExprKind::kSelect, offset_);
    made->target = operand;
    made->name = field;
    made->presence_test = true;
    return made;
  }
  Expr* copy(const Expr* expr);

 private:
  Ast& ast_;
  std::int32_t offset_;
};

Expr* Builder::copy(const Expr* expr) {
  if (expr == nullptr) return nullptr;
  Expr* made = ast_.make(expr->kind, expr->offset);
  *made = *expr;
  made->target = copy(expr->target);
  for (Expr*& part : made->args) part = copy(part);
  for (Expr*& part : made->keys) part = copy(part);
  made->init = copy(expr->init);
  made->condition = copy(expr->condition);
  made->step = copy(expr->step);
  made->result = copy(expr->result);
  return made;
}

Expansion fail(const Expr* at, std::string message) {
  return {nullptr, at->offset, std::move(message)};
}

/// The variables of a macro, and what is left of its arguments.
struct Variables {
  std::string_view first, second;
  std::size_t rest = 1;
};

bool is_name(const Expr* expr) {
  return expr->kind == ExprKind::kIdent;
}

Expansion read_variables(const Args& args, bool two, std::string_view no_name, Variables& variables) {
  const std::size_t count = two ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_name(args[i])) return fail(args[i], std::string(no_name));
  }
  variables = {args[0]->name, two ? std::string_view(args[1]->name) : std::string_view(), count};
  if (two && args[0]->name == args[1]->name) return fail(args[1], "duplicate variable name: " + args[0]->name);
  for (std::size_t i = 0; i < count; ++i) {
    if (args[i]->name == kAccumulator) return fail(args[i], "iteration variable overwrites accumulator variable");
  }
  return {};
}

enum class Quantifier : std::uint8_t { kAll, kExists, kExistsOne };

Expansion quantifier(Builder& b, Quantifier kind, Expr* target, const Args& args, bool two) {
  Variables v;
  if (Expansion bad = read_variables(args, two, "argument must be a simple name", v); !bad.error.empty()) return bad;
  Expr* test = args[v.rest];
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
  if (kind == Quantifier::kExistsOne) {
    init = b.literal(Value::of_int(0));
    condition = b.truth(true);
    step = b.call("_?_:_", {test, b.call("_+_", {b.accumulator(), b.literal(Value::of_int(1))}), b.accumulator()});
    result = b.call("_==_", {b.accumulator(), b.literal(Value::of_int(1))});
  } else {
    const bool all = kind == Quantifier::kAll;
    init = b.truth(all);
    Expr* open = all ? b.accumulator() : b.call("!_", {b.accumulator()});
    condition = b.call("@not_strictly_false", {open});
    step = b.call(all ? "_&&_" : "_||_", {b.accumulator(), test});
    result = b.accumulator();
  }
  return {b.fold(target, v.first, v.second, kAccumulator, init, condition, step, result), kNoOffset, {}};
}

/// map, filter, transformList: a list that grows by one element per round.
Expansion collect(Builder& b, Expr* target, const Variables& v, Expr* filter, Expr* element) {
  Expr* init = b.list({});
  Expr* step = b.call("_+_", {b.accumulator(), b.list({element})});
  if (filter != nullptr) step = b.call("_?_:_", {filter, step, b.accumulator()});
  return {b.fold(target, v.first, v.second, kAccumulator, init, b.truth(true), step, b.accumulator()), kNoOffset, {}};
}

Expansion map_macro(Builder& b, Expr* target, const Args& args) {
  Variables v;
  if (Expansion bad = read_variables(args, false, "argument is not an identifier", v); !bad.error.empty()) return bad;
  return collect(b, target, v, args.size() == 3 ? args[1] : nullptr, args.back());
}

Expansion filter_macro(Builder& b, Expr* target, const Args& args) {
  Variables v;
  if (Expansion bad = read_variables(args, false, "argument is not an identifier", v); !bad.error.empty()) return bad;
  return collect(b, target, v, args[1], args[0]);
}

Expansion transform_list(Builder& b, Expr* target, const Args& args) {
  Variables v;
  if (Expansion bad = read_variables(args, true, "argument must be a simple name", v); !bad.error.empty()) return bad;
  return collect(b, target, v, args.size() == 4 ? args[2] : nullptr, args.back());
}

Expansion transform_map(Builder& b, Expr* target, const Args& args, bool entries) {
  Variables v;
  if (Expansion bad = read_variables(args, true, "argument must be a simple name", v); !bad.error.empty()) return bad;
  Args parts = {b.accumulator()};
  if (!entries) parts.push_back(b.ident(v.first));
  parts.push_back(args.back());
  Expr* step = b.call("cel.@mapInsert", std::move(parts));
  if (args.size() == 4) step = b.call("_?_:_", {args[2], step, b.accumulator()});
  return {b.fold(target, v.first, v.second, kAccumulator, b.empty_map(), b.truth(true), step, b.accumulator()),
          kNoOffset,
          {}};
}

Expansion optional_map(Builder& b, Expr* target, const Args& args, bool flat) {
  if (!is_name(args[0])) {
    return fail(args[0], fmt::format("{}() variable name must be a simple identifier", flat ? "optFlatMap" : "optMap"));
  }
  Expr* body = b.bind(args[0]->name, b.method("value", b.copy(target), {}), args[1]);
  if (!flat) body = b.call("optional.of", {body});
  return {b.call("_?_:_", {b.method("hasValue", target, {}), body, b.call("optional.none", {})}), kNoOffset, {}};
}

Expansion bind_macro(Builder& b, Expr* target, const Args& args) {
  if (target->kind != ExprKind::kIdent || target->name != "cel") return {};
  if (!is_name(args[0])) return fail(args[0], "cel.bind() variable names must be simple identifiers");
  return {b.bind(args[0]->name, args[1], args[2]), kNoOffset, {}};
}

Expansion sort_by_macro(Builder& b, Expr* target, const Args& args) {
  switch (target->kind) {
    case ExprKind::kList:
    case ExprKind::kSelect:
    case ExprKind::kIdent:
    case ExprKind::kComprehension:
    case ExprKind::kCall:
      break;
    default:
      return fail(target, "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
  }
  constexpr std::string_view kInput = "@__sortBy_input__";
  Expansion keys = map_macro(b, b.ident(kInput), args);
  if (!keys.error.empty()) return keys;
  return {b.bind(kInput, target, b.method("@sortByAssociatedKeys", b.ident(kInput), {keys.expr})), kNoOffset, {}};
}

Expansion has_macro(Builder& b, Expr*, const Args& args) {
  if (args[0]->kind != ExprKind::kSelect) return fail(args[0], "invalid argument to has() macro");
  return {b.presence_test(args[0]->target, args[0]->name), kNoOffset, {}};
}

using Expander = Expansion (*)(Builder&, Expr*, const Args&);

template <Quantifier kind, bool two>
Expansion quantify(Builder& b, Expr* target, const Args& args) {
  return quantifier(b, kind, target, args, two);
}
template <bool entries>
Expansion transform(Builder& b, Expr* target, const Args& args) {
  return transform_map(b, target, args, entries);
}
template <bool flat>
Expansion optionally(Builder& b, Expr* target, const Args& args) {
  return optional_map(b, target, args, flat);
}

struct Macro {
  std::string_view name;
  std::size_t args;
  bool member;
  Expander expand;
};

constexpr Macro kMacros[] = {
    {"has", 1, false, has_macro},
    {"all", 2, true, quantify<Quantifier::kAll, false>},
    {"exists", 2, true, quantify<Quantifier::kExists, false>},
    {"exists_one", 2, true, quantify<Quantifier::kExistsOne, false>},
    {"existsOne", 2, true, quantify<Quantifier::kExistsOne, false>},
    {"map", 2, true, map_macro},
    {"map", 3, true, map_macro},
    {"filter", 2, true, filter_macro},
    {"all", 3, true, quantify<Quantifier::kAll, true>},
    {"exists", 3, true, quantify<Quantifier::kExists, true>},
    {"exists_one", 3, true, quantify<Quantifier::kExistsOne, true>},
    {"existsOne", 3, true, quantify<Quantifier::kExistsOne, true>},
    {"transformList", 3, true, transform_list},
    {"transformList", 4, true, transform_list},
    {"transformMap", 3, true, transform<false>},
    {"transformMap", 4, true, transform<false>},
    {"transformMapEntry", 3, true, transform<true>},
    {"transformMapEntry", 4, true, transform<true>},
    {"optMap", 2, true, optionally<false>},
    {"optFlatMap", 2, true, optionally<true>},
    {"bind", 3, true, bind_macro},
    {"sortBy", 2, true, sort_by_macro},
};

}  // namespace

Expansion expand_macro(Ast& ast, std::int32_t offset, std::string_view name, Expr* target, const Args& args) {
  for (const Macro& macro : kMacros) {
    if (macro.name != name || macro.args != args.size() || macro.member != (target != nullptr)) continue;
    Builder builder(ast, offset);
    return macro.expand(builder, target, args);
  }
  return {};
}

}  // namespace gpusched::cel
