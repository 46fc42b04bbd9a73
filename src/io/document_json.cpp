#include "io/document_json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <string>
#include <utility>

#include "io/excerpt.hpp"
#include "io/json_error.hpp"
#include "io/json_token.hpp"
#include "io/tree_builder.hpp"

namespace gpusched::io {

namespace {

namespace ondemand = simdjson::ondemand;

/// Each one costs a search for the document's end.
constexpr std::size_t kMaxBrokenLines = 50;

/// Walks everything that simdjson finds and builds the tree. On-demand parsing checks only what is asked for, so
/// numbers, literals and strings are checked here. `false` means that the text is no valid JSON, or nested too deeply;
/// json_error.hpp then finds out why.
class JsonWalker {
 public:
  JsonWalker(std::string_view text, std::size_t max_depth, TreeBuilder& builder)
      : text_(text), max_depth_(max_depth), builder_(builder) {}

  bool build_document(ondemand::document& document, std::size_t offset, Value& out) {
    if (max_depth_ == 0) return false;
    if (text_[offset] == '{') {
      ondemand::object object;
      return document.get_object().get(object) == simdjson::SUCCESS && build_members(object, offset, 1, out);
    }
    ondemand::array array;
    return document.get_array().get(array) == simdjson::SUCCESS && build_items(array, offset, 1, out);
  }

 private:
  std::string_view text_from(const char* place) const {
    return text_.substr(static_cast<std::size_t>(place - text_.data()));
  }
  std::uint32_t offset_of(const char* place) const { return static_cast<std::uint32_t>(place - text_.data()); }

  bool build(ondemand::value value, std::size_t depth, Value& out) {
    const char* const place = value.raw_json_token().data();
    const std::size_t offset = offset_of(place);
    switch (*place) {
      case '{': {
        ondemand::object object;
        return depth < max_depth_ && value.get_object().get(object) == simdjson::SUCCESS &&
               build_members(object, offset, depth + 1, out);
      }
      case '[': {
        ondemand::array array;
        return depth < max_depth_ && value.get_array().get(array) == simdjson::SUCCESS &&
               build_items(array, offset, depth + 1, out);
      }
      case '"':
        return build_string(value, place, out);
      case 't':
      case 'f':
        return build_bool(value, place, out);
      case 'n':
        return build_null(value, place, out);
      default:
        return build_number(place, out);
    }
  }

  bool build_members(ondemand::object& object, std::size_t offset, std::size_t depth, Value& out) {
    const std::size_t mark = builder_.member_mark();
    for (auto item : object) {
      ondemand::field field;
      if (std::move(item).get(field) != simdjson::SUCCESS) return false;
      const char* const key_place = field.key().raw();
      const JsonString key = read_json_string(text_from(key_place), builder_);
      Value child;
      if (!key.ok || !build(field.value(), depth, child)) return false;
      builder_.add_member(key.content, offset_of(key_place) - 1, child);
    }
    builder_.check_duplicates(mark);
    out = builder_.finish_object(mark, static_cast<std::uint32_t>(offset));
    return true;
  }

  bool build_items(ondemand::array& array, std::size_t offset, std::size_t depth, Value& out) {
    const std::size_t mark = builder_.item_mark();
    for (auto item : array) {
      ondemand::value value;
      Value child;
      if (std::move(item).get(value) != simdjson::SUCCESS || !build(value, depth, child)) return false;
      builder_.add_item(child);
    }
    out = builder_.finish_array(mark, static_cast<std::uint32_t>(offset));
    return true;
  }

  bool build_string(ondemand::value& value, const char* place, Value& out) {
    ondemand::raw_json_string raw;
    if (value.get_raw_json_string().get(raw) != simdjson::SUCCESS) return false;
    const JsonString string = read_json_string(text_from(raw.raw()), builder_);
    out = Value(Kind::kString, string.content, offset_of(place));
    return string.ok;
  }

  /// simdjson moves past a number that nobody asked for, so its conversion to double is never paid.
  bool build_number(const char* place, Value& out) const {
    const std::string_view rest = text_from(place);
    const std::size_t length = json_number_length(rest);
    out = Value(Kind::kNumber, rest.substr(0, length), offset_of(place));
    return length != 0 && ends_json_scalar(rest, length);
  }

  bool build_bool(ondemand::value& value, const char* place, Value& out) const {
    bool truth = false;
    if (value.get_bool().get(truth) != simdjson::SUCCESS) return false;
    out = Value(truth ? Kind::kTrue : Kind::kFalse, offset_of(place));
    return ends_json_scalar(text_from(place), truth ? 4 : 5);
  }

  bool build_null(ondemand::value& value, const char* place, Value& out) const {
    bool null = false;
    if (value.is_null().get(null) != simdjson::SUCCESS || !null) return false;
    out = Value(Kind::kNull, offset_of(place));
    return ends_json_scalar(text_from(place), 4);
  }

  std::string_view text_;
  std::size_t max_depth_;
  TreeBuilder& builder_;
};

/// Reads documents one behind the other.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::pmr::memory_resource& arena, const Limits& limits)
      : text_(text), limits_(limits), builder_(arena) {}

  ParseOutcome read() {
    // Nearly every text is one document, so try that first; else find each document's end, because simdjson indexes all
    // of the text that it is given.
    std::size_t at = skip_blanks(0);
    if (at < text_.size() && (text_[at] == '{' || text_[at] == '[')) {
      Value root;
      std::size_t end = 0;
      if (parse_one(text_, at, root, end)) {
        outcome_.roots.push_back(root);
        at = skip_blanks(end);
      } else {
        builder_.reset();
      }
    }
    while (at < text_.size() && read_next(at)) at = skip_blanks(at);
    if (outcome_.errors.empty()) outcome_.errors = duplicate_errors(builder_, text_);
    return std::move(outcome_);
  }

 private:
  std::size_t skip_blanks(std::size_t at) const {
    return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
  }

  /// After an error the end of a document is not known, except where every line is one object: true if `at` then stands
  /// at the next one.
  bool skip_broken_line(std::size_t& at) const {
    const std::size_t line_end = text_.find('\n', at);
    const bool starts_line = at == 0 || text_[at - 1] == '\n';
    const bool one_a_line =
        starts_line && text_[at] == '{' && text_.substr(std::min(line_end, text_.size()), 2) == "\n{";
    if (!one_a_line || outcome_.errors.back().offset > line_end || outcome_.errors.size() >= kMaxBrokenLines)
      return false;
    at = line_end + 1;
    return true;
  }

  /// Reads the document that starts at `at` and moves behind it; false after an error that ends the reading.
  bool read_next(std::size_t& at) {
    if (outcome_.roots.size() >= limits_.max_documents) {
      outcome_.errors.push_back(
          {.offset = at, .code = "too-many-documents", .message = "too many documents in one input"});
      return false;
    }
    const bool container = text_[at] == '{' || text_[at] == '[';
    const std::size_t closed = container ? json_document_end(text_, at) : std::string_view::npos;
    const std::size_t slice_end = std::min(closed, text_.size());
    Value root;
    std::size_t end = 0;
    if (!container || closed == std::string_view::npos || !parse_one(text_.substr(0, slice_end), at, root, end)) {
      builder_.reset();
      outcome_.errors.push_back(find_json_error(text_, at, !outcome_.roots.empty(), limits_.max_depth));
      return skip_broken_line(at);
    }
    outcome_.roots.push_back(root);
    at = slice_end;
    return true;
  }

  /// The document at `at` of a text that may go on behind it, at `end`.
  bool parse_one(std::string_view text, std::size_t at, Value& root, std::size_t& end) {
    const std::string_view rest = text.substr(at);
    ondemand::document document;
    if (parser_.iterate(rest.data(), rest.size(), rest.size() + kPaddingBytes).get(document) != simdjson::SUCCESS) {
      return false;
    }
    JsonWalker walker(text, limits_.max_depth, builder_);
    if (!walker.build_document(document, at, root)) return false;
    const char* place = nullptr;
    const bool more = document.current_location().get(place) == simdjson::SUCCESS;
    end = more ? static_cast<std::size_t>(place - text.data()) : text.size();
    return true;
  }

  std::string_view text_;
  const Limits& limits_;
  TreeBuilder builder_;
  ondemand::parser parser_{kMaxDocumentBytes};
  ParseOutcome outcome_;
};

}  // namespace

ParseOutcome parse_json(std::string_view text, std::pmr::memory_resource& arena, const Limits& limits) {
  return JsonReader(text, arena, limits).read();
}

}  // namespace gpusched::io
