#include "gpusched/base/text.hpp"
#include "gpusched/base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace gpusched {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< bytes; 0 when the text does not start with a valid UTF-8 sequence
};

/// The code point at the start of a text that is not empty.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
    return {};
  }
  std::uint32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) {
      return {};
    }
    value = value << 6 | (byte & 0x3fU);
  }
  const std::uint32_t smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < smallest || value > 0x10ffff || surrogate ? CodePoint{} : CodePoint{value, length};
}

struct Range {
  std::uint32_t first, last;
};

/// What has no width or steers: control characters, line and paragraph separators, and the code points with the
/// property Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties.txt).
constexpr std::array kInvisible = std::to_array<Range>({{0x0, 0x1f},
                                                        {0x7f, 0x9f},
                                                        {0xad, 0xad},
                                                        {0x34f, 0x34f},
                                                        {0x61c, 0x61c},
                                                        {0x115f, 0x1160},
                                                        {0x17b4, 0x17b5},
                                                        {0x180b, 0x180f},
                                                        {0x200b, 0x200f},
                                                        {0x2028, 0x202e},
                                                        {0x2060, 0x206f},
                                                        {0x3164, 0x3164},
                                                        {0xfe00, 0xfe0f},
                                                        {0xfeff, 0xfeff},
                                                        {0xffa0, 0xffa0},
                                                        {0xfff0, 0xfffb},
                                                        {0x1bca0, 0x1bca3},
                                                        {0x1d173, 0x1d17a},
                                                        {0xe0000, 0xe0fff}});

/// Combining marks that are drawn over the character before them.
constexpr std::array kCombining = std::to_array<Range>({{0x300, 0x36f},
                                                        {0x483, 0x489},
                                                        {0x591, 0x5bd},
                                                        {0x610, 0x61a},
                                                        {0x64b, 0x65f},
                                                        {0x1ab0, 0x1aff},
                                                        {0x1dc0, 0x1dff},
                                                        {0x20d0, 0x20ff},
                                                        {0xfe20, 0xfe2f}});

/// Drawn in two cells: the blocks of East_Asian_Width W and F, and emoji.
constexpr std::array kWide = std::to_array<Range>({{0x1100, 0x115f},
                                                   {0x2e80, 0x303e},
                                                   {0x3041, 0xa4cf},
                                                   {0xa960, 0xa97c},
                                                   {0xac00, 0xd7a3},
                                                   {0xf900, 0xfaff},
                                                   {0xfe30, 0xfe6f},
                                                   {0xff00, 0xff60},
                                                   {0xffe0, 0xffe6},
                                                   {0x1f300, 0x1f64f},
                                                   {0x1f680, 0x1f6ff},
                                                   {0x1f900, 0x1f9ff},
                                                   {0x20000, 0x3fffd}});

bool is_in(std::span<const Range> ranges, std::uint32_t c) {
  const auto range = std::ranges::lower_bound(ranges, c, {}, &Range::last);
  return range != ranges.end() && range->first <= c;
}

bool is_invisible(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && is_in(kInvisible, c));
}

std::size_t cells(std::uint32_t c) {
  if (c < 0x80) {
    return 1;
  }
  return is_in(kCombining, c) || is_in(kInvisible, c) ? 0 : is_in(kWide, c) ? 2 : 1;
}

std::string escaped(std::uint32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return c < 0x80      ? fmt::format("\\x{:02x}", c)
             : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                           : fmt::format("\\U{:08x}", c);
  }
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two letters ago, one letter ago, now.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = ascii_lower(a[i - 1]);
      const char y = ascii_lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == ascii_lower(b[j - 2]) && ascii_lower(a[i - 2]) == y) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string suggest(std::string_view word, std::span<const std::string_view> allowed) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::size_t best = limit + 1;
  std::string_view found;
  for (const std::string_view candidate : allowed) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    // The lengths' difference is a lower bound, which keeps a very long word cheap.
    if (longer - std::min(word.size(), candidate.size()) >= best) {
      continue;
    }
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < longer) {
      best = distance;
      found = candidate;
    }
  }
  return std::string(found);
}

std::string format_double_g(double value) {
  return fmt::format("{:g}", value);
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = decode(text).length;
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string escape_control(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (point.length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (is_invisible(point.value)) {
      result += escaped(point.value);
    } else {
      result.append(text.substr(0, point.length));
    }
    text.remove_prefix(point.length);
  }
  return result;
}

std::string shorten(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return escape_control(text);
  }
  std::size_t end = 0;
  while (true) {
    const std::size_t length = std::max<std::size_t>(1, decode(text.substr(end)).length);
    if (end + length > max_bytes) {
      break;
    }
    end += length;
  }
  return escape_control(text.substr(0, end)) + "…";
}

std::string quote(std::string_view text, std::size_t max_bytes) {
  return '"' + shorten(text, max_bytes) + '"';
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += cells(point.value);
    text.remove_prefix(std::max<std::size_t>(1, point.length));
  }
  return width;
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  text.append(width - std::min(width, used), ' ');
  return text;
}

}  // namespace gpusched
