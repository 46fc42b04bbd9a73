#include "io/bracket_scan.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace gpusched::io {

namespace {

struct Avx2 {
  static Masks classify(const char* bytes) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32));
    const __m256i case_bit = _mm256_set1_epi8(kCaseBit);
    const __m256i low_folded = _mm256_or_si256(low, case_bit);
    const __m256i high_folded = _mm256_or_si256(high, case_bit);
    return {equal(low, high, '"'), equal(low, high, '\\'), equal(low_folded, high_folded, '{'),
            equal(low_folded, high_folded, '}')};
  }

  static std::uint64_t equal(__m256i low, __m256i high, char c) {
    const __m256i wanted = _mm256_set1_epi8(c);
    const auto low_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
    const auto high_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
    return low_bits | static_cast<std::uint64_t>(high_bits) << 32U;
  }
};

}  // namespace

std::size_t skip_blocks_avx2(BracketState& state, const char* text, std::size_t size) {
  return skip_blocks<Avx2>(state, text, size);
}

}  // namespace gpusched::io

#endif
