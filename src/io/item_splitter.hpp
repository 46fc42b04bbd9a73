#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "io/bracket_scan.hpp"
#include "io/byte_stream.hpp"

namespace gpusched::io {

/// One Kubernetes object of a stream: an element of a list's `items`, or a document of its own.
struct Item {
  std::size_t begin = 0;  ///< in Batch::bytes
  std::size_t size = 0;
  std::uint64_t offset = 0;    ///< of its first byte in the stream
  std::uint32_t document = 0;  ///< number of its document, from 0
  std::uint32_t index = 0;     ///< among the document's items, from 0
  bool in_list = false;
};

/// Some objects of a stream with their text.
struct Batch {
  std::string bytes;  ///< with kPadding zero bytes behind the text, for readers that look ahead
  std::vector<Item> items;

  static constexpr std::size_t kPadding = 64;
  [[nodiscard]] std::string_view text(const Item& item) const {
    return std::string_view(bytes).substr(item.begin, item.size);
  }
};

/// What an object is: {"v1", "PodList"}; of an envelope what is known so far.
struct TypeMeta {
  std::string api_version, kind;
};

/// What a list says about itself beside its items.
struct Envelope {
  TypeMeta type;
  std::string metadata;  ///< its JSON text, "" when absent
  std::uint64_t items = 0;
  bool is_list = false;  ///< it has `items`, or the document is an array
};

struct SplitLimits {
  std::size_t block_bytes = std::size_t{1} << 20U;  ///< read at a time: small enough to stay in the second-level cache
  std::size_t max_item_bytes = std::size_t{256} << 20U;  ///< of one object
};

/// Cuts a stream of JSON documents (one object, a List, several of them one after another or one a line) into its
/// objects without parsing them, in memory for a block and the largest object, whatever the size of the stream.
class ItemSplitter {
 public:
  ItemSplitter(ByteStream& stream, SplitLimits limits) : stream_(stream), limits_(limits) {}

  /// The next objects; an empty batch at the end. Errors: "syntax", "cut-input", "object-too-large", and the stream's.
  [[nodiscard]] Result<Batch> next();

  /// One for each document that has begun; complete at the end of the stream.
  [[nodiscard]] const std::vector<Envelope>& envelopes() const { return envelopes_; }

 private:
  enum class State : std::uint8_t { kBetween, kMembers, kItems, kItem, kValue };
  enum class Step : std::uint8_t { kGoOn, kNeedMore };

  Step step(Batch& batch);
  Step between();
  Step members(Batch& batch);
  Step items();
  Step finish_item(Batch& batch);
  Step finish_value();
  Step start_value(std::size_t colon);
  void add_item(Batch& batch, std::size_t begin, std::size_t end, bool in_list);
  [[nodiscard]] bool refill(Batch& batch);
  void skip_blanks(bool commas);
  void syntax(std::string message);
  [[nodiscard]] std::size_t string_end(std::size_t quote) const;  // behind the closing quote, npos when it is not here

  ByteStream& stream_;
  SplitLimits limits_;
  std::vector<Envelope> envelopes_;
  std::string text_;  // what is read and not given away
  std::uint64_t text_offset_ = 0;
  std::size_t at_ = 0;      // next byte to look at
  std::size_t keep_ = 0;    // first byte that is still needed
  std::size_t object_ = 0;  // first byte of the document or item
  std::size_t value_ = 0;   // first byte of the value that is being skipped
  std::string key_;         // of the member whose value that is
  std::string metadata_;    // of the document, until it is known to be a list
  BracketScan scan_;
  State state_ = State::kBetween;
  bool array_document_ = false;
  bool end_of_stream_ = false;
  Diagnostics errors_;
};

}  // namespace gpusched::io
