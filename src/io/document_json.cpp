#include "io/document_json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <string>
#include <utility>

#include "io/excerpt.hpp"
#include "io/json_error.hpp"
#include "io/json_token.hpp"
#include "io/json_tree.hpp"

namespace gpusched::io {

namespace {

namespace ondemand = simdjson::ondemand;

/// Each one costs a search for the document's end.
constexpr std::size_t kMaxBrokenLines = 50;

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
    if (outcome_.errors.empty()) outcome_.errors = duplicate_errors(builder_, text_, !limits_.cut_out);
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
      outcome_.errors.push_back(find_json_error(text_, at, !outcome_.roots.empty(), limits_));
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
    if (!build_json_tree(document, text, at, limits_.max_depth, builder_, root)) return false;
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
