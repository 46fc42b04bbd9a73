#include "io/yaml_scalar.hpp"

#include <algorithm>
#include <charconv>

#include "io/json_token.hpp"

namespace gpusched::io {

namespace {

struct Word {
  std::string_view spelling;
  Kind kind;
  bool infinite = false;
};

constexpr Word kWords[] = {
    {"", Kind::kNull},
    {"~", Kind::kNull},
    {"null", Kind::kNull},
    {"Null", Kind::kNull},
    {"NULL", Kind::kNull},
    {"true", Kind::kTrue},
    {"True", Kind::kTrue},
    {"TRUE", Kind::kTrue},
    {"yes", Kind::kTrue},
    {"Yes", Kind::kTrue},
    {"YES", Kind::kTrue},
    {"on", Kind::kTrue},
    {"On", Kind::kTrue},
    {"ON", Kind::kTrue},
    {"y", Kind::kTrue},
    {"Y", Kind::kTrue},
    {"false", Kind::kFalse},
    {"False", Kind::kFalse},
    {"FALSE", Kind::kFalse},
    {"no", Kind::kFalse},
    {"No", Kind::kFalse},
    {"NO", Kind::kFalse},
    {"off", Kind::kFalse},
    {"Off", Kind::kFalse},
    {"OFF", Kind::kFalse},
    {"n", Kind::kFalse},
    {"N", Kind::kFalse},
    {".nan", Kind::kNumber, true},
    {".NaN", Kind::kNumber, true},
    {".NAN", Kind::kNumber, true},
    {".inf", Kind::kNumber, true},
    {".Inf", Kind::kNumber, true},
    {".INF", Kind::kNumber, true},
    {"+.inf", Kind::kNumber, true},
    {"+.Inf", Kind::kNumber, true},
    {"+.INF", Kind::kNumber, true},
    {"-.inf", Kind::kNumber, true},
    {"-.Inf", Kind::kNumber, true},
    {"-.INF", Kind::kNumber, true},
};

constexpr std::size_t kLongestWord = 5;

struct Based {
  int base = 10;
  std::string_view digits;
};

/// The base by the prefix, as strconv.ParseInt does with base 0.
Based split_base(std::string_view digits) {
  if (digits.size() < 2 || digits[0] != '0') return {10, digits};
  switch (digits[1]) {
    case 'x':
    case 'X':
      return {16, digits.substr(2)};
    case 'o':
    case 'O':
      return {8, digits.substr(2)};
    case 'b':
    case 'B':
      return {2, digits.substr(2)};
    default:
      return {8, digits.substr(1)};
  }
}

std::optional<std::string> as_integer(bool negative, std::string_view unsigned_text) {
  const Based based = split_base(unsigned_text);
  if (based.base == 10) {
    const bool digits =
        !based.digits.empty() && std::ranges::all_of(based.digits, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return std::nullopt;
    return (negative ? "-" : "") + std::string(based.digits);
  }
  std::uint64_t number = 0;
  const char* const end = based.digits.data() + based.digits.size();
  const auto [stop, error] = std::from_chars(based.digits.data(), end, number, based.base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return (negative ? "-" : "") + std::to_string(number);
}

/// go-yaml: `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, written so that JSON takes it.
std::optional<std::string> as_float(bool negative, std::string_view unsigned_text) {
  const std::size_t exponent = std::min(unsigned_text.find_first_of("eE"), unsigned_text.size());
  const std::string_view mantissa = unsigned_text.substr(0, exponent);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string_view whole = mantissa.substr(0, point);
  const std::string_view fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
  if (whole.empty() && fraction.empty()) return std::nullopt;
  while (whole.size() > 1 && whole[0] == '0') whole.remove_prefix(1);
  std::string json = negative ? "-" : "";
  json += whole.empty() ? "0" : whole;
  if (!fraction.empty()) json.append(".").append(fraction);
  json += unsigned_text.substr(exponent);
  if (json_number_length(json) != json.size()) return std::nullopt;
  return json;
}

}  // namespace

YamlScalar resolve_plain_scalar(std::string_view text) {
  if (text.size() <= kLongestWord) {
    const auto* word = std::ranges::find(kWords, text, &Word::spelling);
    if (word != std::end(kWords)) return {word->kind, {}, word->infinite};
  }
  const char first = text[0];
  const bool sign = first == '-' || first == '+';
  if (!sign && first != '.' && (first < '0' || first > '9')) return {};
  std::string plain(text.substr(sign ? 1 : 0));
  if (first != '.') std::erase(plain, '_');
  std::optional<std::string> number = as_integer(first == '-', plain);
  if (!number) number = as_float(first == '-', plain);
  if (!number) return {};
  return {Kind::kNumber, std::move(*number)};
}

}  // namespace gpusched::io
