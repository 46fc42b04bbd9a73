#pragma once

#include <cstdint>
#include <type_traits>

/// Go's integer arithmetic, which wraps around: Kueue adds and multiplies int32 and int64 that come from files.
namespace gpusched::kueue {

template <class T>
[[nodiscard]] constexpr T wrap_add(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}

template <class T>
[[nodiscard]] constexpr T wrap_sub(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}

template <class T>
[[nodiscard]] constexpr T wrap_mul(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

}  // namespace gpusched::kueue
