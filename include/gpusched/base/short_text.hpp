#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace gpusched {

namespace detail {

/// Whether two texts of at least sizeof(Word) and at most twice as many bytes are equal: their ends, which overlap.
template <class Word>
bool same_ends(const char* a, const char* b, std::size_t size) {
  Word first[2], last[2];
  std::memcpy(&first[0], a, sizeof(Word));
  std::memcpy(&first[1], b, sizeof(Word));
  std::memcpy(&last[0], a + size - sizeof(Word), sizeof(Word));
  std::memcpy(&last[1], b + size - sizeof(Word), sizeof(Word));
  return ((first[0] ^ first[1]) | (last[0] ^ last[1])) == 0;
}

}  // namespace detail

/// a == b for texts that are mostly short, such as names: up to 16 bytes are compared without a call.
inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size >= 8) return detail::same_ends<std::uint64_t>(a.data(), b.data(), size);
  if (size >= 4) return detail::same_ends<std::uint32_t>(a.data(), b.data(), size);
  return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

}  // namespace gpusched
