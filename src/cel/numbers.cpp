#include "cel/numbers.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cel/source.hpp"

namespace gpusched::cel {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

int order(auto a, auto b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

int compare_double_int(double d, std::int64_t i) {
  if (d < -kTwo63) return -1;
  if (d > kTwo63) return 1;
  return order(d, static_cast<double>(i));
}

int compare_double_uint(double d, std::uint64_t u) {
  if (d < 0) return -1;
  if (d > kTwo64) return 1;
  return order(d, static_cast<double>(u));
}

int compare_int_uint(std::int64_t i, std::uint64_t u) {
  if (i < 0 || u > static_cast<std::uint64_t>(INT64_MAX)) return -1;
  return order(i, static_cast<std::int64_t>(u));
}

/// Infinity and NaN as Go prints them; "" for others.
std::string_view special(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return {};
}

}  // namespace

std::optional<std::int64_t> exact_int(double value) {
  if (!(value > -kTwo63 && value < kTwo63) || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::uint64_t> exact_uint(double value) {
  if (!(value >= 0 && value < kTwo64) || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

int compare_numbers(const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::kInt:
      if (b.is(Kind::kInt)) return order(a.integer, b.integer);
      if (b.is(Kind::kUint)) return compare_int_uint(a.integer, b.natural);
      return -compare_double_int(b.real, a.integer);
    case Kind::kUint:
      if (b.is(Kind::kUint)) return order(a.natural, b.natural);
      if (b.is(Kind::kInt)) return -compare_int_uint(b.integer, a.natural);
      return -compare_double_uint(b.real, a.natural);
    default:
      if (b.is(Kind::kDouble)) return order(a.real, b.real);
      if (b.is(Kind::kInt)) return compare_double_int(a.real, b.integer);
      return compare_double_uint(a.real, b.natural);
  }
}

std::string shortest(double value) {
  if (const std::string_view name = special(value); !name.empty()) return std::string(name);
  char buffer[64];
  const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, scientific.ptr);
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(buffer + mark + (text[mark + 1] == '+' ? 2 : 1), scientific.ptr, exponent);
  if (value != 0 && (exponent < -4 || exponent >= 6)) return std::string(text);
  return shortest_fixed(value);
}

std::string shortest_fixed(double value) {
  if (const std::string_view name = special(value); !name.empty()) return std::string(name);
  char buffer[512];
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, fixed.ptr};
}

std::string go_quote(std::string_view text) {
  constexpr std::string_view kControls = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t before = i;
    const char32_t c = next_code_point(text, i);
    if (c == 0xFFFD && i - before == 1) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[before]));
    } else if (c < 0x80 && kControls.find(static_cast<char>(c)) != std::string_view::npos) {
      result += '\\';
      result += kNames[kControls.find(static_cast<char>(c))];
    } else if (c < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else if (!is_printable(c)) {
      result += c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(c))
                            : fmt::format("\\U{:08x}", static_cast<unsigned>(c));
    } else {
      result += text.substr(before, i - before);
    }
  }
  return result + "\"";
}

}  // namespace gpusched::cel
