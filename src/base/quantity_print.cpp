#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/quantity_decimal.hpp"
#include "base/quantity_scale.hpp"
#include "gpusched/base/quantity.hpp"

namespace gpusched {
namespace {

using detail::Decimal;

/// Longer binary amounts are printed with decimal suffixes (see Quantity).
constexpr std::int64_t kMaxBinaryDigits = 10'000;

/// An amount as it is printed: digits * base^exponent.
struct Canonical {
  std::string digits;
  std::int32_t exponent = 0;
};

/// Beyond the last suffix Kubernetes prints none at all.
std::string_view decimal_suffix(std::int32_t exponent) {
  static constexpr std::array<std::string_view, 10> kSuffixes = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  const bool known = exponent >= -9 && exponent <= 18;
  return known ? kSuffixes[static_cast<std::size_t>(exponent / 3 + 3)] : std::string_view{};
}

std::string with_binary_suffix(Canonical canonical) {
  static constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  if (canonical.exponent < 7) {
    canonical.digits += kSuffixes[static_cast<std::size_t>(canonical.exponent)];
  }
  return std::move(canonical.digits);
}

/// The largest exponent that is a multiple of three and leaves whole digits.
Canonical canonical_decimal(const Decimal& decimal) {
  detail::BigUnsigned digits = decimal.magnitude;
  auto exponent = static_cast<std::int32_t>(static_cast<std::uint32_t>(decimal.exponent()));
  while (exponent % 3 != 0) {
    digits.multiply(10);
    exponent = detail::wrap_sub32(exponent, 1);
  }
  return {(decimal.negative ? "-" : "") + digits.to_string(), exponent};
}

Canonical canonical_decimal(std::int64_t mantissa, std::int32_t exponent) {
  std::int64_t digits = mantissa;
  std::int32_t power = exponent;
  while (digits % 10 == 0 && digits != 0) {
    digits /= 10;
    power = detail::wrap_add32(power, 1);
  }
  // The remainder is taken once: after a wrap around the end of int32 a second look would differ from the original.
  for (std::int32_t steps = (power % 3 + 3) % 3; steps > 0; --steps) {
    if (__builtin_mul_overflow(digits, std::int64_t{10}, &digits)) {
      return canonical_decimal(Decimal{mantissa, detail::wrap_sub32(0, exponent)});
    }
    power = detail::wrap_sub32(power, 1);
  }
  return {fmt::format("{}", digits), power};
}

Canonical canonical_binary(const Decimal& decimal) {
  detail::BigUnsigned digits = decimal.magnitude;
  digits.multiply_pow10(static_cast<std::size_t>(decimal.exponent()));
  Canonical result;
  for (detail::BigUnsigned rest = digits; !rest.is_zero() && rest.divide(1024) == 0; ++result.exponent) {
    digits = rest;
  }
  result.digits = (decimal.negative ? "-" : "") + digits.to_string();
  return result;
}

Canonical canonical_binary(std::int64_t value) {
  Canonical result;
  // The smallest int64 keeps its digits: the original cannot negate it.
  const bool reducible = value != std::numeric_limits<std::int64_t>::min();
  while (reducible && std::abs(value) >= 1024 && value % 1024 == 0) {
    value /= 1024;
    ++result.exponent;
  }
  result.digits = fmt::format("{}", value);
  return result;
}

}  // namespace

std::string Quantity::to_string() const {
  if (!text_.empty()) {
    return text_;
  }
  if (is_zero()) {
    return "0";
  }
  // Small and fractional binary amounts would have to be rounded, so they get a decimal suffix.
  if (format_ == QuantityFormat::kBinarySi && is_integer() &&
      (compare(from_int64(-1024)) <= 0 || compare(from_int64(1024)) >= 0)) {
    if (const auto value = as_whole_int64()) {
      return with_binary_suffix(canonical_binary(*value));
    }
    if (const Decimal decimal = to_decimal(); decimal.digit_count() <= kMaxBinaryDigits) {
      return with_binary_suffix(canonical_binary(decimal));
    }
  }
  const Canonical canonical = decimal_ ? canonical_decimal(*decimal_) : canonical_decimal(mantissa_, exponent_);
  if (format_ != QuantityFormat::kDecimalExponent) {
    return canonical.digits + std::string(decimal_suffix(canonical.exponent));
  }
  return canonical.exponent == 0 ? canonical.digits : fmt::format("{}e{}", canonical.digits, canonical.exponent);
}

/// The amount of an int64 mantissa in whole units; nothing when it does not fit or the mantissa is a decimal.
std::optional<std::int64_t> Quantity::as_whole_int64() const {
  if (decimal_) {
    return std::nullopt;
  }
  return exponent_ < 0 ? std::optional{scaled_value(0)} : detail::scale_up(mantissa_, exponent_);
}

}  // namespace gpusched
