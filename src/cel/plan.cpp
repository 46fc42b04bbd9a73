#include "cel/plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "cel/device_data.hpp"
#include "cel/environment.hpp"
#include "cel/evaluation.hpp"
#include "cel/numbers.hpp"
#include "cel/planner.hpp"
#include "cel/regex.hpp"

namespace gpusched::cel {

Plan::Plan() = default;
Plan::~Plan() = default;

namespace {

bool is_conversion(std::string_view name) {
  constexpr std::string_view kNames[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                         "int",  "string", "timestamp", "type",     "uint"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool is_attribute(const Node* node) {
  return node->op == Op::kAttribute || node->op == Op::kConditional;
}

}  // namespace

Node* Planner::make(Op op) {
  plan_.nodes.emplace_back();
  plan_.nodes.back().op = op;
  return &plan_.nodes.back();
}

Node* Planner::constant(const Value& value) {
  Node* node = make(Op::kConst);
  node->value = value;
  return node;
}

/// A literal's value with its text in the plan's own memory.
Value Planner::own(const Value& value) {
  switch (value.kind) {
    case Kind::kString:
      return plan_.heap.string(value.view());
    case Kind::kBytes:
      return Value::bytes(plan_.heap.keep(value.view()));
    default:
      return value;
  }
}

Node* Planner::plan(const Expr* expr) {
  if (!error_.empty()) return constant({});
  switch (expr->kind) {
    case ExprKind::kLiteral:
      return constant(own(expr->literal));
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
    case ExprKind::kMissing:
      break;
  }
  return fail("unsupported expr");
}

Node* Planner::fail(std::string error) {
  if (error_.empty()) error_ = std::move(error);
  return constant({});
}

Node* Planner::ident(const Expr* expr) {
  if (expr->named_type != nullptr) {
    const std::string_view name = expr->name.starts_with('.') ? std::string_view(expr->name).substr(1) : expr->name;
    if (Declarations::only_checked(name)) return fail(fmt::format("reference to undefined type: {}", name));
    return constant(Value::type(plan_.heap.keep(expr->named_type->name)));
  }
  if (expr->type != nullptr && expr->type->kind == TypeKind::kType) {
    // The original takes every name with a type as its value for the name of a type.
    const Type* named = Declarations::named_type(expr->name);
    if (named == nullptr || Declarations::only_checked(expr->name)) {
      return fail(fmt::format("reference to undefined type: {}", expr->name));
    }
    return constant(Value::type(plan_.heap.keep(named->name)));
  }
  Node* node = make(Op::kAttribute);
  node->root = Root::kDevice;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->name != expr->name) continue;
    node->root = scope->accumulator ? Root::kAccumulator : Root::kVariable;
    node->slot = scope->slot;
    node->init = scope->init;
    break;
  }
  return node;
}

/// The node as something that qualifiers can be added to.
Node* Planner::attribute(Node* node) {
  if (is_attribute(node)) return node;
  Node* wrapped = make(Op::kAttribute);
  wrapped->base = node;
  return wrapped;
}

/// Adds a step; to both branches of a conditional.
void Planner::add_qualifier(Node* node, const Qualifier& qualifier) {
  if (node->op == Op::kConditional) {
    // The branches were made by this planner.
    add_qualifier(const_cast<Node*>(node->args[1]), qualifier);
    add_qualifier(const_cast<Node*>(node->args[2]), qualifier);
    return;
  }
  node->qualifiers.push_back(qualifier);
  fold_into_root(*node);
}

/// device.driver and device.attributes["domain"].name become one look-up.
void Planner::fold_into_root(Node& node) {
  const std::size_t count = node.qualifiers.size();
  const Qualifier& last = node.qualifiers.back();
  const bool plain = last.constant && last.key.is(Kind::kString) && !last.optional && !last.presence_test;
  if (node.root == Root::kDevice && count == 1 && plain) {
    const std::string_view field = last.key.view();
    if (field == "driver") node.root = Root::kDriver;
    if (field == "allowMultipleAllocations") node.root = Root::kAllow;
    if (field == "attributes") node.root = Root::kAttributes;
    if (field == "capacity") node.root = Root::kCapacities;
    node.root_steps = node.root == Root::kDevice ? 0 : 1;
    return;
  }
  const bool maps = node.root == Root::kAttributes || node.root == Root::kCapacities;
  if (!maps || count != 3 || !last.constant || !last.key.is(Kind::kString)) return;
  const Qualifier& domain = node.qualifiers[1];
  if (!domain.constant || domain.optional || domain.presence_test || !domain.key.is(Kind::kString)) return;
  node.root = node.root == Root::kAttributes ? Root::kAttribute : Root::kCapacity;
  node.root_steps = 3;
  node.domain = domain.key.view();
  node.id = last.key.view();
}

Node* Planner::select(const Expr* expr) {
  Node* node = attribute(plan(expr->target));
  Qualifier qualifier;
  qualifier.key = plan_.heap.string(expr->name);
  qualifier.presence_test = expr->presence_test;
  add_qualifier(node, qualifier);
  if (!expr->presence_test) return node;
  if (node->op == Op::kConditional) {
    // The test itself costs nothing: the value as it is resolved.
    Node* test = make(Op::kConditional);
    *test = *node;
    test->presence_test = true;
    return test;
  }
  node->presence_test = true;
  return node;
}

Node* Planner::index(const Expr* expr, std::span<Node* const> args, bool optional) {
  Node* node = attribute(args[0]);
  Node* key = args[1];
  Qualifier qualifier;
  qualifier.optional = optional;
  if (key->op == Op::kConst) {
    switch (key->value.kind) {
      case Kind::kString:
      case Kind::kInt:
      case Kind::kUint:
      case Kind::kBool:
      case Kind::kDouble:
        break;
      default:
        return fail(fmt::format("invalid qualifier type: {}", go_type_name(key->value)));
    }
    qualifier.key = key->value;
  } else {
    qualifier.constant = false;
    qualifier.index = key;
    qualifier.key_is_attribute = is_attribute(key);
  }
  (void)expr;
  add_qualifier(node, qualifier);
  return node;
}

Node* Planner::conditional(std::span<Node* const> args) {
  Node* node = make(Op::kConditional);
  node->args = {args[0], attribute(args[1]), attribute(args[2])};
  return node;
}

Node* Planner::call(const Expr* expr) {
  std::vector<Node*> args;
  if (expr->target != nullptr) args.push_back(plan(expr->target));
  for (const Expr* arg : expr->args) args.push_back(plan(arg));
  if (!error_.empty()) return constant({});
  const std::string_view name = expr->name;
  if (name == "_?_:_") return conditional(args);
  if (name == "_[_]") return index(expr, args, false);
  if (name == "_?._" || name == "_[?_]") return index(expr, args, true);
  constexpr std::pair<std::string_view, Op> kOperators[] = {{"_&&_", Op::kAnd},      {"_||_", Op::kOr},
                                                            {"_==_", Op::kEqual},    {"_!=_", Op::kNotEqual},
                                                            {"or", Op::kOptionalOr}, {"orValue", Op::kOptionalOrValue}};
  for (const auto& [function, op] : kOperators) {
    if (function != name) continue;
    Node* node = make(op);
    node->args.assign(args.begin(), args.end());
    node->cost = CostRule::kEquals;
    return node;
  }
  return plain_call(expr, args);
}

Node* Planner::plain_call(const Expr* expr, std::span<Node* const> args) {
  const Function& function = *expr->function;
  const Overload* only = expr->overloads.size() == 1 ? expr->overloads[0] : nullptr;
  Node* node = make(Op::kCall);
  node->name = function.name;
  node->function = &function;
  node->args.assign(args.begin(), args.end());
  node->cost = cost_rule(function.name, only == nullptr ? std::string_view() : only->id);
  node->non_strict = function.name == "@not_strictly_false";
  if (function.shared != nullptr) {
    node->dispatch = Dispatch::kShared;
    node->implementation = function.shared;
    node->trait = function.trait;
    node->short_circuit = args.size() > 2;
  } else if (only != nullptr || function.overloads.size() == 1) {
    node->dispatch = Dispatch::kGuarded;
    node->overload = only != nullptr ? only : &function.overloads[0];
    node->implementation = node->overload->implementation;
    node->short_circuit = args.size() > 2 || node->overload->id == "string_format";
  } else {
    node->dispatch = Dispatch::kDynamic;
    node->short_circuit = true;
  }
  if (only != nullptr && only->id == "in_list" && args[1]->op == Op::kConst) return membership(node);
  if (is_conversion(function.name) && args.size() == 1 && args[0]->op == Op::kConst) return folded(node);
  return known(with_regex(node));
}

/// quantity('1Gi') and the like: read once, paid for each time.
Node* Planner::known(Node* node) {
  constexpr std::string_view kReaders[] = {"cidr", "ip", "quantity", "semver", "url"};
  const bool constants = std::ranges::all_of(node->args, [](const Node* arg) { return arg->op == Op::kConst; });
  if (!constants || node->function == nullptr || std::ranges::find(kReaders, node->name) == std::end(kReaders)) {
    return node;
  }
  const std::uint64_t before = evaluation_.cost();
  const Value value = evaluation_.eval(*node);
  if (value.is_error()) return node;
  node->op = Op::kKnownCall;
  node->value = value;
  node->known_cost = evaluation_.cost() - before;
  return node;
}

/// A conversion of a constant is carried out now.
Node* Planner::folded(Node* node) {
  const Value arg = node->args[0]->value;
  const Value result = arg.is_error() ? arg : evaluation_.call(*node, {&arg, 1});
  if (result.is_error()) return fail(std::string(result.view()));
  return constant(result);
}

/// `in` a list of constants becomes a look-up in a set, where numbers are entered in all their types.
Node* Planner::membership(Node* node) {
  const Value& list = node->args[1]->value;
  if (!list.is(Kind::kList)) return node;
  const auto items = items_of(list);
  if (items.empty()) return constant(Value::boolean(false));
  auto* set = plan_.heap.make(MapValue());
  const auto enter = [&](const Value& key) { put(plan_.heap, *set, key, Value::boolean(true)); };
  for (const Value& item : items) {
    switch (item.kind) {
      case Kind::kBool:
      case Kind::kString:
        enter(item);
        break;
      case Kind::kInt:
        enter(item);
        enter(Value::of_double(static_cast<double>(item.integer)));
        if (item.integer >= 0) enter(Value::of_uint(item.natural));
        break;
      case Kind::kUint:
        enter(item);
        enter(Value::of_double(static_cast<double>(item.natural)));
        if (item.integer >= 0) enter(Value::of_int(item.integer));
        break;
      case Kind::kDouble:
        enter(item);
        if (const auto whole = exact_int(item.real)) enter(Value::of_int(*whole));
        if (const auto natural = exact_uint(item.real)) enter(Value::of_uint(*natural));
        break;
      default:
        return node;
    }
  }
  node->op = Op::kMember;
  node->set = set;
  node->args.resize(1);
  return node;
}

/// Constant patterns are compiled now.
Node* Planner::with_regex(Node* node) {
  if (node->name != "matches" && node->name != "find" && node->name != "findAll") return node;
  if (node->args.size() < 2 || node->args[1]->op != Op::kConst || !node->args[1]->value.is(Kind::kString)) return node;
  std::string error;
  auto regex = compile_regex(node->args[1]->value.view(), error);
  if (regex == nullptr) return fail(std::move(error));
  plan_.regexes.push_back(std::move(regex));
  node->regex = plan_.regexes.back().get();
  node->short_circuit = true;
  return node;
}

Node* Planner::list(const Expr* expr) {
  Node* node = make(Op::kList);
  bool constants = true;
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    node->args.push_back(plan(expr->args[i]));
    node->optional.push_back(expr->optional[i]);
    node->has_optionals = node->has_optionals || expr->optional[i];
    constants = constants && node->args.back()->op == Op::kConst;
  }
  return constants ? constant(evaluation_.eval(*node)) : node;
}

Node* Planner::map(const Expr* expr) {
  Node* node = make(Op::kMap);
  bool constants = true;
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    node->keys.push_back(plan(expr->keys[i]));
    node->args.push_back(plan(expr->args[i]));
    node->optional.push_back(expr->optional[i]);
    node->has_optionals = node->has_optionals || expr->optional[i];
    constants = constants && node->args.back()->op == Op::kConst && node->keys.back()->op == Op::kConst;
  }
  if (!constants || !error_.empty()) return node;
  const Value value = evaluation_.eval(*node);
  if (evaluation_.stopped()) return fail(std::string(evaluation_.stop_text()));
  return constant(value);
}

Node* Planner::message(const Expr* expr) {
  Node* node = make(Op::kMessage);
  node->name = expr->name;
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    node->args.push_back(plan(expr->args[i]));
    node->fields.push_back(expr->fields[i].field);
    node->optional.push_back(expr->optional[i]);
    node->has_optionals = node->has_optionals || expr->optional[i];
  }
  return node;
}

Node* Planner::comprehension(const Expr* expr) {
  Node* node = make(Op::kFold);
  node->init = plan(expr->init);
  node->base = plan(expr->target);
  node->two_variables = !expr->variable2.empty();
  node->slot = plan_.slots++;
  node->slot1 = plan_.slots++;
  if (node->two_variables) node->slot2 = plan_.slots++;
  const std::size_t depth = scopes_.size();
  // The original looks for the accumulator's name first.
  if (node->two_variables) scopes_.push_back({expr->variable2, node->slot2, false, nullptr});
  scopes_.push_back({expr->variable, node->slot1, false, nullptr});
  scopes_.push_back({expr->accumulator, node->slot, true, node->init});
  node->condition = plan(expr->condition);
  node->step = plan(expr->step);
  scopes_.resize(depth);
  scopes_.push_back({expr->accumulator, node->slot, true, node->init});
  node->result = plan(expr->result);
  scopes_.resize(depth);
  return node;
}

std::expected<void, std::string> make_plan(const Ast& ast, Plan& plan) {
  Planner planner(plan);
  plan.root = planner.plan(ast.root);
  if (!planner.error().empty()) return std::unexpected(planner.error());
  return {};
}

}  // namespace gpusched::cel
