#include "cel/value.hpp"

#include <cmath>
#include <cstring>

#include "cel/map.hpp"
#include "cel/named_format.hpp"
#include "cel/net.hpp"
#include "cel/numbers.hpp"
#include "cel/semver.hpp"
#include "cel/source.hpp"
#include "cel/url.hpp"
#include "gpusched/base/short_text.hpp"

namespace gpusched::cel {
namespace {

struct KindNames {
  std::string_view type, go;
};

/// In the order of Kind.
constexpr KindNames kKindNames[] = {
    {"error", "*types.Err"},
    {"null_type", "types.Null"},
    {"bool", "types.Bool"},
    {"int", "types.Int"},
    {"uint", "types.Uint"},
    {"double", "types.Double"},
    {"string", "types.String"},
    {"bytes", "types.Bytes"},
    {"google.protobuf.Timestamp", "types.Timestamp"},
    {"google.protobuf.Duration", "types.Duration"},
    {"list", "*types.baseList"},
    {"map", "*types.baseMap"},
    {"type", "*types.Type"},
    {"optional_type", "*types.Optional"},
    {"kubernetes.Quantity", "cel.Quantity"},
    {"kubernetes.Semver", "cel.Semver"},
    {"kubernetes.URL", "cel.URL"},
    {"net.IP", "cel.IP"},
    {"net.CIDR", "cel.CIDR"},
    {"kubernetes.NamedFormat", "cel.Format"},
    {"google.protobuf.Empty", "*types.protoObj"},
};

bool equal_lists(const Value& a, const Value& b) {
  const auto left = items_of(a);
  const auto right = items_of(b);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    // An error of an element does not make the lists different.
    if (equals(left[i], right[i]).is_false()) return false;
  }
  return true;
}

bool equal_maps(const MapValue& a, const MapValue& b) {
  if (a.size != b.size) return false;
  for (const MapEntry& entry : a.all()) {
    const auto other = find(b, entry.key);
    if (!other || equals(entry.value, *other).is_false()) return false;
  }
  return true;
}

Value equal_optionals(const Value& a, const Value& b) {
  if (!b.is(Kind::kOptional)) return Value::boolean(false);
  if (a.items == nullptr || b.items == nullptr) return Value::boolean(a.items == b.items);
  return equals(*a.items, *b.items);
}

/// Kubernetes' types: compared with their like only.
Value equal_kubernetes(const Value& a, const Value& b) {
  if (a.kind != b.kind) return b.is_error() ? b : no_such_overload();
  switch (a.kind) {
    case Kind::kQuantity:
      if (b.is_computed()) return no_such_overload();
      return Value::boolean(*a.quantity == *b.quantity);
    case Kind::kSemver:
      return Value::boolean(compare(*a.semver, *b.semver) == 0);
    case Kind::kUrl:
      return Value::boolean(to_string(*a.url) == to_string(*b.url));
    case Kind::kIp:
      return Value::boolean(same_address(*a.ip, *b.ip));
    case Kind::kCidr:
      return Value::boolean(same_address(*a.ip, *b.ip) && a.ip->prefix == b.ip->prefix);
    default:
      return Value::boolean(a.format->name == b.format->name);
  }
}

Value three_way(auto a, auto b) {
  return Value::of_int(a < b ? -1 : (a > b ? 1 : 0));
}

}  // namespace

std::string_view type_name(const Value& value) {
  return kKindNames[static_cast<std::size_t>(value.kind)].type;
}

std::string_view go_type_name(const Value& value) {
  if (value.is(Kind::kQuantity) && value.is_computed()) return "*cel.Quantity";
  if (value.is(Kind::kMap) && value.map->fallback != nullptr) return "cel.mapper";
  return kKindNames[static_cast<std::size_t>(value.kind)].go;
}

Value equals(const Value& a, const Value& b) {
  // Nothing but null equals null, whatever the other side says to it.
  if (b.is(Kind::kNull)) return Value::boolean(a.is(Kind::kNull));
  switch (a.kind) {
    case Kind::kNull:
      return Value::boolean(b.is(Kind::kNull));
    case Kind::kBool:
      return Value::boolean(b.is(Kind::kBool) && a.truth == b.truth);
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
      if (!is_number(b)) return Value::boolean(false);
      if ((a.is(Kind::kDouble) && std::isnan(a.real)) || (b.is(Kind::kDouble) && std::isnan(b.real))) {
        return Value::boolean(false);
      }
      return Value::boolean(compare_numbers(a, b) == 0);
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return Value::boolean(a.kind == b.kind && same_text(a.view(), b.view()));
    case Kind::kTimestamp:
      return Value::boolean(b.is(a.kind) && a.integer == b.integer && a.size == b.size);
    case Kind::kDuration:
      return Value::boolean(b.is(a.kind) && a.integer == b.integer);
    case Kind::kList:
      return Value::boolean(b.is(Kind::kList) && equal_lists(a, b));
    case Kind::kMap:
      return Value::boolean(b.is(Kind::kMap) && equal_maps(*a.map, *b.map));
    case Kind::kOptional:
      return equal_optionals(a, b);
    case Kind::kEmpty:
      return Value::boolean(b.is(Kind::kEmpty));
    case Kind::kError:
      return a;
    default:
      return equal_kubernetes(a, b);
  }
}

std::uint64_t size_of(const Value& value) {
  switch (value.kind) {
    case Kind::kString:
      return count_code_points(value.view());
    case Kind::kBytes:
      return value.size;
    case Kind::kList:
      return items_of(value).size();
    case Kind::kMap:
      return value.map->size;
    case Kind::kIp:
      return value.ip->v4 ? 4 : 16;
    case Kind::kCidr:
      return (static_cast<std::uint64_t>(value.ip->prefix) + 7) / 8;
    default:
      return 1;
  }
}

bool has_size(const Value& value) {
  switch (value.kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return true;
    default:
      return false;
  }
}

bool is_zero_value(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
    case Kind::kEmpty:
      return true;
    case Kind::kBool:
      return !value.truth;
    case Kind::kInt:
    case Kind::kDuration:
      return value.integer == 0;
    case Kind::kUint:
      return value.natural == 0;
    case Kind::kDouble:
      return value.real == 0;
    case Kind::kString:
    case Kind::kBytes:
      return value.size == 0;
    case Kind::kTimestamp:
      return value.integer == -62135596800 && value.size == 0;  // Go's zero time: year 1
    case Kind::kList:
      return items_of(value).empty();
    case Kind::kMap:
      return value.map->size == 0 && value.map->fallback == nullptr;
    default:
      return false;
  }
}

bool is_comparable(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kTimestamp:
    case Kind::kDuration:
      return true;
    default:
      return false;
  }
}

Value compare(const Value& a, const Value& b) {
  const bool a_nan = a.is(Kind::kDouble) && std::isnan(a.real);
  const bool b_nan = b.is(Kind::kDouble) && std::isnan(b.real) && is_number(a);
  if (a_nan || b_nan) return Value::error("NaN values cannot be ordered");
  if (is_number(a) && is_number(b)) return Value::of_int(compare_numbers(a, b));
  if (a.kind != b.kind) return b.is_error() ? b : no_such_overload();
  switch (a.kind) {
    case Kind::kBool:
      return three_way(a.truth, b.truth);
    case Kind::kString:
    case Kind::kBytes:
      return three_way(a.view().compare(b.view()), 0);
    case Kind::kDuration:
      return three_way(a.integer, b.integer);
    case Kind::kTimestamp:
      return a.integer == b.integer ? three_way(a.size, b.size) : three_way(a.integer, b.integer);
    default:
      return no_such_overload();
  }
}

}  // namespace gpusched::cel
