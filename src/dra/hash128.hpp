#pragma once

#include <cstdint>

namespace gpusched::dra {

/// Two independent 64-bit hashes. Sums of them are hashes of multisets.
struct Hash128 {
  std::uint64_t a = 0, b = 0;

  Hash128& operator+=(const Hash128& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
  Hash128& operator-=(const Hash128& other) {
    a -= other.a;
    b -= other.b;
    return *this;
  }
  friend Hash128 operator+(Hash128 x, const Hash128& y) { return x += y; }
  bool operator==(const Hash128&) const = default;
};

/// The finaliser of splitmix64 and a relative of it.
constexpr std::uint64_t mix_a(std::uint64_t x) {
  x += 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}
constexpr std::uint64_t mix_b(std::uint64_t x) {
  x ^= 0x2545'f491'4f6c'dd1dU;
  x = (x ^ (x >> 32U)) * 0xd6e8'feb8'6659'fd93U;
  x = (x ^ (x >> 32U)) * 0xd6e8'feb8'6659'fd93U;
  return x ^ (x >> 32U);
}

constexpr Hash128 mixed(const Hash128& h) {
  return {mix_a(h.a), mix_b(h.b)};
}

/// Both halves of a product, which depend on all bits of both factors.
constexpr std::uint64_t folded(std::uint64_t x, std::uint64_t y) {
  __extension__ typedef unsigned __int128 Product;
  const Product product = static_cast<Product>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// The hash of a sequence that grows by one word.
constexpr Hash128 chained(const Hash128& h, std::uint64_t word) {
  return {folded(h.a ^ word ^ 0x9fb2'1c65'1e98'df25U, h.b ^ 0xa076'1d64'78bd'642fU),
          folded(h.b + word + 0xe703'7ed1'a0b4'28dbU, h.a ^ 0xc2b2'ae3d'27d4'eb4fU)};
}
constexpr Hash128 chained(const Hash128& h, const Hash128& next) {
  return chained(chained(h, next.a), next.b);
}

}  // namespace gpusched::dra
