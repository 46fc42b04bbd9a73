#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gpusched {

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment) that turn `a` into `b`, in
/// bytes. ASCII letters that differ in case only are equal.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest allowed word, the first of equals; "" when none is nearer than max(1, length of word / 3) edits or none
/// shares anything with the word.
[[nodiscard]] std::string suggest(std::string_view word, std::span<const std::string_view> allowed);

/// The words of any range of strings with the separator between them.
template <class Words>
[[nodiscard]] std::string join(const Words& words, std::string_view separator) {
  std::string text;
  std::string_view between;
  for (const auto& word : words) {
    text.append(between).append(std::string_view{word});
    between = separator;
  }
  return text;
}

/// As C's "%g" in the C locale: six significant digits.
[[nodiscard]] std::string format_double_g(double value);

/// Whether the text is UTF-8 without overlong forms, surrogates and code points above U+10FFFF.
[[nodiscard]] bool valid_utf8(std::string_view text);

/// The text with everything that could steer a terminal or hide in it made visible: control characters as \n, \t, \r,
/// \x1b or \u0085, direction marks, line separators and characters without width as \u202e or \u200b, bytes that are
/// not UTF-8 as \xff. All else stays as it is.
[[nodiscard]] std::string escape_control(std::string_view text);

/// The same for a value in a message: at most `max_bytes` bytes of it (whole characters), then "…".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t max_bytes = 40);
/// The same in double quotes.
[[nodiscard]] std::string quote(std::string_view text, std::size_t max_bytes = 40);

/// Cells of a terminal that a text of one line takes: two for East Asian wide characters, none for combining marks.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// The text with blanks up to `width` cells; a wider text stays as it is.
[[nodiscard]] std::string pad_right(std::string text, std::size_t width);

}  // namespace gpusched
