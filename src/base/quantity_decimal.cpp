#include "base/quantity_decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "base/quantity_scale.hpp"

namespace gpusched::detail {
namespace {

/// Adding needs that many digits at most; a smaller part far behind the last digit is left out (see Quantity).
constexpr std::int64_t kMaxGapDigits = 1'000'000;

std::uint64_t pow10_modulo_2_64(std::int64_t power) {
  if (power >= 64) {
    return 0;  // 10^64 is a multiple of 2^64
  }
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < power; ++i) {
    value *= 10;
  }
  return value;
}

std::int64_t wrapped(std::uint64_t magnitude, bool negative) {
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

/// 10^power as Kubernetes gets it on amd64, from a double that does not fit int64 for power > 18.
std::int64_t pow10_int64(std::int64_t power) {
  return power > 18 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(pow10_modulo_2_64(power));
}

int compare_magnitudes(const Decimal& a, const Decimal& b) {
  const std::int64_t a_count = a.digit_count();
  const std::int64_t b_count = b.digit_count();
  if (a_count != b_count) {
    return a_count < b_count ? -1 : 1;
  }
  const std::int64_t gap = a.exponent() - b.exponent();
  BigUnsigned a_digits = a.magnitude;
  BigUnsigned b_digits = b.magnitude;
  (gap > 0 ? a_digits : b_digits).multiply_pow10(static_cast<std::size_t>(gap > 0 ? gap : -gap));
  return a_digits.compare(b_digits);
}

}  // namespace

Decimal::Decimal(std::int64_t unscaled, std::int32_t scale_of_unscaled)
    : magnitude(unscaled < 0 ? 0 - static_cast<std::uint64_t>(unscaled) : static_cast<std::uint64_t>(unscaled)),
      scale(scale_of_unscaled),
      negative(unscaled < 0) {
  normalize();
}

std::int64_t Decimal::unscaled_int64() const {
  return wrapped(magnitude.modulo_2_64() * pow10_modulo_2_64(zeros), negative);
}

bool Decimal::unscaled_below_max_int64() const {
  if (sign() <= 0) {
    return true;
  }
  if (static_cast<std::int64_t>(magnitude.digit_count()) + zeros > 19) {
    return false;
  }
  return magnitude.modulo_2_64() * pow10_modulo_2_64(zeros) <
         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

std::int64_t Decimal::scaled_value(std::int64_t new_scale) const {
  const std::int64_t cut = scale - new_scale;
  const std::int64_t unscaled = unscaled_int64();
  if (cut <= 0) {
    return wrap_multiply(unscaled, pow10_int64(-cut));
  }
  if (cut < 19 && unscaled_below_max_int64()) {
    const std::int64_t divisor = pow10_int64(cut);
    return unscaled / divisor + (unscaled % divisor != 0 ? 1 : 0);
  }
  if (cut <= zeros) {
    return wrapped(magnitude.modulo_2_64() * pow10_modulo_2_64(zeros - cut), negative);
  }
  BigUnsigned quotient = magnitude;
  const bool inexact = quotient.divide_pow10(static_cast<std::size_t>(cut - zeros));
  // The original divides downwards and then adds one, so a negative amount is rounded towards zero here.
  const std::uint64_t up = inexact && !negative ? 1 : 0;
  return wrapped(quotient.modulo_2_64() + up, negative);
}

double Decimal::unscaled_double() const {
  const std::string text = fmt::format("{}{}e{}", negative ? "-" : "", magnitude.to_string(), zeros);
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
    value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return value;
}

void Decimal::normalize() {
  if (magnitude.is_zero()) {
    zeros = 0;
    negative = false;
    return;
  }
  const std::size_t trailing = magnitude.trailing_zeros();
  magnitude.divide_pow10(trailing);
  zeros += static_cast<std::int64_t>(trailing);
}

bool Decimal::round_up(std::int32_t new_scale) {
  // Wraps like the original's int32 where an exponent is at the end of its range.
  const std::int64_t shift = wrap_sub32(new_scale, scale);
  scale = new_scale;
  if (is_zero()) {
    return true;
  }
  zeros += shift;
  if (zeros >= 0) {
    return true;
  }
  const bool inexact = magnitude.divide_pow10(static_cast<std::size_t>(-zeros));
  zeros = 0;
  if (inexact) {
    magnitude.add(BigUnsigned{1});
  }
  normalize();
  return !inexact;
}

void Decimal::add(const Decimal& other) {
  const std::int32_t new_scale = std::max(scale, other.scale);
  const auto rescaled = [new_scale](Decimal decimal) {
    decimal.zeros += decimal.is_zero() ? 0 : std::int64_t{new_scale} - decimal.scale;
    decimal.scale = new_scale;
    return decimal;
  };
  Decimal high = rescaled(*this);
  Decimal low = rescaled(other);
  if (high.is_zero() || (!low.is_zero() && high.zeros < low.zeros)) {
    std::swap(high, low);
  }
  if (!low.is_zero() && high.zeros - low.digit_count() - new_scale <= kMaxGapDigits) {
    high.magnitude.multiply_pow10(static_cast<std::size_t>(high.zeros - low.zeros));
    high.zeros = low.zeros;
    if (high.negative == low.negative) {
      high.magnitude.add(low.magnitude);
    } else {
      if (high.magnitude.compare(low.magnitude) < 0) {
        std::swap(high, low);
      }
      high.magnitude.subtract(low.magnitude);
    }
    high.normalize();
  }
  *this = std::move(high);
}

int Decimal::compare(const Decimal& other) const {
  if (sign() != other.sign() || is_zero()) {
    return sign() == other.sign() ? 0 : sign() < other.sign() ? -1 : 1;
  }
  const int order = compare_magnitudes(*this, other);
  return negative ? -order : order;
}

}  // namespace gpusched::detail
