#include "io/byte_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <istream>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/compressed_stream.hpp"

namespace gpusched::io {

namespace {

/// Free bytes that a buffer keeps at its end: to see the end of the stream, and for readers that pad the text.
constexpr std::size_t kRoomBehind = 4096;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT: nothing was written
};

class FileStream : public ByteStream {
 public:
  FileStream(std::FILE* file, std::size_t size) : file_(file), size_(size) {}

  Result<std::size_t> read(std::span<char> block) override {
    errno = 0;
    const std::size_t count = std::fread(block.data(), 1, block.size(), file_.get());
    if (count == 0 && std::ferror(file_.get()) != 0) {
      return fail("unreadable", fmt::format("the input cannot be read: {}", std::generic_category().message(errno)));
    }
    return count;
  }
  [[nodiscard]] std::size_t size_hint() const override { return size_; }

 private:
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::size_t size_;
};

class IstreamStream : public ByteStream {
 public:
  explicit IstreamStream(std::istream& stream) : stream_(stream) {}

  Result<std::size_t> read(std::span<char> block) override {
    stream_.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (stream_.bad()) return fail("unreadable", "the input cannot be read");
    return static_cast<std::size_t>(stream_.gcount());
  }

 private:
  std::istream& stream_;
};

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string_view text) : text_(text) {}

  Result<std::size_t> read(std::span<char> block) override {
    const std::size_t count = std::min(block.size(), text_.size());
    std::memcpy(block.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  [[nodiscard]] std::size_t size_hint() const override { return text_.size(); }

 private:
  std::string_view text_;
};

/// Gives back the first bytes that were looked at.
class PrefixedStream : public ByteStream {
 public:
  PrefixedStream(std::string prefix, std::unique_ptr<ByteStream> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<std::size_t> read(std::span<char> block) override {
    if (used_ == prefix_.size()) return rest_->read(block);
    const std::size_t count = std::min(block.size(), prefix_.size() - used_);
    std::memcpy(block.data(), prefix_.data() + used_, count);
    used_ += count;
    return count;
  }
  [[nodiscard]] std::size_t size_hint() const override { return rest_->size_hint(); }

 private:
  std::string prefix_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

struct Magic {
  std::string_view bytes;
  std::string_view format;
  std::string_view command;
};

constexpr Magic kUnreadFormats[] = {
    {"\xFD"
     "7zXZ",
     "xz", "xz -dc"},
    {"BZh", "bzip2", "bzip2 -dc"},
    {"PK\x03\x04", "zip", "unzip -p"},
    {"7z\xBC\xAF", "7-Zip", "7z e -so"},
};

constexpr std::size_t kMagicBytes = 6;

}  // namespace

Result<std::unique_ptr<ByteStream>> open_file(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return fail("unreadable", fmt::format("the file cannot be opened: {}", std::generic_category().message(errno)));
  }
  std::error_code error;  // pipes and devices have no size
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return std::make_unique<FileStream>(file, error ? 0 : static_cast<std::size_t>(size));
}

std::unique_ptr<ByteStream> wrap_istream(std::istream& stream) {
  return std::make_unique<IstreamStream>(stream);
}

std::unique_ptr<ByteStream> stream_of(std::string_view text) {
  return std::make_unique<TextStream>(text);
}

Result<std::string> read_head(ByteStream& stream, std::size_t bytes) {
  std::string head(bytes, '\0');
  std::size_t known = 0;
  while (known < head.size()) {  // a pipe may give fewer bytes than asked for
    Result<std::size_t> count = stream.read(std::span(head).subspan(known));
    if (!count) return std::unexpected(std::move(count.error()));
    if (*count == 0) break;
    known += *count;
  }
  head.resize(known);
  return head;
}

std::unique_ptr<ByteStream> put_back(std::string head, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<PrefixedStream>(std::move(head), std::move(rest));
}

Result<std::unique_ptr<ByteStream>> expand(std::unique_ptr<ByteStream> stream) {
  Result<std::string> head = read_head(*stream, kMagicBytes);
  if (!head) return std::unexpected(std::move(head.error()));
  std::string prefix = std::move(*head);
  for (const Magic& magic : kUnreadFormats) {
    if (!prefix.starts_with(magic.bytes)) continue;
    return fail("compressed-format",
                fmt::format("the input is compressed with {}; only gzip and zstd are read", magic.format),
                fmt::format("expand it first, for example with {} FILE", magic.command));
  }
  const Compression compression = detect_compression(prefix);
  std::unique_ptr<ByteStream> whole = put_back(std::move(prefix), std::move(stream));
  if (compression == Compression::kGzip) return expand_gzip(std::move(whole));
  if (compression == Compression::kZstd) return expand_zstd(std::move(whole));
  return whole;
}

Result<std::string> read_all(ByteStream& stream, std::size_t max_bytes) {
  std::string bytes;
  std::size_t used = 0;
  bytes.reserve(std::min(stream.size_hint(), max_bytes) + kRoomBehind);
  while (true) {
    // The buffer is filled up to its capacity, and its growth doubles it.
    if (bytes.capacity() - used < kRoomBehind) bytes.reserve(2 * bytes.capacity());
    bytes.resize(bytes.capacity());
    Result<std::size_t> count = stream.read(std::span(bytes).subspan(used));
    if (!count) return std::unexpected(std::move(count.error()));
    if (*count == 0) break;
    used += *count;
    if (used > max_bytes) {
      return fail("too-large", fmt::format("the input holds more than the limit of {} bytes", max_bytes),
                  "split the input into several files");
    }
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace gpusched::io
