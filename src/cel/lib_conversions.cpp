// Type conversions of the standard library (cel-go common/types ConvertToType).

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "cel/conversions.hpp"
#include "cel/evaluation.hpp"
#include "cel/function.hpp"
#include "cel/literal.hpp"
#include "cel/map.hpp"
#include "cel/net.hpp"
#include "cel/numbers.hpp"
#include "cel/time.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

Value identity(Evaluation&, Args args) {
  return args[0];
}

Value to_type(Evaluation&, Args args) {
  return Value::type(type_name(args[0]));
}

Value to_bool(Evaluation&, Args args) {
  for (const std::string_view text : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (args[0].view() == text) return Value::boolean(true);
  }
  for (const std::string_view text : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (args[0].view() == text) return Value::boolean(false);
  }
  return Value::error("type conversion error from 'string' to 'bool'");
}

Value string_to_bytes(Evaluation&, Args args) {
  return Value::bytes(args[0].view());
}

Value to_double(Evaluation&, Args args) {
  switch (args[0].kind) {
    case Kind::kInt:
      return Value::of_double(static_cast<double>(args[0].integer));
    case Kind::kUint:
      return Value::of_double(static_cast<double>(args[0].natural));
    default:
      break;
  }
  const auto value = parse_double(args[0].view());
  return value ? Value::of_double(*value) : Value::error("type conversion error from 'string' to 'double'");
}

Value to_int(Evaluation&, Args args) {
  const Value& from = args[0];
  switch (from.kind) {
    case Kind::kDouble:
      if (!(from.real > -kTwo63 && from.real < kTwo63)) return Value::error("integer overflow");
      return Value::of_int(static_cast<std::int64_t>(from.real));
    case Kind::kUint:
      return from.integer < 0 ? Value::error("integer overflow") : Value::of_int(from.integer);
    case Kind::kDuration:
    case Kind::kTimestamp:
      return Value::of_int(from.integer);
    default:
      break;
  }
  const auto value = parse_int(from.view());
  return value ? Value::of_int(*value) : Value::error("type conversion error from 'string' to 'int'");
}

Value to_uint(Evaluation&, Args args) {
  const Value& from = args[0];
  switch (from.kind) {
    case Kind::kDouble:
      if (!(from.real >= 0 && from.real < kTwo64)) return Value::error("unsigned integer overflow");
      return Value::of_uint(static_cast<std::uint64_t>(from.real));
    case Kind::kInt:
      return from.integer < 0 ? Value::error("unsigned integer overflow") : Value::of_uint(from.natural);
    default:
      break;
  }
  const auto value = parse_uint(from.view());
  return value ? Value::of_uint(*value) : Value::error("type conversion error from 'string' to 'uint'");
}

Value int_to_timestamp(Evaluation&, Args args) {
  if (args[0].integer < kMinTimestamp || args[0].integer > kMaxTimestamp) return Value::error("timestamp overflow");
  return Value::timestamp(args[0].integer, 0);
}

Value string_to_timestamp(Evaluation&, Args args) {
  return timestamp_from(args[0]);
}
Value string_to_duration(Evaluation&, Args args) {
  return duration_from(args[0]);
}
Value to_string(Evaluation& e, Args args) {
  return to_string_value(e.heap(), args[0]);
}

constexpr OverloadRow kRows[] = {
    {"type", "type", "(A) type(A)"},
    {"bool", "bool_to_bool", "(bool) bool", identity},
    {"bool", "string_to_bool", "(string) bool", to_bool},
    {"bytes", "bytes_to_bytes", "(bytes) bytes", identity},
    {"bytes", "string_to_bytes", "(string) bytes", string_to_bytes},
    {"double", "double_to_double", "(double) double", identity},
    {"double", "int64_to_double", "(int) double", to_double},
    {"double", "string_to_double", "(string) double", to_double},
    {"double", "uint64_to_double", "(uint) double", to_double},
    {"duration", "duration_to_duration", "(duration) duration", identity},
    {"duration", "string_to_duration", "(string) duration", string_to_duration},
    {"dyn", "to_dyn", "(A) dyn"},
    {"int", "int64_to_int64", "(int) int", identity},
    {"int", "double_to_int64", "(double) int", to_int},
    {"int", "duration_to_int64", "(duration) int", to_int},
    {"int", "string_to_int64", "(string) int", to_int},
    {"int", "timestamp_to_int64", "(timestamp) int", to_int},
    {"int", "uint64_to_int64", "(uint) int", to_int},
    {"string", "string_to_string", "(string) string", identity},
    {"string", "bool_to_string", "(bool) string", to_string},
    {"string", "bytes_to_string", "(bytes) string", to_string},
    {"string", "double_to_string", "(double) string", to_string},
    {"string", "duration_to_string", "(duration) string", to_string},
    {"string", "int64_to_string", "(int) string", to_string},
    {"string", "timestamp_to_string", "(timestamp) string", to_string},
    {"string", "uint64_to_string", "(uint) string", to_string},
    {"timestamp", "timestamp_to_timestamp", "(timestamp) timestamp", identity},
    {"timestamp", "int64_to_timestamp", "(int) timestamp", int_to_timestamp},
    {"timestamp", "string_to_timestamp", "(string) timestamp", string_to_timestamp},
    {"uint", "uint64_to_uint64", "(uint) uint", identity},
    {"uint", "double_to_uint64", "(double) uint", to_uint},
    {"uint", "int64_to_uint64", "(int) uint", to_uint},
    {"uint", "string_to_uint64", "(string) uint", to_uint},
};

constexpr FunctionRow kShared[] = {{"type", to_type}, {"dyn", identity}};

}  // namespace

Library conversion_library() {
  return {kRows, kShared};
}

Value timestamp_from(const Value& text) {
  const auto moment = parse_rfc3339(text.view());
  if (!moment) return Value::error("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  if (moment->seconds < kMinTimestamp || moment->seconds > kMaxTimestamp) return Value::error("timestamp overflow");
  return Value::timestamp(moment->seconds, moment->nanoseconds, static_cast<std::int16_t>(moment->zone_minutes));
}

Value duration_from(const Value& text) {
  const auto nanoseconds = parse_duration(text.view());
  if (!nanoseconds) return Value::error("type conversion error from 'string' to 'google.protobuf.Duration'");
  return Value::duration(*nanoseconds);
}

Value to_string_value(Heap& heap, const Value& value) {
  switch (value.kind) {
    case Kind::kString:
      return value;
    case Kind::kBool:
      return Value::string(value.truth ? "true" : "false");
    case Kind::kInt:
      return heap.string(fmt::format("{}", value.integer));
    case Kind::kUint:
      return heap.string(fmt::format("{}", value.natural));
    case Kind::kDouble:
      return heap.string(shortest(value.real));
    case Kind::kBytes:
      if (!valid_utf8(value.view())) return Value::error("invalid UTF-8 in bytes, cannot convert to string");
      return Value::string(value.view());
    case Kind::kTimestamp:
      return heap.string(format_rfc3339({value.integer, value.size, value.zone}));
    case Kind::kDuration:
      return heap.string(format_duration(value.integer));
    case Kind::kType:
      return Value::string(value.view());
    case Kind::kNull:
      return Value::string("null");
    default:
      return heap.error(fmt::format("type conversion error from '{}' to 'string'", type_name(value)));
  }
}

}  // namespace gpusched::cel
