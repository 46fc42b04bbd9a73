#include "cel/evaluation.hpp"

#include <algorithm>

#include "cel/regex.hpp"

namespace gpusched::cel {

Value Evaluation::stop(ErrorKind kind, std::string_view text) {
  if (stop_ == ErrorKind::kNone) {
    stop_ = kind;
    stop_text_ = heap_.keep(text);
  }
  return Value::error(stop_text_);
}

void Evaluation::over_limit() {
  (void)stop(ErrorKind::kCostLimit, "operation cancelled: actual cost limit exceeded");
}

bool Evaluation::room_for(std::size_t bytes) {
  if (heap_.has_room(bytes)) return true;
  (void)stop(ErrorKind::kRuntime, "internal error: the expression needs too much memory");
  return false;
}

Value Evaluation::stop_at_cost_limit(std::uint64_t call_cost) {
  spend(call_cost);
  return Value::error(stop_text_);
}

Value Evaluation::eval(const Node& node) {
  switch (node.op) {
    case Op::kKnownCall:
      spend(node.known_cost);
      return node.value;
    case Op::kConst:
      return node.value;
    case Op::kAttribute: {
      Value value = resolve(node);
      if (!node.presence_test) {
        spend_steps(1);
      } else if (value.is(Kind::kOptional)) {
        value = Value::boolean(value.items != nullptr);
      }
      return value;
    }
    case Op::kConditional:
      return node.presence_test ? conditional_test(node) : resolve(node);
    case Op::kAnd:
      return conjunction(node, true);
    case Op::kOr:
      return conjunction(node, false);
    case Op::kEqual:
    case Op::kNotEqual:
      return equality(node);
    case Op::kCall:
      return evaluated_call(node);
    case Op::kMember:
      return member(node);
    case Op::kList:
      return list(node);
    case Op::kMap:
      return map(node);
    case Op::kMessage:
      return message(node);
    case Op::kFold:
      return fold(node);
    case Op::kOptionalOr:
      return optional_or(node, false);
    case Op::kOptionalOrValue:
      return optional_or(node, true);
  }
  return no_such_overload();
}

/// has((a ? b : c).d): the original takes off the cost of a step that it has not added.
Value Evaluation::conditional_test(const Node& node) {
  const Value value = resolve(node);
  if (!stopped() && --cost_ > limit_) over_limit();
  return value.is(Kind::kOptional) ? Value::boolean(value.items != nullptr) : value;
}

/// && (neutral true) and || (neutral false): errors of one side are absorbed when another decides.
Value Evaluation::conjunction(const Node& node, bool neutral) {
  Value error;
  for (const Node* term : node.args) {
    const Value value = eval(*term);
    if (stopped()) return value;
    if (value.is(Kind::kBool)) {
      if (value.truth != neutral) return value;
    } else if (!error.is_error()) {
      error = value.is_error() ? value : no_such_overload();
    }
  }
  return error.is_error() ? error : Value::boolean(neutral);
}

Value Evaluation::equality(const Node& node) {
  const Value args[] = {eval(*node.args[0]), stopped() ? Value() : eval(*node.args[1])};
  if (stopped()) return Value::error(stop_text_);
  Value result;
  if (args[0].is_error()) {
    result = args[0];
  } else if (args[1].is_error()) {
    result = args[1];
  } else {
    result = equals(args[0], args[1]);
    if (node.op == Op::kNotEqual) result = Value::boolean(!result.is_true());
  }
  return call_cost(node, args, result);
}

Value Evaluation::evaluated_call(const Node& node) {
  constexpr std::size_t kMaxArgs = 4;
  Value values[kMaxArgs];
  const std::size_t count = std::min(node.args.size(), kMaxArgs);
  const Value* error = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = eval(*node.args[i]);
    if (stopped()) return values[i];
    if (!values[i].is_error() || node.non_strict || error != nullptr) continue;
    error = &values[i];
    // Arguments that were not evaluated: the call is not counted either.
    if (node.short_circuit && i + 1 < count) return values[i];
  }
  const std::span<const Value> args(values, count);
  const Value result = error != nullptr ? *error : call(node, args);
  if (stopped()) return result;
  return call_cost(node, args, result);
}

Value Evaluation::trait_error(const Node& node, const Value& first) {
  switch (first.kind) {
    case Kind::kString:
    case Kind::kTimestamp:
    case Kind::kDuration:
      return no_such_overload();
    default:
      return error("no such overload: " + node.name);
  }
}

Value no_overload_error(Heap& heap, std::string_view function, std::span<const Value> args) {
  std::string text = "no such overload: " + std::string(function) + "(";
  for (std::size_t i = 0; i < args.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(type_name(args[i]));
  return heap.error(text + ")");
}

Value Evaluation::guard_error(const Node& node, std::span<const Value> args) {
  return no_overload_error(heap_, node.name, args);
}

namespace {

bool fits(const Overload& overload, std::span<const Value> args, bool unguarded) {
  if (overload.args.size() != args.size()) return false;
  for (std::size_t i = 0; i < args.size() && !unguarded; ++i) {
    if (!accepts(*overload.args[i], args[i])) return false;
  }
  return true;
}

}  // namespace

Value Evaluation::call(const Node& node, std::span<const Value> args) {
  if (node.regex != nullptr) return call_regex(*this, node.name, *node.regex, args);
  switch (node.dispatch) {
    case Dispatch::kShared:
      if (!args.empty() && !has_trait(args[0], node.trait)) return trait_error(node, args[0]);
      return node.implementation(*this, args);
    case Dispatch::kGuarded:
      if (!node.non_strict && !fits(*node.overload, args, node.function->unguarded)) return guard_error(node, args);
      return node.implementation(*this, args);
    case Dispatch::kDynamic:
      break;
  }
  for (const Overload& overload : node.function->overloads) {
    if (fits(overload, args, node.function->unguarded)) return overload.implementation(*this, args);
  }
  return guard_error(node, args);
}

Value Evaluation::member(const Node& node) {
  const Value value = eval(*node.args[0]);
  if (value.is_error()) return value;
  return is_hashable(value) ? Value::boolean(has_key(*node.set, value)) : unhashable(value);
}

/// The original cannot use such a value as a key of a map.
Value Evaluation::unhashable(const Value& key) {
  return stop(ErrorKind::kRuntime,
              "internal error: runtime error: hash of unhashable type " + std::string(go_type_name(key)));
}

/// Takes the value out of an optional element; true when it is an optional at all.
bool Evaluation::take_optional(Value& value, bool& absent) {
  if (!value.is(Kind::kOptional)) return false;
  absent = value.items == nullptr;
  if (!absent) value = *value.items;
  return true;
}

Value Evaluation::list(const Node& node) {
  constexpr std::uint64_t kCost = 10;
  auto* items = heap_.array<Value>(node.args.size());
  std::size_t count = 0;
  Value result;
  for (std::size_t i = 0; i < node.args.size() && !result.is_error(); ++i) {
    Value value = eval(*node.args[i]);
    if (stopped()) return value;
    bool absent = false;
    if (value.is_error()) {
      result = value;
    } else if (node.has_optionals && node.optional[i] && !take_optional(value, absent)) {
      result = error("cannot initialize optional list element from non-optional value " + go_text(value));
    } else if (!absent) {
      items[count++] = value;
    }
  }
  if (!result.is_error()) result = Value::list({items, count});
  spend(kCost);
  return result;
}

Value Evaluation::map(const Node& node) {
  constexpr std::uint64_t kCost = 30;
  auto* made = heap_.make(MapValue());
  Value result = Value::of_map(made);
  for (std::size_t i = 0; i < node.args.size() && !result.is_error(); ++i) {
    const Value key = eval(*node.keys[i]);
    if (stopped()) return key;
    Value value = key.is_error() ? key : eval(*node.args[i]);
    if (stopped()) return value;
    bool absent = false;
    if (value.is_error()) {
      result = value;
    } else if (!is_hashable(key)) {
      return unhashable(key);
    } else if (node.has_optionals && node.optional[i] && !take_optional(value, absent)) {
      result =
          error("cannot initialize optional entry '" + go_text(key) + "' from non-optional value " + go_text(value));
    } else if (absent) {
      erase(heap_, *made, key);
    } else {
      put(heap_, *made, key, value);
    }
  }
  spend(kCost);
  return result;
}

Value Evaluation::message(const Node& node) {
  constexpr std::uint64_t kCost = 40;
  auto* values = heap_.array<Value>(node.args.size());
  std::vector<std::string> fields;
  Value result;
  for (std::size_t i = 0; i < node.args.size() && !result.is_error(); ++i) {
    Value value = eval(*node.args[i]);
    if (stopped()) return value;
    bool absent = false;
    if (value.is_error()) {
      result = value;
    } else if (node.has_optionals && node.optional[i] && !take_optional(value, absent)) {
      result =
          error("cannot initialize optional entry '" + node.fields[i] + "' from non-optional value " + go_text(value));
    } else if (!absent) {
      values[fields.size()] = value;
      fields.push_back(node.fields[i]);
    }
  }
  if (!result.is_error()) result = make_message(*this, node.name, fields, {values, fields.size()});
  spend(kCost);
  return result;
}

Value Evaluation::optional_or(const Node& node, bool value) {
  const Value first = eval(*node.args[0]);
  if (first.is_error()) return first;
  if (!first.is(Kind::kOptional)) return no_such_overload();
  if (first.items == nullptr) return eval(*node.args[1]);
  return value ? *first.items : first;
}

}  // namespace gpusched::cel
