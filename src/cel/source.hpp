#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::cel {

/// A place in an expression: line from 1, column in code points from 0. kNowhere has no place.
struct Location {
  std::int32_t line = -1;
  std::int32_t column = -1;
};
inline constexpr Location kNowhere{};

/// Offset, in code points, of something without a place.
inline constexpr std::int32_t kNoOffset = -1;
/// Offset of what the parser could not read: before the first line's text.
inline constexpr std::int32_t kUnreadOffset = -2;

/// The text of an expression as code points; bytes that are not UTF-8 become U+FFFD, as Go reads them.
class Source {
 public:
  explicit Source(std::string_view text);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(code_points_.size()); }
  [[nodiscard]] char32_t at(std::int32_t offset) const { return code_points_[static_cast<std::size_t>(offset)]; }
  /// UTF-8 text of the code points [begin, end).
  [[nodiscard]] std::string slice(std::int32_t begin, std::int32_t end) const;
  [[nodiscard]] Location locate(std::int32_t offset) const;
  /// The text of a line without its newline; false when there is no such line.
  [[nodiscard]] bool line_text(std::int32_t line, std::string& text) const;

 private:
  std::vector<char32_t> code_points_;
  std::vector<std::int32_t> line_starts_;  ///< offset behind each newline
};

/// The errors of one compilation, worded and ordered as cel-go does.
class Errors {
 public:
  explicit Errors(const Source& source) : source_(source) {}

  void add(std::int32_t offset, std::string message);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Whether one of them comes from the parser generator.
  [[nodiscard]] bool has_syntax_error() const;
  /// One block per error in order of position, at most 100 of them.
  [[nodiscard]] std::string text() const;

 private:
  struct Entry {
    Location location;
    std::string message;
  };
  [[nodiscard]] std::string block(const Entry& entry) const;

  const Source& source_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

/// Appends a code point in UTF-8.
void append_utf8(std::string& text, char32_t code_point);
/// Reads one code point at `position` and moves it on; a byte that is not UTF-8 is U+FFFD and one byte long.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& position);
/// Whether Go's strconv prints the code point as it is: no control, format or unassigned character, no space but ' '.
/// Unassigned code points outside the private use areas are taken for printable.
[[nodiscard]] bool is_printable(char32_t code_point);
/// Number of code points, bytes that are not UTF-8 count one each.
[[nodiscard]] std::size_t count_code_points(std::string_view text);

}  // namespace gpusched::cel
