#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "io/byte_stream.hpp"

namespace gpusched::io {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

/// By the first bytes: RFC 1952 section 2.3.1, RFC 8878 section 3.1.
[[nodiscard]] Compression detect_compression(std::string_view first_bytes);

/// Errors while reading: "cut-off" when the data ends inside a member, "damaged" when it is inconsistent.
[[nodiscard]] std::unique_ptr<ByteStream> expand_gzip(std::unique_ptr<ByteStream> compressed);
[[nodiscard]] std::unique_ptr<ByteStream> expand_zstd(std::unique_ptr<ByteStream> compressed);

}  // namespace gpusched::io
