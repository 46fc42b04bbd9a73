#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// Collects every error that is found while the Values of one document become structs, and knows where the reader
/// stands: the JSON pointer and the object that an error names.
class Decoder {
 public:
  explicit Decoder(const Document& document) : document_(document) {}

  /// An error about `value`, which is the value at the current path.
  void error(const Value& value, std::string code, std::string message, std::string hint = {});
  /// An error about the child `key` of the value at the current path; `offset` is its place.
  void error_at(std::string_view key, std::uint32_t offset, std::string code, std::string message,
                std::string hint = {});
  /// The same with severity kWarning: it does not make the document bad.
  void warn(const Value& value, std::string code, std::string message, std::string hint = {});

  [[nodiscard]] bool failed() const { return errors_ != 0; }
  [[nodiscard]] const Document& document() const { return document_; }
  /// Below the document's root: "/nodes/3/gpu", with ~0 and ~1 as in RFC 6901.
  [[nodiscard]] std::string pointer() const;
  /// All diagnostics in the order of the text, with their place in the source; empties the decoder.
  [[nodiscard]] Diagnostics take_diagnostics();

  /// Runs `body` one level down, at a member or an element.
  template <class Body>
  void at_key(std::string_view key, Body&& body) {
    path_.push_back({key, 0, true});
    std::forward<Body>(body)();
    path_.pop_back();
  }
  template <class Body>
  void at_index(std::size_t index, Body&& body) {
    path_.push_back({{}, index, false});
    std::forward<Body>(body)();
    path_.pop_back();
  }

 private:
  friend class ObjectReader;

  struct Step {
    std::string_view key;
    std::size_t index = 0;
    bool is_key = true;
  };
  struct Found {
    std::uint32_t offset = 0;
    std::size_t order = 0;  // of two at one place
    Diagnostic diagnostic;
  };

  void record(Severity severity, std::uint32_t offset, std::string code, std::string message, std::string hint);

  const Document& document_;
  std::vector<Step> path_;
  std::string object_;
  std::vector<Found> found_;
  std::size_t errors_ = 0;
};

inline constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

/// Reads the members of one object by name. When it goes out of scope every member that nobody asked for is an error
/// with a suggestion, unless ignore_other_keys() was called. `null` counts as absent, as for Kubernetes.
/// The required_ functions return a harmless value after an error, so that reading goes on and finds the next one.
/// Keys must outlive the reader (string literals do); the texts that it returns live as long as the Document.
class ObjectReader {
 public:
  /// `what` names the kind of object in messages: "node", "GPU". It is an error if `value` is no object.
  ObjectReader(Decoder& decoder, const Value& value, std::string_view what);
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;
  ~ObjectReader();

  /// From now on, and in errors since this reader started, diagnostics name "<what> <name>" as their object.
  void set_name(std::string_view name);
  void ignore_other_keys() { ignore_other_keys_ = true; }

  /// The member if it is there and not null; counts as asked for.
  [[nodiscard]] const Value* find(std::string_view key);
  /// The same; it is an error if it is missing or null.
  [[nodiscard]] const Value* require(std::string_view key);

  [[nodiscard]] std::string_view required_string(std::string_view key);
  [[nodiscard]] std::optional<std::string_view> optional_string(std::string_view key);

  [[nodiscard]] std::int64_t required_int64(std::string_view key, std::int64_t min = kMinInt64,
                                            std::int64_t max = kMaxInt64);
  /// Whole numbers are written without fraction and exponent: 8.0 and 1e3 are errors.
  [[nodiscard]] std::optional<std::int64_t> optional_int64(std::string_view key, std::int64_t min = kMinInt64,
                                                           std::int64_t max = kMaxInt64);

  [[nodiscard]] bool required_bool(std::string_view key);
  [[nodiscard]] std::optional<bool> optional_bool(std::string_view key);

  /// The exact source text of a number, in JSON's grammar.
  [[nodiscard]] std::string_view required_decimal(std::string_view key);
  [[nodiscard]] std::optional<std::string_view> optional_decimal(std::string_view key);
  /// The text of a string or of a number, for quantities such as `8` and "80Gi".
  [[nodiscard]] std::optional<std::string_view> optional_text(std::string_view key);

  /// The index of the member's string among the allowed ones; 0 after an error.
  [[nodiscard]] std::size_t required_one_of(std::string_view key, std::span<const std::string_view> allowed);
  [[nodiscard]] std::optional<std::size_t> optional_one_of(std::string_view key,
                                                           std::span<const std::string_view> allowed);

  [[nodiscard]] std::vector<std::string_view> strings(std::string_view key);
  [[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> string_map(std::string_view key);

  /// Calls `body(const Value& object)` if the member is there; whether it is.
  template <class Body>
  bool object(std::string_view key, Body&& body) {
    const Value* const value = find(key);
    if (value == nullptr || !check_kind(key, *value, value->is_object(), "an object")) return false;
    decoder_.at_key(key, [&] { body(*value); });
    return true;
  }

  /// Calls `body(const Value& item, std::size_t index)` for each element if the member is there; whether it is.
  template <class Body>
  bool array(std::string_view key, Body&& body) {
    const Value* const value = find(key);
    if (value == nullptr || !check_kind(key, *value, value->is_array(), "a list")) return false;
    decoder_.at_key(key, [&] {
      for (std::size_t i = 0; i < value->items().size(); ++i) decoder_.at_index(i, [&] { body(value->items()[i], i); });
    });
    return true;
  }

  /// An error about a member that was read: for rules between values.
  void error(std::string_view key, std::string code, std::string message, std::string hint = {});

 private:
  bool check_kind(std::string_view key, const Value& value, bool fits, std::string_view expected);
  std::int64_t read_int64(std::string_view key, const Value& value, std::int64_t min, std::int64_t max);
  std::size_t read_one_of(std::string_view key, const Value& value, std::span<const std::string_view> allowed);
  void report_unknown_keys();

  Decoder& decoder_;
  Value value_;
  std::string_view what_;
  std::vector<std::string_view> asked_;
  std::string outer_object_;
  std::size_t first_found_ = 0;
  bool ignore_other_keys_ = false;
};

}  // namespace gpusched::io
