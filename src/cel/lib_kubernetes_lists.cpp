// Lists of Kubernetes (k8s.io/apiserver/pkg/cel/library/lists.go).

#include <string>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

Value is_sorted(Evaluation&, Args args) {
  const auto items = items_of(args[0]);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_comparable(items[i])) return items[i].is_error() ? items[i] : no_such_overload();
    if (i == 0) continue;
    const Value order = compare(items[i - 1], items[i]);
    if (order.is(Kind::kInt) && order.integer > 0) return Value::boolean(false);
  }
  return Value::boolean(true);
}

template <Kind kind>
Value sum(Evaluation& e, Args args) {
  Value total;
  total.kind = kind;
  if constexpr (kind == Kind::kDouble) total = Value::of_double(0);
  for (const Value& item : items_of(args[0])) {
    if (!has_trait(item, Trait::kAdder)) return item.is_error() ? item : no_such_overload();
    total = add_values(e, total, item);
    if (total.is_error()) return total;
  }
  return total;
}

/// The first of the largest (sign 1) or smallest (sign -1) elements.
template <int sign>
Value extreme(Evaluation&, Args args) {
  const auto items = items_of(args[0]);
  if (items.empty()) return Value::error(sign > 0 ? "max called on empty list" : "min called on empty list");
  Value best;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_comparable(items[i])) return items[i].is_error() ? items[i] : no_such_overload();
    const Value order = i == 0 ? Value::of_int(-sign) : compare(best, items[i]);
    if (order.is(Kind::kInt) && order.integer == -sign) best = items[i];
  }
  return best;
}

Value index_of(Evaluation&, Args args) {
  const auto items = items_of(args[0]);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (equal(items[i], args[1])) return Value::of_int(static_cast<std::int64_t>(i));
  }
  return Value::of_int(-1);
}

Value last_index_of(Evaluation&, Args args) {
  const auto items = items_of(args[0]);
  for (std::size_t i = items.size(); i > 0; --i) {
    if (equal(items[i - 1], args[1])) return Value::of_int(static_cast<std::int64_t>(i - 1));
  }
  return Value::of_int(-1);
}

Value includes(Evaluation&, Args args) {
  if (!args[0].is(Kind::kList)) return Value::boolean(equal(args[0], args[1]));
  for (const Value& item : items_of(args[0])) {
    if (equal(item, args[1])) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr OverloadRow kRows[] = {
    {"isSorted", "list_int_is_sorted_bool", "list(int).() bool", is_sorted},
    {"isSorted", "list_uint_is_sorted_bool", "list(uint).() bool", is_sorted},
    {"isSorted", "list_double_is_sorted_bool", "list(double).() bool", is_sorted},
    {"isSorted", "list_bool_is_sorted_bool", "list(bool).() bool", is_sorted},
    {"isSorted", "list_duration_is_sorted_bool", "list(duration).() bool", is_sorted},
    {"isSorted", "list_timestamp_is_sorted_bool", "list(timestamp).() bool", is_sorted},
    {"isSorted", "list_string_is_sorted_bool", "list(string).() bool", is_sorted},
    {"isSorted", "list_bytes_is_sorted_bool", "list(bytes).() bool", is_sorted},
    {"sum", "list_int_sum_int", "list(int).() int", sum<Kind::kInt>},
    {"sum", "list_uint_sum_uint", "list(uint).() uint", sum<Kind::kUint>},
    {"sum", "list_double_sum_double", "list(double).() double", sum<Kind::kDouble>},
    {"sum", "list_duration_sum_duration", "list(duration).() duration", sum<Kind::kDuration>},
    {"max", "list_int_max_int", "list(int).() int", extreme<1>},
    {"max", "list_uint_max_uint", "list(uint).() uint", extreme<1>},
    {"max", "list_double_max_double", "list(double).() double", extreme<1>},
    {"max", "list_bool_max_bool", "list(bool).() bool", extreme<1>},
    {"max", "list_duration_max_duration", "list(duration).() duration", extreme<1>},
    {"max", "list_timestamp_max_timestamp", "list(timestamp).() timestamp", extreme<1>},
    {"max", "list_string_max_string", "list(string).() string", extreme<1>},
    {"max", "list_bytes_max_bytes", "list(bytes).() bytes", extreme<1>},
    {"min", "list_int_min_int", "list(int).() int", extreme<-1>},
    {"min", "list_uint_min_uint", "list(uint).() uint", extreme<-1>},
    {"min", "list_double_min_double", "list(double).() double", extreme<-1>},
    {"min", "list_bool_min_bool", "list(bool).() bool", extreme<-1>},
    {"min", "list_duration_min_duration", "list(duration).() duration", extreme<-1>},
    {"min", "list_timestamp_min_timestamp", "list(timestamp).() timestamp", extreme<-1>},
    {"min", "list_string_min_string", "list(string).() string", extreme<-1>},
    {"min", "list_bytes_min_bytes", "list(bytes).() bytes", extreme<-1>},
    {"indexOf", "list_a_index_of_int", "list(A).(A) int", index_of},
    {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A) int", last_index_of},
    {"includes", "list_includes_dyn_dyn", "dyn.(dyn) bool", includes},
};

}  // namespace

Library kubernetes_list_library() {
  return {kRows};
}

}  // namespace gpusched::cel
