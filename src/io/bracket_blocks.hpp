#pragma once

#include <cstddef>
#include <cstdint>

// The block loop of BracketScan. Included by one source per instruction set; everything is in an unnamed namespace and
// uses no library function, so that code for a newer processor can never be linked into the common one.
namespace gpusched::io {

struct BracketState {
  std::int64_t depth = 1;
  bool in_string = false;
  bool escaped = false;  ///< the next byte follows an odd number of backslashes
};

namespace {

constexpr std::size_t kBlock = 64;

/// One bit per byte of a block, the first byte lowest.
struct Masks {
  std::uint64_t quote;
  std::uint64_t backslash;
  std::uint64_t open;   // { and [
  std::uint64_t close;  // } and ]
};

// Bit 5 is what tells '{' from '[' and '}' from ']', so one comparison serves both.
[[maybe_unused]] constexpr char kCaseBit = 0x20;

/// Bit i of the result: an odd number of the bits 0..i are set.
inline std::uint64_t prefix_xor(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) {
    bits ^= bits << shift;
  }
  return bits;
}

/// The bytes that follow an odd run of backslashes. Adding a run to its own start carries to the bit behind the run;
/// whether the run is odd shows in the parity of that bit, seen from the parity of the start.
inline std::uint64_t escaped_bytes(std::uint64_t backslash, bool& escaped) {
  constexpr std::uint64_t kEvenBits = 0x5555'5555'5555'5555U;
  const std::uint64_t carried = escaped ? 1 : 0;
  backslash &= ~carried;
  const std::uint64_t follows = backslash << 1U | carried;
  const std::uint64_t odd_starts = backslash & ~kEvenBits & ~follows;
  std::uint64_t even_run_ends = 0;
  escaped = __builtin_add_overflow(odd_starts, backslash, &even_run_ends);
  return (kEvenBits ^ (even_run_ends << 1U)) & follows;
}

/// Skips the whole blocks in which the value does not end; returns the bytes skipped. `Instructions::classify` reads 64
/// bytes.
template <class Instructions>
inline std::size_t skip_blocks(BracketState& state, const char* text, std::size_t size) {
  std::size_t at = 0;
  for (; at + kBlock <= size; at += kBlock) {
    Masks masks = Instructions::classify(text + at);
    bool escaped = state.escaped;
    if (masks.backslash != 0 || escaped) {
      masks.quote &= ~escaped_bytes(masks.backslash, escaped);
    }
    const std::uint64_t in_string = prefix_xor(masks.quote) ^ (state.in_string ? ~std::uint64_t{0} : 0);
    masks.open &= ~in_string;
    masks.close &= ~in_string;
    const int closed = __builtin_popcountll(masks.close);
    if (closed >= state.depth) {
      return at;
    }
    state.depth += __builtin_popcountll(masks.open) - closed;
    state.in_string = (in_string >> 63U) != 0;
    state.escaped = escaped;
  }
  return at;
}

}  // namespace
}  // namespace gpusched::io
