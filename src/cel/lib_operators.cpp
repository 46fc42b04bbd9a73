// Operators of the standard library (cel-go common/stdlib).

#include <algorithm>
#include <limits>
#include <string>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"
#include "cel/map.hpp"
#include "cel/numbers.hpp"
#include "cel/time.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();

Value overflow() {
  return Value::error(kIntOverflow);
}

Value checked_add(std::int64_t a, std::int64_t b, Kind kind) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return overflow();
  return kind == Kind::kDuration ? Value::duration(sum) : Value::of_int(sum);
}

Value checked_subtract(std::int64_t a, std::int64_t b, Kind kind) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return overflow();
  return kind == Kind::kDuration ? Value::duration(difference) : Value::of_int(difference);
}

Value add_to_timestamp(const Value& timestamp, std::int64_t nanoseconds) {
  std::int64_t seconds = 0;
  if (__builtin_add_overflow(timestamp.integer, nanoseconds / kSecond, &seconds)) return overflow();
  std::int64_t rest = static_cast<std::int64_t>(timestamp.size) + nanoseconds % kSecond;
  if (rest >= kSecond || rest < 0) {
    seconds += rest < 0 ? -1 : 1;
    rest += rest < 0 ? kSecond : -kSecond;
  }
  if (seconds < kMinTimestamp || seconds > kMaxTimestamp) return Value::error("timestamp overflow");
  return Value::timestamp(seconds, static_cast<std::uint32_t>(rest), timestamp.zone);
}

Value add_texts(Evaluation& e, const Value& a, const Value& b) {
  if (!e.room_for(std::size_t{a.size} + b.size)) return no_such_overload();
  char* text = e.heap().characters(std::size_t{a.size} + b.size);
  a.view().copy(text, a.size);
  b.view().copy(text + a.size, b.size);
  const std::string_view joined(text, std::size_t{a.size} + b.size);
  return a.is(Kind::kString) ? Value::string(joined) : Value::bytes(joined);
}

/// An accumulator that started empty grows in place.
Value extend(Evaluation& e, const Value& list, std::span<const Value> more) {
  MutableList& target = *list.growing;
  if (target.size + more.size() > target.capacity) {
    const std::size_t capacity = std::max({target.size + more.size(), target.capacity * 2, std::size_t{8}});
    if (!e.room_for(capacity * sizeof(Value))) return no_such_overload();
    auto* items = e.heap().array<Value>(capacity);
    for (std::size_t i = 0; i < target.size; ++i) items[i] = target.items[i];
    target.items = items;
    target.capacity = capacity;
  }
  const std::size_t count = more.size();  // `more` may be this very list
  for (std::size_t i = 0; i < count; ++i) target.items[target.size + i] = more[i];
  target.size += count;
  return list;
}

Value add_lists(Evaluation& e, const Value& a, const Value& b) {
  const auto left = items_of(a);
  const auto right = items_of(b);
  if (a.mutable_list) return extend(e, a, right);
  if (left.empty()) return b;
  if (right.empty()) return a;
  if (!e.room_for((left.size() + right.size()) * sizeof(Value))) return no_such_overload();
  auto* items = e.heap().array<Value>(left.size() + right.size());
  std::size_t count = 0;
  for (const auto part : {left, right}) {
    for (const Value& item : part) items[count++] = item;
  }
  return Value::list({items, count});
}

Value add(Evaluation& e, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  switch (a.kind) {
    case Kind::kDuration:
      if (b.is(Kind::kTimestamp)) return add_to_timestamp(b, a.integer);
      break;
    case Kind::kTimestamp:
      return b.is(Kind::kDuration) ? add_to_timestamp(a, b.integer) : no_such_overload();
    default:
      break;
  }
  if (a.kind != b.kind) return no_such_overload();
  switch (a.kind) {
    case Kind::kInt:
    case Kind::kDuration:
      return checked_add(a.integer, b.integer, a.kind);
    case Kind::kUint: {
      std::uint64_t sum = 0;
      return __builtin_add_overflow(a.natural, b.natural, &sum) ? Value::error(kUintOverflow) : Value::of_uint(sum);
    }
    case Kind::kDouble:
      return Value::of_double(a.real + b.real);
    case Kind::kString:
    case Kind::kBytes:
      return add_texts(e, a, b);
    default:
      return add_lists(e, a, b);
  }
}

Value subtract_timestamps(const Value& a, const Value& b) {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  if (__builtin_sub_overflow(a.integer, b.integer, &seconds) ||
      __builtin_mul_overflow(seconds, kSecond, &nanoseconds)) {
    return overflow();
  }
  return checked_add(nanoseconds, static_cast<std::int64_t>(a.size) - static_cast<std::int64_t>(b.size),
                     Kind::kDuration);
}

Value subtract(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.is(Kind::kTimestamp)) {
    if (b.is(Kind::kTimestamp)) return subtract_timestamps(a, b);
    if (!b.is(Kind::kDuration)) return no_such_overload();
    return b.integer == kMinInt ? overflow() : add_to_timestamp(a, -b.integer);
  }
  if (a.kind != b.kind) return no_such_overload();
  switch (a.kind) {
    case Kind::kInt:
    case Kind::kDuration:
      return checked_subtract(a.integer, b.integer, a.kind);
    case Kind::kUint:
      return b.natural > a.natural ? Value::error(kUintOverflow) : Value::of_uint(a.natural - b.natural);
    default:
      return Value::of_double(a.real - b.real);
  }
}

Value multiply(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind != b.kind) return no_such_overload();
  if (a.is(Kind::kDouble)) return Value::of_double(a.real * b.real);
  if (a.is(Kind::kUint)) {
    std::uint64_t product = 0;
    const bool bad = __builtin_mul_overflow(a.natural, b.natural, &product);
    return bad ? Value::error(kUintOverflow) : Value::of_uint(product);
  }
  std::int64_t product = 0;
  return __builtin_mul_overflow(a.integer, b.integer, &product) ? overflow() : Value::of_int(product);
}

Value divide(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind != b.kind) return no_such_overload();
  if (a.is(Kind::kDouble)) return Value::of_double(a.real / b.real);
  if (b.natural == 0) return Value::error("division by zero");
  if (a.is(Kind::kUint)) return Value::of_uint(a.natural / b.natural);
  return a.integer == kMinInt && b.integer == -1 ? overflow() : Value::of_int(a.integer / b.integer);
}

Value modulo(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind != b.kind) return no_such_overload();
  if (b.natural == 0) return Value::error("modulus by zero");
  if (a.is(Kind::kUint)) return Value::of_uint(a.natural % b.natural);
  return a.integer == kMinInt && b.integer == -1 ? overflow() : Value::of_int(a.integer % b.integer);
}

Value negate(Evaluation&, Args args) {
  const Value& a = args[0];
  switch (a.kind) {
    case Kind::kInt:
      return a.integer == kMinInt ? overflow() : Value::of_int(-a.integer);
    case Kind::kDuration:
      return a.integer == kMinInt ? overflow() : Value::duration(-a.integer);
    case Kind::kDouble:
      return Value::of_double(-a.real);
    default:
      return no_such_overload();
  }
}

Value logical_not(Evaluation&, Args args) {
  return args[0].is(Kind::kBool) ? Value::boolean(!args[0].truth) : no_such_overload();
}

Value not_strictly_false(Evaluation&, Args args) {
  return args[0].is(Kind::kBool) ? args[0] : Value::boolean(true);
}

template <bool less, bool same, bool greater>
Value ordered(Evaluation&, Args args) {
  const Value order = compare(args[0], args[1]);
  if (order.is_error()) return order;
  return Value::boolean(order.integer < 0 ? less : (order.integer == 0 ? same : greater));
}

Value in(Evaluation& e, Args args) {
  const Value& container = args[1];
  if (container.is(Kind::kMap) && !can_look_up(*container.map, args[0])) return e.unhashable(args[0]);
  if (container.is(Kind::kMap)) return Value::boolean(find_own(*container.map, args[0]) != nullptr);
  if (!container.is(Kind::kList)) return no_such_overload();
  for (const Value& item : items_of(container)) {
    if (equal(args[0], item)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

/// Operators that the plan evaluates itself.
Value planned(Evaluation&, Args) {
  return no_such_overload();
}

constexpr OverloadRow kRows[] = {
    {"_?_:_", "conditional", "(bool, A, A) A"},
    {"_&&_", "logical_and", "(bool, bool) bool"},
    {"_||_", "logical_or", "(bool, bool) bool"},
    {"!_", "logical_not", "(bool) bool"},
    {"@not_strictly_false", "not_strictly_false", "(bool) bool", not_strictly_false},
    {"_==_", "equals", "(A, A) bool"},
    {"_!=_", "not_equals", "(A, A) bool"},
    {"_+_", "add_bytes", "(bytes, bytes) bytes"},
    {"_+_", "add_double", "(double, double) double"},
    {"_+_", "add_duration_duration", "(duration, duration) duration"},
    {"_+_", "add_duration_timestamp", "(duration, timestamp) timestamp"},
    {"_+_", "add_timestamp_duration", "(timestamp, duration) timestamp"},
    {"_+_", "add_int64", "(int, int) int"},
    {"_+_", "add_list", "(list(A), list(A)) list(A)"},
    {"_+_", "add_string", "(string, string) string"},
    {"_+_", "add_uint64", "(uint, uint) uint"},
    {"_/_", "divide_double", "(double, double) double"},
    {"_/_", "divide_int64", "(int, int) int"},
    {"_/_", "divide_uint64", "(uint, uint) uint"},
    {"_%_", "modulo_int64", "(int, int) int"},
    {"_%_", "modulo_uint64", "(uint, uint) uint"},
    {"_*_", "multiply_double", "(double, double) double"},
    {"_*_", "multiply_int64", "(int, int) int"},
    {"_*_", "multiply_uint64", "(uint, uint) uint"},
    {"-_", "negate_double", "(double) double"},
    {"-_", "negate_int64", "(int) int"},
    {"_-_", "subtract_double", "(double, double) double"},
    {"_-_", "subtract_duration_duration", "(duration, duration) duration"},
    {"_-_", "subtract_int64", "(int, int) int"},
    {"_-_", "subtract_timestamp_duration", "(timestamp, duration) timestamp"},
    {"_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp) duration"},
    {"_-_", "subtract_uint64", "(uint, uint) uint"},
    {"_<_", "less_bool", "(bool, bool) bool"},
    {"_<_", "less_int64", "(int, int) bool"},
    {"_<_", "less_int64_double", "(int, double) bool"},
    {"_<_", "less_int64_uint64", "(int, uint) bool"},
    {"_<_", "less_uint64", "(uint, uint) bool"},
    {"_<_", "less_uint64_double", "(uint, double) bool"},
    {"_<_", "less_uint64_int64", "(uint, int) bool"},
    {"_<_", "less_double", "(double, double) bool"},
    {"_<_", "less_double_int64", "(double, int) bool"},
    {"_<_", "less_double_uint64", "(double, uint) bool"},
    {"_<_", "less_string", "(string, string) bool"},
    {"_<_", "less_bytes", "(bytes, bytes) bool"},
    {"_<_", "less_timestamp", "(timestamp, timestamp) bool"},
    {"_<_", "less_duration", "(duration, duration) bool"},
    {"_<=_", "less_equals_bool", "(bool, bool) bool"},
    {"_<=_", "less_equals_int64", "(int, int) bool"},
    {"_<=_", "less_equals_int64_double", "(int, double) bool"},
    {"_<=_", "less_equals_int64_uint64", "(int, uint) bool"},
    {"_<=_", "less_equals_uint64", "(uint, uint) bool"},
    {"_<=_", "less_equals_uint64_double", "(uint, double) bool"},
    {"_<=_", "less_equals_uint64_int64", "(uint, int) bool"},
    {"_<=_", "less_equals_double", "(double, double) bool"},
    {"_<=_", "less_equals_double_int64", "(double, int) bool"},
    {"_<=_", "less_equals_double_uint64", "(double, uint) bool"},
    {"_<=_", "less_equals_string", "(string, string) bool"},
    {"_<=_", "less_equals_bytes", "(bytes, bytes) bool"},
    {"_<=_", "less_equals_timestamp", "(timestamp, timestamp) bool"},
    {"_<=_", "less_equals_duration", "(duration, duration) bool"},
    {"_>_", "greater_bool", "(bool, bool) bool"},
    {"_>_", "greater_int64", "(int, int) bool"},
    {"_>_", "greater_int64_double", "(int, double) bool"},
    {"_>_", "greater_int64_uint64", "(int, uint) bool"},
    {"_>_", "greater_uint64", "(uint, uint) bool"},
    {"_>_", "greater_uint64_double", "(uint, double) bool"},
    {"_>_", "greater_uint64_int64", "(uint, int) bool"},
    {"_>_", "greater_double", "(double, double) bool"},
    {"_>_", "greater_double_int64", "(double, int) bool"},
    {"_>_", "greater_double_uint64", "(double, uint) bool"},
    {"_>_", "greater_string", "(string, string) bool"},
    {"_>_", "greater_bytes", "(bytes, bytes) bool"},
    {"_>_", "greater_timestamp", "(timestamp, timestamp) bool"},
    {"_>_", "greater_duration", "(duration, duration) bool"},
    {"_>=_", "greater_equals_bool", "(bool, bool) bool"},
    {"_>=_", "greater_equals_int64", "(int, int) bool"},
    {"_>=_", "greater_equals_int64_double", "(int, double) bool"},
    {"_>=_", "greater_equals_int64_uint64", "(int, uint) bool"},
    {"_>=_", "greater_equals_uint64", "(uint, uint) bool"},
    {"_>=_", "greater_equals_uint64_double", "(uint, double) bool"},
    {"_>=_", "greater_equals_uint64_int64", "(uint, int) bool"},
    {"_>=_", "greater_equals_double", "(double, double) bool"},
    {"_>=_", "greater_equals_double_int64", "(double, int) bool"},
    {"_>=_", "greater_equals_double_uint64", "(double, uint) bool"},
    {"_>=_", "greater_equals_string", "(string, string) bool"},
    {"_>=_", "greater_equals_bytes", "(bytes, bytes) bool"},
    {"_>=_", "greater_equals_timestamp", "(timestamp, timestamp) bool"},
    {"_>=_", "greater_equals_duration", "(duration, duration) bool"},
    {"_[_]", "index_list", "(list(A), int) A"},
    {"_[_]", "index_map", "(map(A, B), A) B"},
    {"_[_]", "optional_list_index_int", "(optional(list(V)), int) optional(V)"},
    {"_[_]", "optional_map_index_value", "(optional(map(K, V)), K) optional(V)"},
    {"@in", "in_list", "(A, list(A)) bool"},
    {"@in", "in_map", "(A, map(A, B)) bool"},
};

constexpr FunctionRow kShared[] = {
    {"_?_:_", planned},
    {"_&&_", planned},
    {"_||_", planned},
    {"!_", logical_not},
    {"_==_", planned},
    {"_!=_", planned},
    {"_+_", add, Trait::kAdder},
    {"_/_", divide, Trait::kDivider},
    {"_%_", modulo, Trait::kModder},
    {"_*_", multiply, Trait::kMultiplier},
    {"-_", negate, Trait::kNegator},
    {"_-_", subtract, Trait::kSubtractor},
    {"_<_", ordered<true, false, false>, Trait::kComparer},
    {"_<=_", ordered<true, true, false>, Trait::kComparer},
    {"_>_", ordered<false, false, true>, Trait::kComparer},
    {"_>=_", ordered<false, true, true>, Trait::kComparer},
    {"_[_]", planned},
    {"@in", in},
};

}  // namespace

Library operator_library() {
  return {kRows, kShared};
}

Value add_values(Evaluation& evaluation, const Value& a, const Value& b) {
  const Value args[] = {a, b};
  return add(evaluation, args);
}

}  // namespace gpusched::cel
