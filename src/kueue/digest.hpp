#pragma once

#include <cstdint>

namespace gpusched::kueue {

/// Spreads a value over 64 bits, for digests that are sums. 0 does not become 0, which would not show in a sum.
[[nodiscard]] constexpr std::uint64_t spread(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;  // SplitMix64
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

}  // namespace gpusched::kueue
