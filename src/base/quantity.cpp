#include "gpusched/base/quantity.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/quantity_decimal.hpp"
#include "base/quantity_scale.hpp"

namespace gpusched {
namespace {

using detail::Decimal;

__extension__ typedef __int128 int128;

/// a * 10^a_exponent against b * 10^b_exponent, where a_exponent is not the smaller one.
int compare_scaled(std::int64_t a, std::int64_t b, std::int64_t exponent_gap) {
  const auto sign = [](std::int64_t value) { return value == 0 ? 0 : value < 0 ? -1 : 1; };
  if (sign(a) != sign(b) || a == 0) {
    return sign(a) < sign(b) ? -1 : sign(a) > sign(b) ? 1 : 0;
  }
  if (exponent_gap > 18) {
    return sign(a);  // 10^19 is above every int64
  }
  int128 scaled = a;
  for (std::int64_t i = 0; i < exponent_gap; ++i) {
    scaled *= 10;
  }
  return scaled < b ? -1 : scaled > b ? 1 : 0;
}

/// 10^power in the steps of Go's math.Pow10, because CEL prints what comes out.
double go_pow10(std::int64_t power) {
  static constexpr std::array<double, 32> kUnits = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
                                                    1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                                    1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  static constexpr std::array<double, 10> kLarge = {1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr std::array<double, 11> kSmall = {1e-0,   1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                                    1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (power > 308) {
    return std::numeric_limits<double>::infinity();
  }
  if (power < -323) {
    return 0;
  }
  const auto size = static_cast<std::size_t>(power < 0 ? -power : power);
  return power < 0 ? kSmall[size / 32] / kUnits[size % 32] : kLarge[size / 32] * kUnits[size % 32];
}

}  // namespace

Quantity Quantity::from_int64(std::int64_t value, QuantityFormat format) {
  return from_scaled(value, 0, format);
}

Quantity Quantity::from_milli(std::int64_t value, QuantityFormat format) {
  return from_scaled(value, -3, format);
}

Quantity Quantity::from_scaled(std::int64_t mantissa, std::int32_t exponent, QuantityFormat format) {
  Quantity quantity;
  quantity.mantissa_ = mantissa;
  quantity.exponent_ = exponent;
  quantity.format_ = format;
  return quantity;
}

std::int64_t Quantity::scaled_value(std::int32_t scale) const {
  if (decimal_) {
    return decimal_->scaled_value(detail::wrap_sub32(0, scale));
  }
  if (exponent_ < scale) {
    return detail::scale_down(mantissa_, detail::wrap_sub32(scale, exponent_)).value;
  }
  return detail::scale_up_overflowing(mantissa_, detail::wrap_sub32(exponent_, scale));
}

std::optional<std::int64_t> Quantity::as_int64() const {
  if (decimal_ || exponent_ < 0) {
    return std::nullopt;
  }
  return detail::scale_up(mantissa_, exponent_);
}

bool Quantity::is_integer() const {
  if (decimal_) {
    return decimal_->is_zero() || decimal_->exponent() >= 0;
  }
  return exponent_ >= 0 || detail::scale_down(mantissa_, detail::wrap_sub32(0, exponent_)).exact;
}

int Quantity::sign() const {
  if (decimal_) {
    return decimal_->sign();
  }
  return mantissa_ == 0 ? 0 : mantissa_ < 0 ? -1 : 1;
}

double Quantity::as_approximate_double() const {
  const double base = decimal_ ? decimal_->unscaled_double() : static_cast<double>(mantissa_);
  const std::int64_t exponent = decimal_ ? -std::int64_t{decimal_->scale} : exponent_;
  return exponent == 0 ? base : base * go_pow10(exponent);
}

int Quantity::compare(const Quantity& other) const {
  if (decimal_ || other.decimal_) {
    return to_decimal().compare(other.to_decimal());
  }
  const std::int64_t gap = std::int64_t{exponent_} - other.exponent_;
  return gap >= 0 ? compare_scaled(mantissa_, other.mantissa_, gap) : -compare_scaled(other.mantissa_, mantissa_, -gap);
}

void Quantity::add(const Quantity& other) {
  text_.clear();
  if (is_zero()) {
    format_ = other.format_;
  }
  if (!decimal_ && !other.decimal_ && add_mantissa(other.mantissa_, other.exponent_)) {
    return;
  }
  Decimal sum = to_decimal();
  sum.add(other.to_decimal());
  set_decimal(std::move(sum));
}

void Quantity::sub(const Quantity& other) {
  text_.clear();
  if (is_zero()) {
    format_ = other.format_;
  }
  if (!decimal_ && !other.decimal_ && add_mantissa(detail::wrap_negate(other.mantissa_), other.exponent_)) {
    return;
  }
  Decimal difference = to_decimal();
  Decimal taken = other.to_decimal();
  taken.negative = !taken.negative && !taken.is_zero();
  difference.add(taken);
  set_decimal(std::move(difference));
}

bool Quantity::round_up(std::int32_t scale) {
  if (decimal_) {
    text_.clear();
    Decimal rounded = *decimal_;
    const bool exact = rounded.round_up(detail::wrap_sub32(0, scale));
    set_decimal(std::move(rounded));
    return exact;
  }
  if (exponent_ >= scale) {
    return true;
  }
  text_.clear();
  const detail::ScaledDown rounded = detail::scale_down(mantissa_, detail::wrap_sub32(scale, exponent_));
  mantissa_ = rounded.value;
  exponent_ = scale;
  return rounded.exact;
}

detail::Decimal Quantity::to_decimal() const {
  return decimal_ ? *decimal_ : Decimal{mantissa_, detail::wrap_sub32(0, exponent_)};
}

void Quantity::set_decimal(detail::Decimal decimal) {
  decimal_ = std::make_shared<const Decimal>(std::move(decimal));
  mantissa_ = 0;
  exponent_ = 0;
}

/// Returns false and changes nothing when the sum does not fit an int64 mantissa at the smaller exponent.
bool Quantity::add_mantissa(std::int64_t mantissa, std::int32_t exponent) {
  if (mantissa == 0) {
    return true;
  }
  if (mantissa_ == 0) {
    mantissa_ = mantissa;
    exponent_ = exponent;
    return true;
  }
  const auto mine = detail::scale_up(mantissa_, detail::wrap_sub32(exponent_, std::min(exponent_, exponent)));
  const auto theirs = detail::scale_up(mantissa, detail::wrap_sub32(exponent, std::min(exponent_, exponent)));
  std::int64_t sum = 0;
  if (!mine || !theirs || __builtin_add_overflow(*mine, *theirs, &sum)) {
    return false;
  }
  mantissa_ = sum;
  exponent_ = std::min(exponent_, exponent);
  return true;
}

}  // namespace gpusched
