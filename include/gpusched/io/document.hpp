#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::io {

enum class Kind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

struct Member;

/// One JSON or YAML value in 16 bytes. It points into the text and the arena of its Document, which must outlive it;
/// copying it is cheap and shares the children. Offsets and sizes have at most 29 bits (kMaxDocumentBytes).
class Value {
 public:
  Value() = default;
  Value(Kind kind, std::uint32_t offset) : offset_(offset), packed_(static_cast<std::uint32_t>(kind)) {}
  /// `kind` is kNumber (the text in JSON's grammar, kept exactly) or kString (the text without quotes and escapes).
  Value(Kind kind, std::string_view text, std::uint32_t offset) : Value(kind, text.data(), text.size(), offset) {}
  Value(std::span<const Value> items, std::uint32_t offset) : Value(Kind::kArray, items.data(), items.size(), offset) {}
  Value(std::span<const Member> members, std::uint32_t offset);

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(packed_ & kKindMask); }
  [[nodiscard]] bool is_null() const { return kind() == Kind::kNull; }
  [[nodiscard]] bool is_bool() const { return kind() == Kind::kFalse || kind() == Kind::kTrue; }
  [[nodiscard]] bool is_number() const { return kind() == Kind::kNumber; }
  [[nodiscard]] bool is_string() const { return kind() == Kind::kString; }
  [[nodiscard]] bool is_array() const { return kind() == Kind::kArray; }
  [[nodiscard]] bool is_object() const { return kind() == Kind::kObject; }

  [[nodiscard]] bool as_bool() const { return kind() == Kind::kTrue; }
  /// A string's content or a number's source text; empty for other kinds.
  [[nodiscard]] std::string_view text() const;
  /// The elements of an array; empty for other kinds.
  [[nodiscard]] std::span<const Value> items() const;
  /// The members of an object in the order of the text (members of YAML merge keys last); empty for other kinds.
  [[nodiscard]] std::span<const Member> members() const;
  /// The member of that name, or nullptr: also when this is no object.
  [[nodiscard]] const Value* find(std::string_view key) const;
  /// Bytes from the start of the source's text to the first byte of this value.
  [[nodiscard]] std::uint32_t offset() const { return offset_; }

 private:
  static constexpr std::uint32_t kKindMask = 7;
  static constexpr std::uint32_t kSizeShift = 3;

  Value(Kind kind, const void* data, std::size_t size, std::uint32_t offset)
      : data_(data),
        offset_(offset),
        packed_((static_cast<std::uint32_t>(size) << kSizeShift) | static_cast<std::uint32_t>(kind)) {}
  [[nodiscard]] std::size_t size() const { return packed_ >> kSizeShift; }

  const void* data_ = nullptr;
  std::uint32_t offset_ = 0;
  std::uint32_t packed_ = 0;  // bytes, elements or members; then the kind
};

/// A member of an object, in 32 bytes.
struct Member {
  const char* key_data = nullptr;
  std::uint32_t key_size = 0;
  std::uint32_t key_offset = 0;
  Value value;

  [[nodiscard]] std::string_view key() const { return {key_data, key_size}; }
};

/// The longest text that a tree can be built of; longer inputs need a reader that streams.
inline constexpr std::size_t kMaxDocumentBytes = (std::size_t{1} << 29U) - 1;

struct Limits {
  std::size_t max_bytes = kMaxDocumentBytes;  ///< of one source
  std::size_t max_depth = 256;                ///< of nested arrays and objects; values above 400 are cut to it
  std::size_t max_alias_values = 1'000'000;   ///< values that the YAML aliases of one document may stand for
  std::size_t max_documents = 10'000'000;     ///< of one source
  bool cut_out = false;                       ///< of a larger text: errors name no lines of it, see Document
};

/// 1-based; the column counts bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  bool operator==(const Position&) const = default;
};

[[nodiscard]] Position position_of(std::string_view text, std::size_t offset);

enum class Format : std::uint8_t { kJson, kYaml };

struct DocumentStorage;

/// One JSON document, or one YAML document that is not empty. Documents of one source share its text.
struct Document {
  std::shared_ptr<const DocumentStorage> storage;
  Value root;  ///< an array or an object
  Format format = Format::kJson;
  std::uint32_t index = 0;                 ///< among the source's documents, from 0
  std::optional<std::uint32_t> item = {};  ///< it is that element of a List's `items`
  bool cut_out = false;  ///< text() is not the source's as it was written, so lines in it mean nothing to its author

  [[nodiscard]] const std::string& source_name() const;
  /// As it was written; empty when it is cut out and its Values keep their own texts.
  [[nodiscard]] std::string_view text() const;
};

/// Reads every document of a source. The content decides the format: a text that starts with '{' or '[' is JSON (one
/// document, documents one after another, or one a line), or a YAML flow collection when it has unquoted or
/// single-quoted keys, comments or `---`; everything else is YAML. YAML scalars mean what they mean to Kubernetes
/// (sigs.k8s.io/yaml on go-yaml v2): `yes`, `on`, `y` are booleans, `0x10`, `0o20` and `020` are 16. Pass an rvalue to
/// avoid a copy of the bytes.
/// Errors: syntax, duplicate keys (all of them), invalid UTF-8, control characters, depth, size, alias bombs, no
/// document at all, a document that is a lone scalar.
[[nodiscard]] Result<std::vector<Document>> parse_documents(Source source, const Limits& limits = {});

/// The whole number that a JSON number text stands for, if it has no fraction and no exponent and fits.
[[nodiscard]] std::optional<std::int64_t> to_int64(std::string_view number_text);

/// What a message calls the value: `the string "eight"`, `the number 8.5`, `a list`, `null`.
[[nodiscard]] std::string describe(const Value& value);

}  // namespace gpusched::io
