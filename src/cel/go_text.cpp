#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cel/map.hpp"
#include "cel/named_format.hpp"
#include "cel/net.hpp"
#include "cel/numbers.hpp"
#include "cel/semver.hpp"
#include "cel/time.hpp"
#include "cel/url.hpp"
#include "cel/value.hpp"

namespace gpusched::cel {
namespace {

/// Go's Duration.String(): "1h30m0s", "1.5s", "250ms".
std::string duration_text(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  const std::uint64_t u =
      nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  const std::string sign = nanoseconds < 0 ? "-" : "";
  const auto decimal = [](std::uint64_t value, std::uint64_t unit) {
    std::string text = fmt::format("{}", value / unit);
    if (value % unit == 0) return text;
    std::string digits = fmt::format("{}", unit + value % unit).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    return text + "." + digits;
  };
  if (u < 1'000) return fmt::format("{}{}ns", sign, u);
  if (u < 1'000'000) return sign + decimal(u, 1'000) + "µs";
  if (u < 1'000'000'000) return sign + decimal(u, 1'000'000) + "ms";
  constexpr std::uint64_t kMinute = 60'000'000'000;
  std::string text = sign;
  if (u >= 60 * kMinute) text += fmt::format("{}h", u / (60 * kMinute));
  if (u >= kMinute) text += fmt::format("{}m", u / kMinute % 60);
  return text + decimal(u % kMinute, 1'000'000'000) + "s";
}

/// Go's Time.String(): "2020-01-01 00:00:00 +0000 UTC".
std::string time_text(const Value& value) {
  std::string text = format_rfc3339({value.integer + std::int64_t{value.zone} * 60, value.size, 0});
  text.pop_back();
  std::ranges::replace(text, 'T', ' ');
  const int zone = value.zone < 0 ? -value.zone : value.zone;
  const std::string offset = fmt::format("{}{:02}{:02}", value.zone < 0 ? '-' : '+', zone / 60, zone % 60);
  return text + " " + offset + " " + (value.zone == 0 ? "UTC" : offset);
}

std::string list_text(const Value& list) {
  std::string text = "[";
  for (const Value& item : items_of(list)) text += (text.size() > 1 ? ", " : "") + go_text(item);
  return text + "]";
}

std::string map_text(const MapValue& map) {
  std::string text = "{";
  for (const MapEntry& entry : map.all()) {
    text += (text.size() > 1 ? ", " : "") + go_text(entry.key) + ": " + go_text(entry.value);
  }
  return text + "}";
}

std::string bytes_text(std::string_view bytes) {
  std::string text = "[";
  for (const char c : bytes) text += fmt::format("{}{}", text.size() > 1 ? " " : "", static_cast<unsigned char>(c));
  return text + "]";
}

}  // namespace

std::string go_text(const Value& value) {
  switch (value.kind) {
    case Kind::kError:
    case Kind::kString:
    case Kind::kType:
      return std::string(value.view());
    case Kind::kNull:
      return "0";
    case Kind::kBool:
      return value.truth ? "true" : "false";
    case Kind::kInt:
      return fmt::format("{}", value.integer);
    case Kind::kUint:
      return fmt::format("{}", value.natural);
    case Kind::kDouble:
      return shortest(value.real);
    case Kind::kBytes:
      return bytes_text(value.view());
    case Kind::kTimestamp:
      return time_text(value);
    case Kind::kDuration:
      return duration_text(value.integer);
    case Kind::kList:
      return list_text(value);
    case Kind::kMap:
      return map_text(*value.map);
    case Kind::kOptional:
      return value.items == nullptr ? "optional.none()" : "optional(" + go_text(*value.items) + ")";
    case Kind::kQuantity:
      return value.quantity->to_string();
    case Kind::kSemver:
      return to_string(*value.semver);
    case Kind::kUrl:
      return to_string(*value.url);
    case Kind::kIp:
      return to_string(*value.ip);
    case Kind::kCidr:
      return cidr_to_string(*value.ip);
    case Kind::kFormat:
      return std::string(value.format->name);
    case Kind::kEmpty:
      return "";
  }
  return {};
}

}  // namespace gpusched::cel
