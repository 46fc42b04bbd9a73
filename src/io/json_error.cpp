#include "io/json_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "io/excerpt.hpp"
#include "io/json_token.hpp"

namespace gpusched::io {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A validating scan with its own stack; stops at the first error.
class JsonScan {
 public:
  JsonScan(std::string_view text, std::size_t start, const Limits& limits) : text_(text), at_(start), limits_(limits) {}

  std::optional<SyntaxError> run() {
    while (!error_) {
      skip_blanks();
      if (!read_value()) break;
      if (!close_finished() || open_.empty()) break;
    }
    return std::move(error_);
  }

 private:
  struct Container {
    std::size_t offset = 0;
    bool object = false;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  std::string found() const { return found_at(text_, at_); }

  bool stop(std::size_t offset, std::string code, std::string message, std::string hint = {}, bool maybe_yaml = false) {
    error_ = SyntaxError{offset, std::move(code), std::move(message), std::move(hint), maybe_yaml};
    return false;
  }

  bool stop_at_end() {
    if (open_.empty()) return stop(at_, "cut-off", "the text ends where a value is expected");
    const Container& innermost = open_.back();
    return stop(at_, "cut-off",
                fmt::format("the text ends inside the {} that starts on line {}", innermost.object ? "object" : "list",
                            position_of(text_, innermost.offset).line),
                "the file may be cut off; write it again");
  }

  bool stop_at_token(std::string expected, std::string hint = {}, bool maybe_yaml = false) {
    if (at_end()) return stop_at_end();
    if (peek() == '#') {
      hint = "JSON has no comments";
      maybe_yaml = true;
    } else if (text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "/*") {
      hint = "JSON has no comments";
    }
    return stop(at_, "json-syntax", fmt::format("expected {}, found {}", expected, found()), std::move(hint),
                maybe_yaml);
  }

  /// Reads a scalar, or opens containers up to and including the first scalar or empty container.
  bool read_value() {
    while (true) {
      const char c = peek();
      if (c != '{' && c != '[') return read_scalar();
      if (open_.size() >= limits_.max_depth) {
        return stop(at_, "too-deep", fmt::format("more than {} objects and lists are nested here", limits_.max_depth));
      }
      open_.push_back({at_, c == '{'});
      ++at_;
      skip_blanks();
      if (peek() == (c == '{' ? '}' : ']') && !at_end()) return true;
      if (c == '{' && !read_key(false)) return false;
      if (c == '[' && at_end()) return stop_at_end();
    }
  }

  bool read_key(bool after_comma) {
    skip_blanks();
    const std::string_view what = after_comma ? "a key in double quotes after ','" : "a key in double quotes or '}'";
    if (at_end()) return stop_at_end();
    if (peek() == '}') return stop_at_token(std::string(what), "remove the comma before '}'");
    if (peek() == '\'') return stop_at_token(std::string(what), "JSON takes double quotes", true);
    const bool bare = is_letter(peek()) || peek() == '_' || peek() == '<' || peek() == '*' || peek() == '?';
    if (bare) return stop_at_token(std::string(what), fmt::format("put {} in double quotes", bare_word()), true);
    if (peek() == '{') return stop_at_token(std::string(what), "if this is a template, render it first");
    if (peek() != '"') return stop_at_token(std::string(what));
    const std::size_t key_start = at_;
    if (!read_string()) return false;
    const std::string_view key = text_.substr(key_start + 1, at_ - key_start - 2);
    skip_blanks();
    if (peek() != ':') return stop_at_token(fmt::format("':' after the key {}", quote(key)));
    ++at_;
    skip_blanks();
    return true;
  }

  std::string bare_word() const {
    std::size_t end = text_.find_first_of(" \t\r\n:,{}[]\"'", at_);
    end = std::min(end, text_.size());
    return end == at_ ? "the key" : shorten(text_.substr(at_, end - at_), 24);
  }

  /// Behind a value: closes containers until one goes on with ','. False after an error.
  bool close_finished() {
    while (!open_.empty()) {
      skip_blanks();
      const bool object = open_.back().object;
      if (at_end()) return stop_at_end();
      if (peek() == (object ? '}' : ']')) {
        open_.pop_back();
        ++at_;
        continue;
      }
      if (peek() != ',') return stop_behind_value(object);
      ++at_;
      if (object) return read_key(true);
      skip_blanks();
      if (peek() == ']') return stop_at_token("a value after ','", "remove the comma before ']'");
      return true;
    }
    return true;
  }

  bool stop_behind_value(bool object) {
    const std::string expected = object ? "',' or '}' after a member" : "',' or ']' after an item";
    if (peek() == (object ? ']' : '}')) {
      const std::uint32_t line = position_of(text_, open_.back().offset).line;
      return stop_at_token(expected, limits_.cut_out || line == position_of(text_, at_).line
                                         ? std::string()
                                         : fmt::format("the {} starts on line {}", object ? "object" : "list", line));
    }
    return stop_at_token(expected, peek() == '"' ? "a comma may be missing" : "");
  }

  bool read_scalar() {
    if (at_end()) return stop_at_end();
    const char c = peek();
    if (c == '"') return read_string();
    if (c == '-' || (c >= '0' && c <= '9')) return read_number();
    for (const std::string_view literal : {"true", "false", "null"}) {
      if (!text_.substr(at_).starts_with(literal) || !ends_json_scalar(text_, at_ + literal.size())) continue;
      at_ += literal.size();
      return true;
    }
    if (c == '\'') return stop_at_token("a value", "JSON takes double quotes", true);
    return stop_at_token("a value", literal_hint(), c == '&' || c == '*' || c == '!' || c == '|' || c == '>');
  }

  std::string literal_hint() const {
    constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
        {"True", "write true"},      {"TRUE", "write true"},
        {"False", "write false"},    {"FALSE", "write false"},
        {"None", "write null"},      {"nil", "write null"},
        {"undefined", "write null"}, {"NULL", "write null"},
        {"NaN", "JSON has no NaN"},  {"Infinity", "JSON has no Infinity"}};
    for (const auto& [spelling, hint] : kSpellings) {
      if (text_.substr(at_).starts_with(spelling)) return std::string(hint);
    }
    return is_letter(peek()) ? fmt::format("put the string {} in double quotes", bare_word()) : "";
  }

  bool read_number() {
    const std::size_t length = json_number_length(text_.substr(at_));
    if (length != 0 && ends_json_scalar(text_, at_ + length)) {
      at_ += length;
      return true;
    }
    const std::size_t digit = text_[at_] == '-' ? at_ + 1 : at_;
    const bool leading_zero =
        text_.substr(digit, 1) == "0" && digit + 1 < text_.size() && text_[digit + 1] >= '0' && text_[digit + 1] <= '9';
    return stop(at_, "json-syntax", fmt::format("{} is not a number of JSON", found()),
                leading_zero ? "remove the leading zeros, or put it in double quotes" : "");
  }

  bool read_string() {
    const std::size_t start = at_++;
    while (true) {
      if (at_end()) {
        return stop(start, "cut-off", fmt::format("the string {} is never closed", quote(text_.substr(start + 1), 24)),
                    "the file may be cut off, or a closing double quote is missing");
      }
      const char c = peek();
      if (c == '"') break;
      if (c == '\n' || c == '\r') {
        return stop(start, "json-syntax",
                    fmt::format("the string {} has no closing quote on its line",
                                quote(text_.substr(start + 1, at_ - start - 1), 24)),
                    "a line break inside a string is written \\n");
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return stop(at_, "control-character", fmt::format("the control character {} stands inside a string", found()),
                    "write it as an escape such as \\u0000");
      }
      const std::size_t step = c == '\\' ? json_escape_length(text_.substr(at_, 12)) : 1;
      if (step == 0) {
        return stop(at_, "json-syntax", fmt::format("{} is not an escape of JSON", found_escape()),
                    R"(allowed are \" \\ \/ \b \f \n \r \t \uXXXX)");
      }
      at_ += step;
    }
    ++at_;
    return true;
  }

  std::string found_escape() const {
    const std::string_view escape = text_.substr(at_, text_.substr(at_ + 1, 1) == "u" ? 6 : 2);
    return "'" + shorten(escape.substr(0, escape.find('"', 1)), 12) + "'";
  }

  std::string_view text_;
  std::size_t at_;
  const Limits& limits_;
  std::vector<Container> open_;
  std::optional<SyntaxError> error_;
};

}  // namespace

SyntaxError find_json_error(std::string_view text, std::size_t start, bool follows_document, const Limits& limits) {
  SyntaxError error{text.size(), "json-syntax", "this is not valid JSON"};
  if (start < text.size() && text[start] != '{' && text[start] != '[') {
    const bool maybe_yaml = text.substr(start, 3) == "---" || text[start] == '#';
    const bool comment = text.substr(start, 2) == "//" || text.substr(start, 2) == "/*";
    error = {start, "json-syntax", fmt::format("expected '{{' or '[', found {}", found_at(text, start)),
             comment            ? "JSON has no comments"
             : follows_document ? "the first document ends before this place"
                                : "",
             maybe_yaml};
  } else if (std::optional<SyntaxError> found = JsonScan(text, start, limits).run()) {
    error = std::move(*found);
  }
  const std::size_t bad_byte = find_invalid_utf8(text.substr(start, error.offset - start + 4));  // 4: a whole character
  if (bad_byte != std::string_view::npos && start + bad_byte <= error.offset) {
    const auto byte = static_cast<unsigned char>(text[start + bad_byte]);
    return {start + bad_byte, "invalid-utf8", fmt::format("the byte 0x{:02x} is not valid UTF-8", byte),
            "convert the file, for example with iconv -f LATIN1 -t UTF-8"};
  }
  return error;
}

}  // namespace gpusched::io
