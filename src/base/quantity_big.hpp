#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::detail {

/// A natural number of any size in base 10^9, so that shifting by decimal digits and printing take linear time; a
/// quantity needs nothing else but factors of 2.
class BigUnsigned {
 public:
  BigUnsigned() = default;
  explicit BigUnsigned(std::uint64_t value);
  /// Only decimal digits, leading zeros allowed.
  [[nodiscard]] static BigUnsigned from_digits(std::string_view digits);

  [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
  /// 0 for zero.
  [[nodiscard]] std::size_t digit_count() const;
  /// Decimal zeros at the end; 0 for zero.
  [[nodiscard]] std::size_t trailing_zeros() const;
  [[nodiscard]] std::uint64_t modulo_2_64() const;
  [[nodiscard]] std::string to_string() const;

  void multiply(std::uint32_t factor);
  void multiply_pow10(std::size_t power);
  /// Truncates; returns whether anything was cut off.
  bool divide_pow10(std::size_t power);
  /// Truncates; returns the remainder. The divisor is not zero.
  std::uint32_t divide(std::uint32_t divisor);
  void add(const BigUnsigned& other);
  /// `other` is not greater than this number.
  void subtract(const BigUnsigned& other);

  /// -1, 0 or 1.
  [[nodiscard]] int compare(const BigUnsigned& other) const;

 private:
  void trim();

  std::vector<std::uint32_t> limbs_;  ///< least significant first, no zero limb at the end
};

}  // namespace gpusched::detail
