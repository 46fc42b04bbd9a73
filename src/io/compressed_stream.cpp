#include "io/compressed_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace gpusched::io {

namespace {

constexpr std::size_t kInputBytes = 128U * 1024U;

/// Maximal window plus 16: zlib then reads the gzip header and checks the CRC.
constexpr int kGzipWindowBits = 15 + 16;

std::unexpected<Diagnostics> cut_off(std::string_view format) {
  return fail("cut-off", fmt::format("the {} data ends too early", format), "copy or download the file again");
}

std::unexpected<Diagnostics> damaged(std::string_view format, std::string_view detail) {
  return fail("damaged", fmt::format("the {} data is damaged: {}", format, detail), "copy or download the file again");
}

/// The block of compressed bytes that is being worked on.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  /// Reads the next block once the last one is used up; an empty rest then means the end.
  Result<std::size_t> refill() {
    if (!rest_.empty()) return rest_.size();
    Result<std::size_t> count = stream_->read(block_);
    if (count) rest_ = std::span(block_).first(*count);
    return count;
  }
  [[nodiscard]] std::span<char> rest() const { return rest_; }
  void keep_last(std::size_t count) { rest_ = rest_.last(count); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string block_ = std::string(kInputBytes, '\0');
  std::span<char> rest_;
};

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> compressed) : input_(std::move(compressed)) {
    ready_ = inflateInit2(&state_, kGzipWindowBits) == Z_OK;
  }
  ~GzipStream() override { inflateEnd(&state_); }

  Result<std::size_t> read(std::span<char> block) override {
    if (!ready_) return fail("out-of-memory", "zlib has no memory to expand it");
    state_.next_out = reinterpret_cast<Bytef*>(block.data());
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(block.size(), std::numeric_limits<uInt>::max()));
    const uInt wanted = state_.avail_out;
    while (state_.avail_out == wanted) {
      Result<std::size_t> available = input_.refill();
      if (!available) return available;
      if (*available == 0) {
        if (inside_member_) return cut_off("gzip");
        return std::size_t{0};
      }
      if (!inside_member_ && input_.rest()[0] == '\0') {  // tape blocks are filled up with zeros
        input_.keep_last(*available - 1);
        continue;
      }
      if (Result<std::size_t> step = inflate_some(); !step) return step;
    }
    return wanted - state_.avail_out;
  }

 private:
  Result<std::size_t> inflate_some() {
    inside_member_ = true;
    state_.next_in = reinterpret_cast<Bytef*>(input_.rest().data());
    state_.avail_in = static_cast<uInt>(input_.rest().size());
    const int status = inflate(&state_, Z_NO_FLUSH);
    input_.keep_last(state_.avail_in);
    if (status == Z_STREAM_END) {
      inside_member_ = false;
      inflateReset(&state_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return damaged("gzip", state_.msg != nullptr ? state_.msg : "unknown error");
    }
    return std::size_t{0};
  }

  CompressedInput input_;
  z_stream state_{};
  bool ready_ = false;
  bool inside_member_ = false;
};

struct FreeDecoder {
  void operator()(ZSTD_DStream* decoder) const { ZSTD_freeDStream(decoder); }
};

class ZstdStream : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> compressed) : input_(std::move(compressed)) {}

  Result<std::size_t> read(std::span<char> block) override {
    if (decoder_ == nullptr) return fail("out-of-memory", "zstd has no memory to expand it");
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    while (out.pos == 0) {
      Result<std::size_t> available = input_.refill();
      if (!available) return available;
      ZSTD_inBuffer in{input_.rest().data(), *available, 0};
      if (*available == 0 && !inside_frame_) return std::size_t{0};
      const std::size_t status = ZSTD_decompressStream(decoder_.get(), &out, &in);
      if (ZSTD_isError(status) != 0U) return damaged("zstd", ZSTD_getErrorName(status));
      if (*available == 0 && out.pos == 0) return cut_off("zstd");
      input_.keep_last(in.size - in.pos);
      inside_frame_ = status != 0;
    }
    return out.pos;
  }

 private:
  CompressedInput input_;
  std::unique_ptr<ZSTD_DStream, FreeDecoder> decoder_{ZSTD_createDStream()};
  bool inside_frame_ = false;
};

}  // namespace

Compression detect_compression(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1F\x8B")) return Compression::kGzip;
  const bool frame = first_bytes.starts_with("\x28\xB5\x2F\xFD");
  const bool skippable = first_bytes.size() >= 4 && (static_cast<unsigned char>(first_bytes[0]) & 0xf0U) == 0x50 &&
                         first_bytes.substr(1, 3) == "\x2A\x4D\x18";
  return frame || skippable ? Compression::kZstd : Compression::kNone;
}

std::unique_ptr<ByteStream> expand_gzip(std::unique_ptr<ByteStream> compressed) {
  return std::make_unique<GzipStream>(std::move(compressed));
}

std::unique_ptr<ByteStream> expand_zstd(std::unique_ptr<ByteStream> compressed) {
  return std::make_unique<ZstdStream>(std::move(compressed));
}

}  // namespace gpusched::io
