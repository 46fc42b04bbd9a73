#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/quantity_decimal.hpp"
#include "base/quantity_scale.hpp"
#include "gpusched/base/quantity.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched {
namespace {

using detail::Decimal;

constexpr std::int32_t kNano = -9;

/// The parts of "-1.5e3": sign, "1", "5", "e3".
struct Parts {
  bool negative = false;
  std::string_view whole;  ///< without leading zeros, so it may be empty
  std::string_view fraction;
  std::string_view suffix;
  bool has_digits = false;  ///< a digit stands somewhere before the suffix
};

struct Suffix {
  QuantityFormat format = QuantityFormat::kDecimalSi;
  std::int32_t exponent = 0;  ///< of 2 in the binary format, else of 10
};

/// Takes the longest prefix of characters that `accept` wants.
template <class Accept>
std::string_view take_while(std::string_view& rest, Accept accept) {
  std::size_t length = 0;
  while (length < rest.size() && accept(rest[length])) {
    ++length;
  }
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(length);
  return taken;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_suffix_letter(char c) {
  return std::string_view{"eEinumkKMGTP"}.find(c) != std::string_view::npos;
}

bool take_sign(std::string_view& rest) {
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  return negative;
}

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  std::string_view rest = text;
  parts.negative = take_sign(rest);
  parts.has_digits = !take_while(rest, [](char c) { return c == '0'; }).empty();
  parts.whole = take_while(rest, is_digit);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    parts.fraction = take_while(rest, is_digit);
  }
  parts.has_digits |= !parts.whole.empty() || !parts.fraction.empty();
  parts.suffix = rest;
  take_while(rest, is_suffix_letter);
  take_sign(rest);
  take_while(rest, is_digit);
  return rest.empty() ? std::optional{parts} : std::nullopt;
}

std::optional<Suffix> interpret_suffix(std::string_view text) {
  static constexpr std::pair<std::string_view, Suffix> kSuffixes[] = {
      {"", {QuantityFormat::kDecimalSi, 0}},   {"n", {QuantityFormat::kDecimalSi, -9}},
      {"u", {QuantityFormat::kDecimalSi, -6}}, {"m", {QuantityFormat::kDecimalSi, -3}},
      {"k", {QuantityFormat::kDecimalSi, 3}},  {"M", {QuantityFormat::kDecimalSi, 6}},
      {"G", {QuantityFormat::kDecimalSi, 9}},  {"T", {QuantityFormat::kDecimalSi, 12}},
      {"P", {QuantityFormat::kDecimalSi, 15}}, {"E", {QuantityFormat::kDecimalSi, 18}},
      {"Ki", {QuantityFormat::kBinarySi, 10}}, {"Mi", {QuantityFormat::kBinarySi, 20}},
      {"Gi", {QuantityFormat::kBinarySi, 30}}, {"Ti", {QuantityFormat::kBinarySi, 40}},
      {"Pi", {QuantityFormat::kBinarySi, 50}}, {"Ei", {QuantityFormat::kBinarySi, 60}},
  };
  for (const auto& [name, suffix] : kSuffixes) {
    if (text == name) {
      return suffix;
    }
  }
  if (!text.starts_with('e') && !text.starts_with('E')) {
    return std::nullopt;
  }
  text.remove_prefix(text.substr(1).starts_with('+') ? 2 : 1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  // The original keeps the low 32 bits: 1e4294967296 is 1.
  return Suffix{QuantityFormat::kDecimalExponent, static_cast<std::int32_t>(exponent)};
}

struct Mantissa {
  std::int64_t magnitude = 0;  ///< digits alone, before the binary suffix is multiplied in
  std::int64_t value = 0;      ///< with sign and binary suffix
  std::int32_t exponent = 0;   ///< of 10
};

/// The int64 form; which texts get it decides how overflow and rounding behave later, so the limits are the original's.
std::optional<Mantissa> to_mantissa(const Parts& parts, const Suffix& suffix) {
  const bool binary = suffix.format == QuantityFormat::kBinarySi;
  const std::size_t digits = (parts.whole.empty() ? 1 : parts.whole.size()) + parts.fraction.size();
  const std::size_t limit = binary ? 14 : 18;
  const std::size_t used = binary ? static_cast<std::size_t>(suffix.exponent) * 3 / 10 : 0;
  if (digits + used > limit || (binary && !parts.fraction.empty())) {
    return std::nullopt;
  }
  Mantissa result;
  result.exponent = detail::wrap_sub32(binary ? 0 : suffix.exponent, static_cast<std::int32_t>(parts.fraction.size()));
  if (result.exponent < kNano) {
    return std::nullopt;
  }
  for (const std::string_view part : {parts.whole, parts.fraction}) {
    for (const char digit : part) {
      result.magnitude = result.magnitude * 10 + (digit - '0');
    }
  }
  const std::int64_t factor = binary ? std::int64_t{1} << suffix.exponent : 1;
  if (__builtin_mul_overflow(result.magnitude, factor, &result.value)) {
    return std::nullopt;
  }
  result.value = parts.negative ? -result.value : result.value;
  return result;
}

/// Whether Kubernetes takes the text for canonical and prints it as it was written.
bool keeps_text(const Parts& parts, const Suffix& suffix, const Mantissa& mantissa) {
  if (suffix.format == QuantityFormat::kBinarySi) {
    return mantissa.magnitude % 8 != 0;
  }
  return mantissa.exponent % 3 == 0 && mantissa.magnitude % 1000 != 0 && !parts.whole.empty();
}

/// The decimal form: rounded up to 10^-9, binary amounts capped. May change the format.
Decimal to_decimal(const Parts& parts, const Suffix& suffix, QuantityFormat& format) {
  const bool binary = suffix.format == QuantityFormat::kBinarySi;
  Decimal amount;
  amount.magnitude = detail::BigUnsigned::from_digits(std::string(parts.whole).append(parts.fraction));
  amount.scale = detail::wrap_sub32(static_cast<std::int32_t>(parts.fraction.size()), binary ? 0 : suffix.exponent);
  for (std::int32_t power = binary ? suffix.exponent : 0; power > 0; power -= 10) {
    amount.magnitude.multiply(1024);
  }
  amount.normalize();
  if (amount.is_zero()) {
    return amount;
  }
  amount.round_up(-kNano);
  if (binary) {
    static const Decimal kMax{std::numeric_limits<std::int64_t>::max(), 0};
    static const Decimal kOne{1, 0};
    if (amount.compare(kMax) > 0) {
      amount = kMax;
    } else if (amount.compare(kOne) < 0) {
      format = QuantityFormat::kDecimalSi;
    }
  }
  amount.negative = parts.negative;
  return amount;
}

}  // namespace

std::string_view kubernetes_text(QuantityError error) {
  switch (error) {
    case QuantityError::kNumeric:
      return "unable to parse numeric part of quantity";
    case QuantityError::kSuffix:
      return "unable to parse quantity's suffix";
    case QuantityError::kFormatWrong:
      break;
  }
  return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

std::expected<Quantity, QuantityError> try_parse_quantity(std::string_view text) {
  const auto parts = split(text);
  if (text.empty() || !parts) {
    return std::unexpected(QuantityError::kFormatWrong);
  }
  const auto suffix = interpret_suffix(parts->suffix);
  if (!suffix) {
    return std::unexpected(QuantityError::kSuffix);
  }
  Quantity quantity;
  quantity.format_ = suffix->format;
  if (const auto mantissa = to_mantissa(*parts, *suffix)) {
    quantity.mantissa_ = mantissa->value;
    quantity.exponent_ = mantissa->exponent;
    if (keeps_text(*parts, *suffix, *mantissa)) {
      quantity.text_ = text;
    }
    return quantity;
  }
  if (!parts->has_digits) {
    return std::unexpected(QuantityError::kNumeric);
  }
  quantity.set_decimal(to_decimal(*parts, *suffix, quantity.format_));
  return quantity;
}

Result<Quantity> parse_quantity(std::string_view text) {
  auto quantity = try_parse_quantity(text);
  if (quantity) {
    return *std::move(quantity);
  }
  constexpr std::string_view kAllowed =
      "allowed is a decimal number and one suffix of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent like e3";
  const std::string_view what = quantity.error() == QuantityError::kSuffix    ? "has an unknown suffix"
                                : quantity.error() == QuantityError::kNumeric ? "has no digits"
                                                                              : "is not a number with a suffix";
  const std::string_view hint = text.find_first_of(" \t\r\n") == std::string_view::npos ? "" : "remove the white space";
  return fail("quantity-syntax", fmt::format("quantity {} {}; {}", quote(text), what, kAllowed), std::string(hint));
}

}  // namespace gpusched
