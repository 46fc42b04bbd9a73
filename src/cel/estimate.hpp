#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cel/ast.hpp"
#include "cel/environment.hpp"

namespace gpusched::cel {

/// The worst case cost of a checked expression; 2^64-1 when it has no bound.
[[nodiscard]] std::uint64_t estimate_cost(const Ast& ast, const Declarations& declarations);

/// A range of sizes or costs; sums and products stay within 64 bits.
struct Range {
  std::uint64_t min = 0, max = 0;

  static constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();
  static constexpr Range exactly(std::uint64_t value) { return {value, value}; }
  static constexpr Range unknown() { return {0, kUnbounded}; }

  friend Range operator+(Range a, Range b) { return {add(a.min, b.min), add(a.max, b.max)}; }
  friend Range operator*(Range a, Range b) { return {multiply(a.min, b.min), multiply(a.max, b.max)}; }
  /// Times a factor, rounded up.
  [[nodiscard]] Range scaled(double factor) const { return {scale(min, factor), scale(max, factor)}; }
  [[nodiscard]] Range united(Range other) const { return {std::min(min, other.min), std::max(max, other.max)}; }

  static std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
  }
  static std::uint64_t scale(std::uint64_t value, double factor);
};

}  // namespace gpusched::cel
