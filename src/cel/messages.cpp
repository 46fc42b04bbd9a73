// Literals of google.protobuf messages: wrappers and the JSON types are plain values in expressions.

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/map.hpp"
#include "cel/time.hpp"

namespace gpusched::cel {
namespace {

struct Wrapper {
  std::string_view type;
  Kind kind;
  std::int64_t min = 0, max = 0;  ///< of 32-bit numbers
};

constexpr Wrapper kWrappers[] = {
    {"google.protobuf.BoolValue", Kind::kBool},
    {"google.protobuf.BytesValue", Kind::kBytes},
    {"google.protobuf.DoubleValue", Kind::kDouble},
    {"google.protobuf.FloatValue", Kind::kDouble},
    {"google.protobuf.Int32Value", Kind::kInt, std::numeric_limits<std::int32_t>::min(),
     std::numeric_limits<std::int32_t>::max()},
    {"google.protobuf.Int64Value", Kind::kInt},
    {"google.protobuf.StringValue", Kind::kString},
    {"google.protobuf.UInt32Value", Kind::kUint, 0, std::numeric_limits<std::uint32_t>::max()},
    {"google.protobuf.UInt64Value", Kind::kUint},
};

Value field_error(Evaluation& e, std::string_view type, std::string_view field, std::string_view why) {
  return e.error(fmt::format("field type conversion error for {}.{} value type: {}", type, field, why));
}

Value zero(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return Value::boolean(false);
    case Kind::kBytes:
      return Value::bytes({});
    case Kind::kString:
      return Value::string({});
    case Kind::kDouble:
      return Value::of_double(0);
    case Kind::kUint:
      return Value::of_uint(0);
    default:
      return Value::of_int(0);
  }
}

Value wrapped(Evaluation& e, const Wrapper& wrapper, const Value& value) {
  if (!value.is(wrapper.kind)) {
    return field_error(e, wrapper.type, "value",
                       fmt::format("unsupported type conversion from '{}' to {}", type_name(value), wrapper.type));
  }
  if (wrapper.max != 0) {
    const bool fits = wrapper.kind == Kind::kInt ? value.integer >= wrapper.min && value.integer <= wrapper.max
                                                 : value.natural <= static_cast<std::uint64_t>(wrapper.max);
    if (!fits) {
      return field_error(e, wrapper.type, "value",
                         wrapper.kind == Kind::kInt ? "integer overflow" : "unsigned integer overflow");
    }
  }
  if (wrapper.type == "google.protobuf.FloatValue") return Value::of_double(static_cast<float>(value.real));
  return value;
}

std::int64_t integer_field(std::span<const std::string> fields, std::span<const Value> values, std::string_view name) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == name && values[i].is(Kind::kInt)) return values[i].integer;
  }
  return 0;
}

}  // namespace

Value make_message(Evaluation& e, std::string_view type, std::span<const std::string> fields,
                   std::span<const Value> values) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.type == type) return values.empty() ? zero(wrapper.kind) : wrapped(e, wrapper, values.back());
  }
  if (type == "google.protobuf.Timestamp") {
    const std::int64_t nanoseconds = integer_field(fields, values, "nanos");
    if (nanoseconds < 0 || nanoseconds >= kSecond) return field_error(e, type, "nanos", "out of range");
    return Value::timestamp(integer_field(fields, values, "seconds"), static_cast<std::uint32_t>(nanoseconds));
  }
  if (type == "google.protobuf.Duration") {
    std::int64_t total = 0;
    const bool overflow = __builtin_mul_overflow(integer_field(fields, values, "seconds"), kSecond, &total) ||
                          __builtin_add_overflow(total, integer_field(fields, values, "nanos"), &total);
    return overflow ? Value::error("duration overflow") : Value::duration(total);
  }
  if (type == "google.protobuf.Empty") {
    Value value;
    value.kind = Kind::kEmpty;
    return value;
  }
  if (type == "google.protobuf.Value") return values.empty() ? Value() : values.back();
  if (type == "google.protobuf.ListValue") return values.empty() ? Value::list({}) : values.back();
  if (type == "google.protobuf.Struct") {
    return values.empty() ? Value::of_map(e.heap().make(MapValue())) : values.back();
  }
  if (type == "google.protobuf.Any") return Value::error("unsupported conversion to ref.Val: (*dynamicpb.Message)");
  return e.error(fmt::format("unknown type '{}'", type));
}

}  // namespace gpusched::cel
