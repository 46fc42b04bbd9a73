#include "gpusched/cel/derived.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cel/program_data.hpp"
#include "cel/semver.hpp"
#include "cel/type.hpp"
#include "cel/value.hpp"

namespace gpusched::cel {
namespace {

bool is_element_type(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
      return true;
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kString:
      return !type.nullable;
    default:
      return same_type(type, types::kSemver);
  }
}

/// The Go type of what a CEL value holds, as %T prints it.
std::string_view content_type(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "structpb.NullValue";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int64";
    case Kind::kUint:
      return "uint64";
    case Kind::kDouble:
      return "float64";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "[]uint8";
    case Kind::kTimestamp:
      return "time.Time";
    case Kind::kDuration:
      return "time.Duration";
    case Kind::kList:
      return "[]ref.Val";
    case Kind::kMap:
      return "map[ref.Val]ref.Val";
    case Kind::kQuantity:
      return "*resource.Quantity";
    case Kind::kSemver:
      return "semver.Version";
    default:
      return go_type_name(value);
  }
}

/// All elements through `read`, which wants this kind; Go's word for the kind is in the error.
template <class Read>
void read_list(std::span<const Value> items, Kind kind, std::string_view word, Read read, DerivedValue& derived) {
  std::vector<decltype(read(items.front()))> values;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is(kind)) {
      derived.error =
          fmt::format("expected list element at index {} to be {}, got {}", i, word, content_type(items[i]));
      return;
    }
    values.push_back(read(items[i]));
  }
  derived.value = std::move(values);
}

std::int64_t read_int(const Value& value) {
  return value.integer;
}
bool read_bool(const Value& value) {
  return value.truth;
}
std::string read_string(const Value& value) {
  return std::string(value.view());
}
DerivedValue::Version read_version(const Value& value) {
  return {to_string(*value.semver)};
}

void read_elements(std::span<const Value> items, DerivedValue& derived) {
  if (items.empty()) {
    derived.value = std::vector<std::string>();
    return;
  }
  switch (items.front().kind) {
    case Kind::kBool:
      return read_list(items, Kind::kBool, "bool", &read_bool, derived);
    case Kind::kInt:
      return read_list(items, Kind::kInt, "int", &read_int, derived);
    case Kind::kString:
      return read_list(items, Kind::kString, "string", &read_string, derived);
    case Kind::kSemver:
      return read_list(items, Kind::kSemver, "semver", &read_version, derived);
    default:
      derived.error = fmt::format("unsupported list element type: {}", content_type(items.front()));
  }
}

}  // namespace

bool is_derived_type(const Type& type, bool lists) {
  if (is_element_type(type)) return true;
  return lists && type.is(TypeKind::kList) && type.params.size() == 1 && is_element_type(*type.params.front());
}

DerivedValue evaluate_derived(const Program& program, const Device& device, Scratch& scratch) {
  DerivedValue derived;
  Outcome outcome;
  const std::optional<Value> value = run(program, device, scratch, outcome);
  if (!value) {
    derived.error = std::move(outcome.error);
    return derived;
  }
  switch (value->kind) {
    case Kind::kBool:
      derived.value = value->truth;
      break;
    case Kind::kInt:
      derived.value = value->integer;
      break;
    case Kind::kString:
      derived.value = read_string(*value);
      break;
    case Kind::kSemver:
      derived.value = read_version(*value);
      break;
    case Kind::kList:
      read_elements(items_of(*value), derived);
      break;
    default:
      derived.error = fmt::format("unsupported CEL return type: {}", content_type(*value));
  }
  return derived;
}

}  // namespace gpusched::cel
