#include "cel/format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <range/v3/algorithm/stable_sort.hpp>

#include "cel/conversions.hpp"
#include "cel/literal.hpp"
#include "cel/map.hpp"
#include "cel/numbers.hpp"
#include "cel/source.hpp"

namespace gpusched::cel {
namespace {

constexpr std::size_t kDefaultPrecision = 6;
using Text = std::expected<std::string, std::string>;
using Error = std::unexpected<std::string>;

/// The digits behind a point; -1 with a message when they are no number.
std::string parse_precision(std::string_view format, std::size_t& i, FormatClause& clause) {
  if (format[i] != '.') return {};
  const std::size_t begin = ++i;
  while (i < format.size() && format[i] >= '0' && format[i] <= '9') ++i;
  if (i == format.size()) return "error while parsing precision: could not find end of precision specifier";
  const std::string_view digits = format.substr(begin, i - begin);
  const auto value = parse_int(digits);
  if (!value) {
    return fmt::format(
        "error while parsing precision: error while converting precision to integer: strconv.Atoi: "
        "parsing {}: {}",
        go_quote(digits), digits.empty() ? "invalid syntax" : "value out of range");
  }
  clause.precision = static_cast<std::size_t>(*value);
  return {};
}

/// Digits in groups of three.
std::string grouped(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// Infinity and NaN in the locale's symbols.
std::string special(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "∞" : "-∞";
}

Text format_value(const Value& value);

std::string quoted_for_cel(const Value& value, std::string text) {
  if (value.is(Kind::kString)) return go_quote(text);
  if (value.is(Kind::kBytes)) return "b" + go_quote(text);
  if (value.is(Kind::kDouble) && !std::isfinite(value.real)) return go_quote(text);
  return text;
}

/// An element of a list or map.
Text format_element(const Value& value) {
  switch (value.kind) {
    case Kind::kTimestamp:
    case Kind::kDuration: {
      const auto text = format_value(value);
      return fmt::format("{}({})", value.is(Kind::kTimestamp) ? "timestamp" : "duration", go_quote(*text));
    }
    case Kind::kDouble:
      if (!std::isfinite(value.real)) return quoted_for_cel(value, shortest(value.real));
      return fmt::format("{:.6f}", value.real);
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kBool:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kNull:
    case Kind::kType:
    case Kind::kList:
    case Kind::kMap: {
      auto text = format_value(value);
      if (!text) return text;
      return quoted_for_cel(value, std::move(*text));
    }
    default:
      return Error(fmt::format("no formatting function for {}", type_name(value)));
  }
}

Text format_list(std::span<const Value> items) {
  std::string text = "[";
  for (const Value& item : items) {
    auto part = format_element(item);
    if (!part) return part;
    if (text.size() > 1) text += ", ";
    text += *part;
  }
  return text + "]";
}

Text format_map(const MapValue& map) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const MapEntry& entry : map.all()) {
    switch (entry.key.kind) {
      case Kind::kString:
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kUint:
        break;
      default:
        return Error(fmt::format("no formatting function for map key of type {}", type_name(entry.key)));
    }
    auto key = format_element(entry.key);
    auto value = format_element(entry.value);
    if (!value) return value;
    parts.emplace_back(std::move(*key), std::move(*value));
  }
  ranges::stable_sort(parts, {}, &std::pair<std::string, std::string>::first);
  std::string text = "{";
  for (const auto& [key, value] : parts) text += (text.size() > 1 ? ", " : "") + key + ":" + value;
  return text + "}";
}

/// %s
Text format_value(const Value& value) {
  switch (value.kind) {
    case Kind::kList:
      return format_list(items_of(value));
    case Kind::kMap:
      return format_map(*value.map);
    case Kind::kNull:
      return "null";
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kBool:
    case Kind::kString:
    case Kind::kTimestamp:
    case Kind::kBytes:
    case Kind::kDuration:
    case Kind::kType:
      break;
    default:
      return Error(format_type_error('s', type_name(value)));
  }
  Heap heap;
  const Value text = to_string_value(heap, value);
  if (text.is_error()) return Error(fmt::format("could not convert argument {} to string", go_quote(text.view())));
  return std::string(text.view());
}

/// An integer in another base, with its sign.
std::string in_base(const Value& value, char verb) {
  const bool negative = value.is(Kind::kInt) && value.integer < 0;
  const std::uint64_t magnitude = negative ? 0 - value.natural : value.natural;
  const std::string sign = negative ? "-" : "";
  switch (verb) {
    case 'b':
      return sign + fmt::format("{:b}", magnitude);
    case 'o':
      return sign + fmt::format("{:o}", magnitude);
    case 'x':
      return sign + fmt::format("{:x}", magnitude);
    case 'X':
      return sign + fmt::format("{:X}", magnitude);
    default:
      return sign + fmt::format("{}", magnitude);
  }
}

std::string hex_bytes(std::string_view bytes, bool upper) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += upper ? fmt::format("{:02X}", byte) : fmt::format("{:02x}", byte);
  }
  return text;
}

/// %f and %e take doubles and three names.
Text format_real(const FormatClause& clause, const Value& value) {
  double real = value.real;
  if (value.is(Kind::kString) && (value.view() == "NaN" || value.view() == "Infinity" || value.view() == "-Infinity")) {
    real = *parse_double(value.view());
  } else if (!value.is(Kind::kDouble)) {
    return Error(format_type_error(clause.verb, type_name(value)));
  }
  const std::size_t precision = clause.precision.value_or(kDefaultPrecision);
  return clause.verb == 'f' ? format_fixed(real, precision) : format_scientific(real, precision);
}

Text format_clause(const FormatClause& clause, const Value& value) {
  const bool integer = value.is(Kind::kInt) || value.is(Kind::kUint);
  switch (clause.verb) {
    case 's':
      return format_value(value);
    case 'f':
    case 'e':
      return format_real(clause, value);
    case 'b':
      if (value.is(Kind::kBool)) return value.truth ? "1" : "0";
      break;
    case 'x':
    case 'X':
      if (value.is(Kind::kString) || value.is(Kind::kBytes)) return hex_bytes(value.view(), clause.verb == 'X');
      break;
    default:
      break;
  }
  if (!integer) return Error(format_type_error(clause.verb, type_name(value)));
  return in_base(value, clause.verb);
}

}  // namespace

std::string format_type_error(char verb, std::string_view type) {
  std::string_view rule;
  switch (verb) {
    case 'b':
      rule = "only integers and bools can be formatted as binary";
      break;
    case 'd':
      rule = "decimal clause can only be used on integers";
      break;
    case 'f':
      rule = "fixed-point clause can only be used on doubles";
      break;
    case 'e':
      rule = "scientific clause can only be used on doubles";
      break;
    case 'o':
      rule = "octal clause can only be used on integers";
      break;
    case 'x':
    case 'X':
      rule = "only integers, byte buffers, and strings can be formatted as hex";
      break;
    default:
      rule =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
          "timestamps";
  }
  return fmt::format("{}, was given {}", rule, type);
}

std::string format_fixed(double value, std::size_t precision) {
  if (!std::isfinite(value)) return special(value);
  // golang.org/x/text keeps the number of decimals in a byte.
  const std::string digits = fmt::format("{:.{}f}", std::fabs(value), precision % 256);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return (value < 0 ? "-" : "") + grouped(std::string_view(digits).substr(0, point)) + digits.substr(point);
}

std::string format_scientific(double value, std::size_t precision) {
  constexpr std::string_view kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  if (!std::isfinite(value)) {
    text = special(value);
  } else {
    const std::string plain = fmt::format("{:.6e}", std::fabs(value));
    const std::size_t mark = plain.find('e');
    text = (value < 0 ? "-" : "") + plain.substr(0, mark) + "×10";
    if (plain[mark + 1] == '-') text += "⁻";
    for (const char digit : std::string_view(plain).substr(mark + 2)) text += kSuperscripts[digit - '0'];
  }
  // The original takes the precision for a width.
  const std::size_t width = count_code_points(text);
  return width < precision ? std::string(precision - width, ' ') + text : text;
}

std::string walk_format(std::string_view format, std::size_t arguments, bool checking,
                        const std::function<void(std::string_view)>& text,
                        const std::function<std::string(const FormatClause&)>& clause) {
  std::size_t argument = 0;
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      const std::size_t end = std::min(format.find('%', i), format.size());
      text(format.substr(i, end - i));
      i = end;
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      text("%");
      i += 2;
      continue;
    }
    const bool at_end = i + 1 >= format.size();
    if (at_end && (checking || argument < arguments)) return "unexpected end of string";
    if (argument >= arguments) return fmt::format("index {} out of range", argument);
    FormatClause found;
    found.argument = argument++;
    ++i;
    if (std::string error = parse_precision(format, i, found); !error.empty()) {
      return "could not parse formatting clause: " + error;
    }
    found.verb = format[i++];
    if (std::string_view("sdfebxXo").find(found.verb) == std::string_view::npos) {
      std::string shown;
      append_utf8(shown, static_cast<unsigned char>(found.verb));
      return fmt::format("could not parse formatting clause: unrecognized formatting clause \"{}\"", shown);
    }
    if (std::string error = clause(found); !error.empty()) return "error during formatting: " + error;
  }
  return {};
}

std::expected<std::string, std::string> format_string(std::string_view format, std::span<const Value> args) {
  std::string result;
  std::string error = walk_format(
      format, args.size(), false, [&result](std::string_view text) { result += text; },
      [&result, args](const FormatClause& clause) {
        const auto part = format_clause(clause, args[clause.argument]);
        if (!part) return part.error();
        result += *part;
        return std::string();
      });
  if (!error.empty()) return Error(std::move(error));
  return result;
}

}  // namespace gpusched::cel
