#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched {

/// The family of suffixes that a quantity was written with and is printed with again.
enum class QuantityFormat : std::uint8_t {
  kDecimalSi,        ///< 12M = 12 * 10^6
  kBinarySi,         ///< 12Mi = 12 * 2^20
  kDecimalExponent,  ///< 12e6
};

/// Why Kubernetes refuses the text of a quantity.
enum class QuantityError : std::uint8_t { kFormatWrong, kNumeric, kSuffix };

/// The text of the error value that k8s.io/apimachinery/pkg/api/resource returns, for messages that must be equal to
/// those of a real system (CEL, admission).
[[nodiscard]] std::string_view kubernetes_text(QuantityError error);

namespace detail {
struct Decimal;
}

/// An amount of a resource: Kubernetes' resource.Quantity, exact, never a floating point number.
///
/// Rule: k8s.io/apimachinery v0.37.2, pkg/api/resource. Reading, printing, rounding and overflow follow it bit for bit,
/// its oddities included ("1.500" is printed as it was written, "1000E" loses its suffix). Two differences, both where
/// the original runs out of memory or panics: amounts whose exponents are more than a million digits apart add up to
/// the larger one, and a binary amount of more than ten thousand digits is printed with decimal suffixes.
///
/// Nearly every amount is an int64 mantissa times a power of ten and needs no heap memory; others share an immutable
/// decimal number of any length.
class Quantity {
 public:
  /// Zero in decimal format.
  Quantity() = default;

  [[nodiscard]] static Quantity from_int64(std::int64_t value, QuantityFormat format = QuantityFormat::kDecimalSi);
  [[nodiscard]] static Quantity from_milli(std::int64_t value, QuantityFormat format = QuantityFormat::kDecimalSi);
  /// mantissa * 10^exponent.
  [[nodiscard]] static Quantity from_scaled(std::int64_t mantissa, std::int32_t exponent,
                                            QuantityFormat format = QuantityFormat::kDecimalSi);

  /// The amount in whole units, rounded up away from zero. As in Kubernetes it is 0 or wraps around when it does not
  /// fit int64, and a negative amount that int64 mantissas cannot hold is rounded towards zero or beyond.
  [[nodiscard]] std::int64_t value() const { return scaled_value(0); }
  /// The amount in thousandths; rounding and overflow as in value().
  [[nodiscard]] std::int64_t milli_value() const { return scaled_value(-3); }
  /// The amount in units of 10^scale; rounding and overflow as in value().
  [[nodiscard]] std::int64_t scaled_value(std::int32_t scale) const;
  /// The exact amount when Kubernetes finds it cheaply (AsInt64): "1000m" and long decimals have none, although they
  /// may be whole. CEL's quantity isInteger() and asInteger() ask this.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const;

  /// Whether the amount is a whole number, however it was written.
  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] bool is_zero() const { return sign() == 0; }
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;
  /// For display and for CEL's asApproximateFloat() only; may lose precision, infinite outside the range.
  [[nodiscard]] double as_approximate_double() const;

  /// -1, 0 or 1; exact, and the format does not count: 1 equals 1000m.
  [[nodiscard]] int compare(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.compare(b) <=> 0; }

  /// Exact sum; a zero takes the other's format.
  void add(const Quantity& other);
  /// Exact difference; a zero takes the other's format. Subtracting the smallest int64 adds it, as in Kubernetes.
  void sub(const Quantity& other);
  /// Rounds away from zero to a multiple of 10^scale; the API server does so with scale -3 for container resources.
  /// Returns false when that changed the amount.
  bool round_up(std::int32_t scale);

  [[nodiscard]] QuantityFormat format() const { return format_; }
  /// The text that Kubernetes prints: as it was written when it was read in canonical form and not changed since, else
  /// a whole number with the largest suffix that loses nothing.
  [[nodiscard]] std::string to_string() const;
  /// Whether it is the same amount, kept and printed in the same way. May say false of amounts of more than 18 digits
  /// that are.
  [[nodiscard]] bool is_same_as(const Quantity& other) const {
    return mantissa_ == other.mantissa_ && exponent_ == other.exponent_ && format_ == other.format_ &&
           decimal_ == other.decimal_ && text_ == other.text_;
  }

  friend std::expected<Quantity, QuantityError> try_parse_quantity(std::string_view text);

 private:
  [[nodiscard]] detail::Decimal to_decimal() const;
  [[nodiscard]] std::optional<std::int64_t> as_whole_int64() const;
  void set_decimal(detail::Decimal decimal);
  bool add_mantissa(std::int64_t mantissa, std::int32_t exponent);

  std::int64_t mantissa_ = 0;  ///< used when decimal_ is empty
  std::int32_t exponent_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSi;
  std::shared_ptr<const detail::Decimal> decimal_;  ///< never changed once set
  std::string text_;                                ///< as written, empty when to_string() has to make it
};

/// Reads exactly what Kubernetes' ParseQuantity reads: no white space, and more than one expects ("+", "." and "k" are
/// zero). Amounts are rounded up to 10^-9, binary ones are capped at 2^63-1.
[[nodiscard]] std::expected<Quantity, QuantityError> try_parse_quantity(std::string_view text);

/// The same with a diagnostic "quantity-syntax" that names the text and what is allowed.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text);

}  // namespace gpusched
