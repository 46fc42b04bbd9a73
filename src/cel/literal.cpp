#include "cel/literal.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "cel/source.hpp"

namespace gpusched::cel {
namespace {

constexpr std::string_view kCannotUnescape = "unable to unescape string";
constexpr std::string_view kCannotUnescapeOctal = "unable to unescape octal sequence in string";
constexpr std::string_view kInvalidCodePoint = "invalid unicode code point";

std::string normalize_newlines(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
      continue;
    }
    result += '\n';
    if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return result;
}

std::optional<std::uint32_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return std::nullopt;
}

bool is_code_point(std::uint32_t value) {
  return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

/// Reads escape sequences.
class Unescaper {
 public:
  Unescaper(std::string_view text, bool bytes) : text_(text), bytes_(bytes) {}

  std::expected<std::string, std::string_view> run() {
    while (position_ < text_.size() && error_.empty()) step();
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[position_++];
    if (c != '\\') {
      result_ += c;
      return;
    }
    if (position_ == text_.size()) {
      error_ = "unable to unescape string, found '\\' as last character";
      return;
    }
    const char kind = text_[position_++];
    switch (kind) {
      case 'x':
      case 'X':
        return digits(2);
      case 'u':
        return bytes_ ? fail(kCannotUnescape) : digits(4);
      case 'U':
        return bytes_ ? fail(kCannotUnescape) : digits(8);
      case '0':
      case '1':
      case '2':
      case '3':
        return octal(kind);
      default:
        return simple(kind);
    }
  }

  void fail(std::string_view error) { error_ = error; }

  void simple(char kind) {
    constexpr std::string_view kKinds = "abfnrtv\\'\"`?";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
    const std::size_t found = kKinds.find(kind);
    if (found == std::string_view::npos) return fail(kCannotUnescape);
    result_ += kMeanings[found];
  }

  void digits(std::size_t count) {
    if (text_.size() - position_ < count) return fail(kCannotUnescape);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto digit = hex_digit(text_[position_ + i]);
      if (!digit) return fail(kCannotUnescape);
      value = value << 4 | *digit;
    }
    position_ += count;
    emit(value);
  }

  void octal(char first) {
    if (text_.size() - position_ < 2) return fail(kCannotUnescapeOctal);
    auto value = static_cast<std::uint32_t>(first - '0');
    for (int i = 0; i < 2; ++i) {
      const char c = text_[position_++];
      if (c < '0' || c > '7') return fail(kCannotUnescapeOctal);
      value = value * 8 + static_cast<std::uint32_t>(c - '0');
    }
    emit(value);
  }

  void emit(std::uint32_t value) {
    if (bytes_) {
      result_ += static_cast<char>(value);
    } else if (is_code_point(value)) {
      append_utf8(result_, value);
    } else {
      fail(kInvalidCodePoint);
    }
  }

  std::string_view text_;
  bool bytes_;
  std::size_t position_ = 0;
  std::string result_;
  std::string_view error_;
};

}  // namespace

std::expected<std::string, std::string_view> unquote(std::string_view literal, bool bytes) {
  const std::string normalized = normalize_newlines(literal);
  std::string_view text = normalized;
  bool raw = false;
  if (!text.empty() && (text[0] == 'r' || text[0] == 'R')) {
    raw = true;
    text.remove_prefix(1);
  }
  if (text.size() < 2 || text.front() != text.back()) return std::unexpected(kCannotUnescape);
  const bool triple = text.size() >= 6 && (text.starts_with("'''") || text.starts_with("\"\"\""));
  const std::size_t quotes = triple ? 3 : 1;
  text = text.substr(quotes, text.size() - 2 * quotes);
  if (raw || text.find('\\') == std::string_view::npos) return std::string(text);
  return Unescaper(text, bytes).run();
}

std::optional<std::uint64_t> parse_uint(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_int(std::string_view text, int base) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto magnitude = parse_uint(text, base);
  if (!magnitude) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (*magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

/// Underscores of a Go number: only between digits, the base prefix counts as a digit. Returns the text without them.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string result;
  char before = 'x';  // x: start, 0: digit, _: underscore, !: else
  std::size_t i = 0;
  bool hex = false;
  if (text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    result.append(text, 0, 2);
    before = '0';
    hex = true;
    i = 2;
  }
  bool any = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = (c >= '0' && c <= '9') || (hex && hex_digit(c).has_value());
    if (digit) {
      before = '0';
    } else if (c == '_') {
      if (before != '0') return std::nullopt;
      before = '_';
      any = true;
      continue;
    } else {
      if (before == '_') return std::nullopt;
      before = '!';
    }
    result += c;
  }
  if (any && before == '_') return std::nullopt;
  return result;
}

/// Whether a number far from 1 is above it: position of the first digit and exponent together.
bool magnitude_above_one(std::string_view digits, bool hex) {
  const std::size_t mark = digits.find_first_of(hex ? "pP" : "eE");
  const std::string_view mantissa = digits.substr(0, mark);
  std::int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    const std::string_view text = digits.substr(mark + 1);
    constexpr std::int64_t kFar = 1'000'000'000'000;  // farther than any text is long
    exponent = std::clamp(parse_int(text).value_or(text.starts_with('-') ? -kFar : kFar), -kFar, kFar);
  }
  const std::size_t first = mantissa.find_first_not_of("0.");
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const std::int64_t place = point - static_cast<std::int64_t>(first == std::string_view::npos ? 0 : first);
  return place * (hex ? 4 : 1) + exponent > 0;
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  bool negative = false;
  if (text.starts_with('+') || text.starts_with('-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const auto with_sign = [negative](double value) { return negative ? -value : value; };
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity")) {
    return with_sign(std::numeric_limits<double>::infinity());
  }
  // NaN takes no sign in Go.
  if (equals_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const auto clean = without_underscores(text);
  if (!clean) return std::nullopt;
  std::string_view digits = *clean;
  auto format = std::chars_format::general;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    if (digits.find('p') == std::string_view::npos && digits.find('P') == std::string_view::npos) return std::nullopt;
    format = std::chars_format::hex;
  }
  if (digits.empty() || !(digits[0] == '.' || hex_digit(digits[0]))) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
  if (end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small is zero in Go, too large an error.
    if (magnitude_above_one(digits, format == std::chars_format::hex)) return std::nullopt;
    return with_sign(0.0);
  }
  if (error != std::errc()) return std::nullopt;
  return with_sign(value);
}

}  // namespace gpusched::cel
