#pragma once

#include <cstdint>

#include "base/quantity_big.hpp"

namespace gpusched::detail {

/// The decimal number that Kubernetes falls back to (inf.Dec): unscaled / 10^scale with an unscaled integer of any
/// size. The scale is kept apart from the amount because Kubernetes' overflow behaviour depends on it. Here the
/// unscaled integer is magnitude * 10^zeros, which keeps 1e1000000 small.
struct Decimal {
  BigUnsigned magnitude;  ///< no trailing decimal zero
  std::int64_t zeros = 0;
  std::int32_t scale = 0;
  bool negative = false;

  Decimal() = default;
  Decimal(std::int64_t unscaled, std::int32_t scale_of_unscaled);

  [[nodiscard]] bool is_zero() const { return magnitude.is_zero(); }
  [[nodiscard]] int sign() const { return is_zero() ? 0 : negative ? -1 : 1; }
  /// Of the magnitude: the amount is magnitude * 10^exponent().
  [[nodiscard]] std::int64_t exponent() const { return zeros - scale; }
  /// Digits before the decimal point, negative for zeros after it.
  [[nodiscard]] std::int64_t digit_count() const {
    return static_cast<std::int64_t>(magnitude.digit_count()) + exponent();
  }
  /// The unscaled integer, wrapped to 64 bits.
  [[nodiscard]] std::int64_t unscaled_int64() const;
  /// Whether the unscaled integer is below 2^63-1.
  [[nodiscard]] bool unscaled_below_max_int64() const;
  /// In units of 10^-new_scale, with the rounding and the overflow of Kubernetes.
  [[nodiscard]] std::int64_t scaled_value(std::int64_t new_scale) const;
  /// The unscaled integer as the nearest double.
  [[nodiscard]] double unscaled_double() const;

  void normalize();
  /// Sets the scale, rounding away from zero; returns whether the amount stayed the same.
  bool round_up(std::int32_t new_scale);
  void add(const Decimal& other);

  /// -1, 0 or 1.
  [[nodiscard]] int compare(const Decimal& other) const;
};

}  // namespace gpusched::detail
