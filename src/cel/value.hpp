#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/base/quantity.hpp"

namespace gpusched::cel {

enum class Kind : std::uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kType,
  kOptional,
  kQuantity,
  kSemver,
  kUrl,
  kIp,
  kCidr,
  kFormat,
  kEmpty,  ///< the message google.protobuf.Empty
};

struct Value;
struct MapValue;
struct MutableList;
struct Semver;
struct Url;
struct IpAddress;
struct NamedFormat;

/// A value at run time: 16 bytes, copied freely, its parts live in a Heap or in the program.
struct Value {
  Kind kind = Kind::kNull;
  bool mutable_list = false;  ///< kList: the elements are in a MutableList that + extends in place
  std::int16_t zone = 0;      ///< kTimestamp: minutes east of UTC in which its text was written
  std::uint32_t size = 0;     ///< bytes of a text, elements of a list, nanoseconds of a timestamp; see is_computed()
  union {
    bool truth;
    std::int64_t integer;  ///< also nanoseconds of a duration, seconds of a timestamp since 1970
    std::uint64_t natural;
    double real;
    const char* text;
    const Value* items;  ///< of a list; of an optional the value, or null
    MutableList* growing;
    const MapValue* map;
    const Quantity* quantity;
    const Semver* semver;
    const Url* url;
    const IpAddress* ip;
    const NamedFormat* format;
  };

  Value() : integer(0) {}

  [[nodiscard]] bool is(Kind other) const { return kind == other; }
  [[nodiscard]] bool is_error() const { return kind == Kind::kError; }
  [[nodiscard]] bool is_true() const { return kind == Kind::kBool && truth; }
  [[nodiscard]] bool is_false() const { return kind == Kind::kBool && !truth; }
  /// Text of a string, bytes, error or type.
  [[nodiscard]] std::string_view view() const { return {text, size}; }
  /// Of a quantity: whether it is from add or sub. The original compares such a pointer with nothing, so it works on
  /// the left side of == only.
  [[nodiscard]] bool is_computed() const { return size != 0; }

  static Value boolean(bool value) {
    Value v;
    v.kind = Kind::kBool;
    v.truth = value;
    return v;
  }
  static Value of_int(std::int64_t value) { return number(Kind::kInt, value); }
  static Value duration(std::int64_t nanoseconds) { return number(Kind::kDuration, nanoseconds); }
  static Value timestamp(std::int64_t seconds, std::uint32_t nanoseconds, std::int16_t zone_minutes = 0) {
    Value v = number(Kind::kTimestamp, seconds);
    v.size = nanoseconds;
    v.zone = zone_minutes;
    return v;
  }
  static Value of_uint(std::uint64_t value) {
    Value v;
    v.kind = Kind::kUint;
    v.natural = value;
    return v;
  }
  static Value of_double(double value) {
    Value v;
    v.kind = Kind::kDouble;
    v.real = value;
    return v;
  }
  /// The text must outlive the value.
  static Value string(std::string_view text) { return texts(Kind::kString, text); }
  static Value bytes(std::string_view text) { return texts(Kind::kBytes, text); }
  static Value error(std::string_view text) { return texts(Kind::kError, text); }
  static Value type(std::string_view name) { return texts(Kind::kType, name); }
  static Value list(std::span<const Value> items) {
    Value v;
    v.kind = Kind::kList;
    v.size = static_cast<std::uint32_t>(items.size());
    v.items = items.data();
    return v;
  }
  /// The amount must outlive the value.
  static Value of_quantity(const Quantity* amount, bool computed = false) {
    Value v;
    v.kind = Kind::kQuantity;
    v.size = computed ? 1 : 0;
    v.quantity = amount;
    return v;
  }
  static Value of_map(const MapValue* map) {
    Value v;
    v.kind = Kind::kMap;
    v.map = map;
    return v;
  }
  static Value optional(const Value* value) {
    Value v;
    v.kind = Kind::kOptional;
    v.items = value;
    return v;
  }

 private:
  static Value number(Kind kind, std::int64_t value) {
    Value v;
    v.kind = kind;
    v.integer = value;
    return v;
  }
  static Value texts(Kind kind, std::string_view text) {
    Value v;
    v.kind = kind;
    v.size = static_cast<std::uint32_t>(text.size());
    v.text = text.data();
    return v;
  }
};
static_assert(sizeof(Value) == 16);

struct MutableList {
  Value* items = nullptr;
  std::size_t size = 0, capacity = 0;
};

/// blang/semver's version; the texts hold the dot-separated identifiers.
struct Semver {
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::string_view prerelease, build;
};

struct IpAddress {
  std::uint8_t bytes[16] = {};  ///< IPv4: the first four
  bool v4 = false;
  bool v4_in_v6 = false;
  std::uint8_t prefix = 0;  ///< of a CIDR
};

inline constexpr std::string_view kNoSuchOverload = "no such overload";
inline Value no_such_overload() {
  return Value::error(kNoSuchOverload);
}

/// The elements of a list.
[[nodiscard]] inline std::span<const Value> items_of(const Value& list) {
  if (list.mutable_list) return {list.growing->items, list.growing->size};
  return {list.items, list.size};
}

/// The name that type() gives: "int", "google.protobuf.Duration", "kubernetes.Semver".
[[nodiscard]] std::string_view type_name(const Value& value);
/// The name of the Go type that holds the value in the original: "types.Int".
[[nodiscard]] std::string_view go_type_name(const Value& value);
/// As Go's %v prints the value in the original.
[[nodiscard]] std::string go_text(const Value& value);

/// a == b: true, false or an error (Kubernetes' types on the left want their like).
[[nodiscard]] Value equals(const Value& a, const Value& b);
/// equals() of values of any depth, an error counts as different.
[[nodiscard]] inline bool equal(const Value& a, const Value& b) {
  return equals(a, b).is_true();
}
/// What size() counts, 1 for values without it: code points, bytes, elements, bytes of an address.
[[nodiscard]] std::uint64_t size_of(const Value& value);
/// Whether the value has a size().
[[nodiscard]] bool has_size(const Value& value);
/// optional.ofNonZeroValue() drops these.
[[nodiscard]] bool is_zero_value(const Value& value);

/// -1, 0, 1 or an error.
[[nodiscard]] Value compare(const Value& a, const Value& b);
/// Whether values of this kind have an order.
[[nodiscard]] bool is_comparable(const Value& value);

}  // namespace gpusched::cel
