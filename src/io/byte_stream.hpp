#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::io {

/// Bytes that are read one block after the other, so that an input of any size needs a bounded amount of memory.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills the front of `block` and returns how many bytes that were; 0 only at the end.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> block) = 0;

  /// How many bytes are probably left, 0 if that is not known; spares read_all() the copying while its buffer grows.
  [[nodiscard]] virtual std::size_t size_hint() const { return 0; }
};

/// A file, or whatever else the path opens (a pipe, a device).
[[nodiscard]] Result<std::unique_ptr<ByteStream>> open_file(const std::string& path);

/// A text that is in memory and must outlive the result.
[[nodiscard]] std::unique_ptr<ByteStream> stream_of(std::string_view text);

/// The stream must outlive the result.
[[nodiscard]] std::unique_ptr<ByteStream> wrap_istream(std::istream& stream);

/// The stream itself, or its expanded content if it starts like gzip or zstd (any number of members one after another).
/// Other compressed formats (xz, bzip2, zip) are errors.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> expand(std::unique_ptr<ByteStream> stream);

/// Up to `bytes` bytes from the front, fewer only at the end.
[[nodiscard]] Result<std::string> read_head(ByteStream& stream, std::size_t bytes);

/// A stream that starts with bytes that were read already.
[[nodiscard]] std::unique_ptr<ByteStream> put_back(std::string head, std::unique_ptr<ByteStream> rest);

/// Everything that is left; the error "too-large" once it is more than `max_bytes`.
[[nodiscard]] Result<std::string> read_all(ByteStream& stream, std::size_t max_bytes);

}  // namespace gpusched::io
