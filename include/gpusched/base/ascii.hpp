#pragma once

#include <algorithm>
#include <string>
#include <string_view>

/// Letters of ASCII, whatever the locale. Everything else stays as it is.
namespace gpusched {

[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = ascii_lower(c);
  }
  return lower;
}

[[nodiscard]] inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

}  // namespace gpusched
