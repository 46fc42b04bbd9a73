#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace gpusched::detail {

// Kubernetes computes exponents in int32 and lets them wrap; so do these.
[[nodiscard]] constexpr std::int32_t wrap_add32(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr std::int32_t wrap_sub32(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr std::int64_t wrap_negate(std::int64_t a) {
  return wrap_multiply(a, -1);
}

/// value * 10^power, nothing when it does not fit. A power below zero counts as zero, as in the original.
[[nodiscard]] constexpr std::optional<std::int64_t> scale_up(std::int64_t value, std::int32_t power) {
  if (value == 0) {
    return 0;
  }
  for (std::int32_t i = 0; i < power; ++i) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) {
      return std::nullopt;
    }
  }
  return value;
}

/// value * 10^power with what the original gives when it does not fit: the product wraps for the powers that it
/// multiplies in one step, otherwise it is 0.
[[nodiscard]] constexpr std::int64_t scale_up_overflowing(std::int64_t value, std::int32_t power) {
  if (const auto exact = scale_up(value, power)) {
    return *exact;
  }
  const bool one_step = power <= 3 || power == 6 || power == 9;
  if (!one_step || value == std::numeric_limits<std::int64_t>::min()) {
    return 0;
  }
  for (std::int32_t i = 0; i < power; ++i) {
    value = wrap_multiply(value, 10);
  }
  return value;
}

struct ScaledDown {
  std::int64_t value = 0;
  bool exact = true;
};

/// value / 10^power, rounded away from zero. A power below zero counts as zero, as in the original.
[[nodiscard]] constexpr ScaledDown scale_down(std::int64_t value, std::int32_t power) {
  ScaledDown result{value, true};
  for (std::int32_t i = 0; i < power && result.value != 0; ++i) {
    result.exact = result.exact && result.value % 10 == 0;
    result.value /= 10;
  }
  if (!result.exact) {
    result.value += value > 0 ? 1 : -1;
  }
  return result;
}

}  // namespace gpusched::detail
