#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// simdjson reads up to this many bytes after a text.
inline constexpr std::size_t kPaddingBytes = 64;

/// The deepest nesting that a caller may ask for: yaml-cpp itself stops at 500 levels of its own recursion.
inline constexpr std::size_t kMaxDepth = 400;

/// What the Values of a source's documents point into.
struct DocumentStorage {
  std::string name;
  std::string bytes;      ///< the text, then kPaddingBytes zero bytes; empty when the Values keep their own texts
  std::string_view text;  ///< of `bytes`, without byte order mark and padding
  std::pmr::monotonic_buffer_resource arena;

  /// A dump has a storage for each of its objects, so those of small ones must not take much.
  explicit DocumentStorage(std::size_t text_bytes) : arena(std::clamp<std::size_t>(text_bytes, 512, 64U * 1024U)) {}
};

struct SyntaxError {
  std::size_t offset = 0;
  std::string code;
  std::string message;
  std::string hint = {};
  bool maybe_yaml = false;  ///< what stands there is no JSON, but usual in YAML flow collections
};

/// The documents of one text, or every error that was found; roots are incomplete when there are errors.
struct ParseOutcome {
  std::vector<Value> roots;
  std::vector<SyntaxError> errors;
};

}  // namespace gpusched::io
