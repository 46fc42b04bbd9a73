#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::io {

/// Reads a text table record by record: cells between commas, in double quotes where they hold commas, quotes (doubled)
/// or line feeds (RFC 4180). LF or CRLF; blank lines are left out.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  /// Fills `cells` with the next record; false at the end of the text. Blanks around cells are cut.
  [[nodiscard]] bool next(std::vector<std::string>& cells);
  /// The line on which the last record started, from 1.
  [[nodiscard]] std::uint32_t line() const { return record_line_; }
  /// Whether the last record ended within quotes.
  [[nodiscard]] bool unclosed() const { return unclosed_; }

 private:
  void read_quoted(std::string& cell);

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, record_line_ = 1;
  bool unclosed_ = false;
};

}  // namespace gpusched::io
