#pragma once

#include <cstddef>
#include <string_view>

#include "io/bracket_blocks.hpp"

namespace gpusched::io {

/// Finds where a JSON value ends without parsing it: counts brackets outside of strings, 64 bytes at a time. It can
/// stop at the end of a block and go on in the next one.
class BracketScan {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// Starts behind the opening bracket of an array or object.
  void start() { state_ = {}; }

  /// Scans `text`, which continues what was scanned before. Returns the number of bytes up to and including the bracket
  /// that closes the value, or npos when it is not in this text.
  [[nodiscard]] std::size_t find_end(std::string_view text);

 private:
  [[nodiscard]] std::size_t find_end_bytewise(std::string_view text);

  BracketState state_;
};

#if defined(__x86_64__)
/// skip_blocks with AVX2; only to be called on a processor that has it.
[[nodiscard]] std::size_t skip_blocks_avx2(BracketState& state, const char* text, std::size_t size);
#endif

}  // namespace gpusched::io
