#include "cel/source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <range/v3/algorithm/stable_sort.hpp>

namespace gpusched::cel {
namespace {

constexpr std::size_t kMaxErrors = 100;
constexpr std::size_t kMaxSnippet = 16384;  // in bytes; longer lines are not shown
constexpr char32_t kReplacement = 0xFFFD;

/// Smallest code point that needs so many bytes; shorter encodings of it are not UTF-8.
constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

void append_utf8(std::string& text, char32_t code_point) {
  const auto byte = [&text](char32_t value) { text.push_back(static_cast<char>(value)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  } else {
    byte(0xF0 | (code_point >> 18));
    byte(0x80 | ((code_point >> 12) & 0x3F));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  }
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  const std::size_t length = sequence_length(lead);
  if (length == 1) {
    ++position;
    return lead;
  }
  if (length == 0 || position + length > text.size()) {
    ++position;
    return kReplacement;
  }
  char32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[position + i]);
    if ((next & 0xC0) != 0x80) {
      ++position;
      return kReplacement;
    }
    value = (value << 6) | (next & 0x3F);
  }
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    ++position;
    return kReplacement;
  }
  position += length;
  return value;
}

bool is_printable(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kHidden[] = {{0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x0600, 0x0605},
                               {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x1680, 0x1680},
                               {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},
                               {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
                               {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
                               {0xF0000, 0x10FFFF}};
  return std::ranges::none_of(kHidden, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

std::size_t count_code_points(std::string_view text) {
  // Nearly all texts are ASCII: eight bytes at a time.
  std::size_t ascii = 0;
  for (std::uint64_t word = 0; ascii + sizeof(word) <= text.size(); ascii += sizeof(word)) {
    std::memcpy(&word, text.data() + ascii, sizeof(word));
    if ((word & 0x8080'8080'8080'8080U) != 0) break;
  }
  if (text.size() >= sizeof(std::uint64_t) && ascii + sizeof(std::uint64_t) > text.size()) {
    std::uint64_t last = 0;  // eight bytes, of which some were looked at
    std::memcpy(&last, text.data() + text.size() - sizeof(last), sizeof(last));
    if ((last & 0x8080'8080'8080'8080U) == 0) return text.size();
  }
  while (ascii < text.size() && static_cast<unsigned char>(text[ascii]) < 0x80) ++ascii;
  std::size_t count = ascii;
  for (std::size_t i = ascii; i < text.size(); ++count) (void)next_code_point(text, i);
  return count;
}

Source::Source(std::string_view text) {
  code_points_.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    code_points_.push_back(next_code_point(text, i));
    if (code_points_.back() == U'\n') line_starts_.push_back(size());
  }
}

std::string Source::slice(std::int32_t begin, std::int32_t end) const {
  std::string text;
  for (std::int32_t i = begin; i < std::min(end, size()); ++i) append_utf8(text, at(i));
  return text;
}

Location Source::locate(std::int32_t offset) const {
  if (offset == kNoOffset) return kNowhere;
  if (offset == kUnreadOffset || code_points_.empty()) return {1, -1};
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::int32_t>(next - line_starts_.begin()) + 1;
  return {line, next == line_starts_.begin() ? offset : offset - *(next - 1)};
}

bool Source::line_text(std::int32_t line, std::string& text) const {
  const auto lines = static_cast<std::int32_t>(line_starts_.size());
  if (line < 1 || line > lines + 1 || code_points_.empty()) return false;
  const std::int32_t begin = line == 1 ? 0 : line_starts_[static_cast<std::size_t>(line - 2)];
  const std::int32_t end = line <= lines ? line_starts_[static_cast<std::size_t>(line - 1)] - 1 : size();
  text = slice(begin, end);
  return true;
}

void Errors::add(std::int32_t offset, std::string message) {
  ++count_;
  if (count_ <= kMaxErrors) entries_.push_back({source_.locate(offset), std::move(message)});
}

bool Errors::has_syntax_error() const {
  return std::ranges::any_of(entries_,
                             [](const Entry& e) { return e.message.find("Syntax error") != std::string::npos; });
}

std::string Errors::block(const Entry& entry) const {
  std::string text =
      fmt::format("ERROR: <input>:{}:{}: {}", entry.location.line, entry.location.column + 1, entry.message);
  std::string line;
  if (!source_.line_text(entry.location.line, line) || line.size() > kMaxSnippet) return text;
  std::ranges::replace(line, '\t', ' ');
  text += "\n | " + line + "\n | ";
  std::size_t position = 0;
  for (std::int32_t i = 0; i < entry.location.column && position < line.size(); ++i) {
    const std::size_t before = position;
    (void)next_code_point(line, position);
    text += position - before > 1 ? "．" : ".";
  }
  const std::size_t before = position;
  if (position < line.size()) (void)next_code_point(line, position);
  text += position - before > 1 ? "＾" : "^";
  return text;
}

std::string Errors::text() const {
  std::vector<Entry> sorted = entries_;
  ranges::stable_sort(sorted, [](const Entry& a, const Entry& b) {
    return a.location.line != b.location.line ? a.location.line < b.location.line
                                              : a.location.column < b.location.column;
  });
  std::string text;
  for (const Entry& entry : sorted) text += (text.empty() ? "" : "\n") + block(entry);
  if (count_ > kMaxErrors) text += fmt::format("\n{} more errors were truncated", count_ - kMaxErrors);
  return text;
}

}  // namespace gpusched::cel
