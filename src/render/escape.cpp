#include "render/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gpusched/base/text.hpp"

namespace gpusched::render {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string escape_lines(std::string_view text) {
  std::string out;
  for (std::size_t start = 0;;) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += escape_control(text.substr(start, end - start));
    if (end == text.size()) {
      return out;
    }
    out += '\n';
    start = end + 1;
  }
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : escape_lines(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  // XML 1.0 has no U+FFFE and U+FFFF, not even as references.
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = out.find(none); at != std::string::npos; at = out.find(none, at)) {
      out.replace(at, none.size(), "\xef\xbf\xbd");
    }
  }
  return out;
}

std::string xml_attribute(std::string_view text) {
  std::string out;
  for (const char c : xml_text(text)) {
    out += c == '\n' ? std::string("&#10;") : std::string(1, c);
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  const std::string safe = escape_control(text);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    if (c == '@' || c == '#') {
      // The sites look for mentions and references after Markdown is done: only another node between helps.
      out += fmt::format("{}<!-- -->", c);
    } else if (c == '&' || c == '<' || c == '>' || c == '|' || c == '`' || c == '*' || c == '_' || c == '~' ||
               c == '[' || c == ']' || c == '\\' || c == '!' || c == '$') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else if ((c == ':' && safe.compare(i + 1, 2, "//") == 0) ||
               (c == '.' && i >= 3 && (safe[i - 1] | 0x20) == 'w' && (safe[i - 2] | 0x20) == 'w')) {
      out += fmt::format("&#{};", static_cast<int>(c));  // or it becomes a link
    } else if (i == 0 && (c == '-' || c == '+' || c == '=')) {
      out += fmt::format("&#{};", static_cast<int>(c));  // a list, a heading
    } else {
      out += c;
    }
  }
  return out;
}

std::string markdown_code_block(std::string_view text) {
  std::size_t longest = 2;
  for (std::size_t i = 0, run = 0; i < text.size(); ++i) {
    run = text[i] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string safe = escape_lines(text);
  if (!safe.ends_with('\n')) {
    safe += '\n';
  }
  return fmt::format("{}text\n{}{}\n", fence, safe, fence);
}

std::string csv_cell(std::string_view text) {
  static constexpr std::string_view kFormulaStarts = "=+-@\t\r\n";
  std::string cell = escape_lines(text);
  if (!text.empty() && kFormulaStarts.contains(text.front()) && !is_number(text)) {
    cell.insert(0, 1, '\'');
  }
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    return cell;
  }
  std::string out = "\"";
  for (const char c : cell) {
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return out + '"';
}

std::string uri_of_file(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (is_word(c) || std::string_view("-._~/").contains(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace gpusched::render
