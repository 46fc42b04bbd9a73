// Optional values (cel-go cel/library.go). or and orValue are steps of their own in a plan.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

Value none(Evaluation&, Args) {
  return Value::optional(nullptr);
}
Value of(Evaluation& e, Args args) {
  return e.heap().optional(args[0]);
}
Value of_non_zero(Evaluation& e, Args args) {
  return is_zero_value(args[0]) ? Value::optional(nullptr) : e.heap().optional(args[0]);
}
Value value(Evaluation&, Args args) {
  return args[0].items == nullptr ? Value::error("optional.none() dereference") : *args[0].items;
}
Value has_value(Evaluation&, Args args) {
  return Value::boolean(args[0].items != nullptr);
}

Value first(Evaluation& e, Args args) {
  const auto items = items_of(args[0]);
  return items.empty() ? Value::optional(nullptr) : e.heap().optional(items.front());
}
Value last(Evaluation& e, Args args) {
  const auto items = items_of(args[0]);
  return items.empty() ? Value::optional(nullptr) : e.heap().optional(items.back());
}

Value unwrap(Evaluation& e, Args args) {
  std::vector<Value> values;
  for (const Value& item : items_of(args[0])) {
    if (!item.is(Kind::kOptional)) return e.error("value " + std::string(go_text(item)) + " is not optional");
    if (item.items != nullptr) values.push_back(*item.items);
  }
  return e.heap().list(values);
}

/// Evaluated by the plan.
Value planned(Evaluation&, Args) {
  return no_such_overload();
}

constexpr OverloadRow kRows[] = {
    {"optional.of", "optional_of", "(V) optional(V)", of},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) optional(V)", of_non_zero},
    {"optional.none", "optional_none", "() optional(V)", none},
    {"value", "optional_value", "optional(V).() V", value},
    {"hasValue", "optional_hasValue", "optional(V).() bool", has_value},
    {"or", "optional_or_optional", "optional(V).(optional(V)) optional(V)", planned},
    {"orValue", "optional_orValue_value", "optional(V).(V) V", planned},
    {"_?._", "select_optional_field", "(dyn, string) optional(V)", planned},
    {"_[?_]", "list_optindex_optional_int", "(list(V), int) optional(V)", planned},
    {"_[?_]", "optional_list_optindex_optional_int", "(optional(list(V)), int) optional(V)", planned},
    {"_[?_]", "map_optindex_optional_value", "(map(K, V), K) optional(V)", planned},
    {"_[?_]", "optional_map_optindex_optional_value", "(optional(map(K, V)), K) optional(V)", planned},
    {"last", "list_last", "list(V).() optional(V)", last},
    {"first", "list_first", "list(V).() optional(V)", first},
    {"optional.unwrap", "optional_unwrap", "(list(optional(V))) list(V)", unwrap},
    {"unwrapOpt", "optional_unwrapOpt", "list(optional(V)).() list(V)", unwrap},
};

}  // namespace

Library optional_library() {
  return {kRows};
}

}  // namespace gpusched::cel
