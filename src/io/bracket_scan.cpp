#include "io/bracket_scan.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace gpusched::io {

namespace {

#if defined(__SSE2__)

struct Common {
  static Masks classify(const char* bytes) {
    Masks masks{0, 0, 0, 0};
    for (unsigned i = 0; i < 4; ++i) {
      const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
      const __m128i folded = _mm_or_si128(part, _mm_set1_epi8(kCaseBit));
      masks.quote |= equal(part, '"') << 16 * i;
      masks.backslash |= equal(part, '\\') << 16 * i;
      masks.open |= equal(folded, '{') << 16 * i;
      masks.close |= equal(folded, '}') << 16 * i;
    }
    return masks;
  }

  static std::uint64_t equal(__m128i part, char c) {
    return static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_set1_epi8(c))));
  }
};

#elif defined(__ARM_NEON) && defined(__aarch64__)

struct Common {
  static Masks classify(const char* bytes) {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes);
    const uint8x16_t parts[4] = {vld1q_u8(data), vld1q_u8(data + 16), vld1q_u8(data + 32), vld1q_u8(data + 48)};
    return {equal(parts, '"'), equal(parts, '\\'), equal(parts, '{') | equal(parts, '['),
            equal(parts, '}') | equal(parts, ']')};
  }

  static std::uint64_t equal(const uint8x16_t* parts, char c) {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits[4];
    for (int i = 0; i < 4; ++i) {
      bits[i] = vandq_u8(vceqq_u8(parts[i], vdupq_n_u8(static_cast<std::uint8_t>(c))), weights);
    }
    const uint8x16_t sum = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
  }
};

#else

struct Common {
  static Masks classify(const char* bytes) {
    Masks masks{0, 0, 0, 0};
    for (unsigned i = 0; i < kBlock; ++i) {
      const char folded = static_cast<char>(bytes[i] | kCaseBit);
      masks.quote |= std::uint64_t{bytes[i] == '"'} << i;
      masks.backslash |= std::uint64_t{bytes[i] == '\\'} << i;
      masks.open |= std::uint64_t{folded == '{'} << i;
      masks.close |= std::uint64_t{folded == '}'} << i;
    }
    return masks;
  }
};

#endif

std::size_t skip(BracketState& state, const char* text, std::size_t size) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;
  if (avx2) {
    return skip_blocks_avx2(state, text, size);
  }
#endif
  return skip_blocks<Common>(state, text, size);
}

}  // namespace

std::size_t BracketScan::find_end(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at += skip(state_, text.data() + at, text.size() - at);
    // Either the block in which the value seems to end, or what is left of the text.
    const std::string_view rest = text.substr(at, kBlock);
    const std::size_t end = find_end_bytewise(rest);
    if (end != npos) {
      return at + end;
    }
    at += rest.size();
    if (at == text.size()) {
      return npos;
    }
  }
}

std::size_t BracketScan::find_end_bytewise(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escaped = state_.escaped;
    state_.escaped = !escaped && c == '\\';
    if (c == '"') {
      state_.in_string ^= !escaped;
    } else if (!state_.in_string && (c == '{' || c == '[')) {
      ++state_.depth;
    } else if (!state_.in_string && (c == '}' || c == ']') && --state_.depth == 0) {
      return i + 1;
    }
  }
  return npos;
}

}  // namespace gpusched::io
