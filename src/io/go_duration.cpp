#include "io/go_duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "gpusched/base/text.hpp"

namespace gpusched::io {

namespace {

/// In milliseconds, rounded down; none when it is another text.
std::optional<std::int64_t> parse_go_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double milliseconds;
  };
  static constexpr std::array<Unit, 6> kUnits = {
      {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}}};
  constexpr double kLongest = 1e14;
  if (text == "0") {
    return 0;
  }
  double total = 0;
  const std::string_view whole = text;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t length = std::min(text.find_first_of("0123456789."), text.size());
    const auto unit = std::ranges::find(kUnits, text.substr(0, length), &Unit::name);
    if (unit == kUnits.end()) {
      return std::nullopt;
    }
    total += number * unit->milliseconds;
    text.remove_prefix(length);
  }
  if (whole.empty() || total > kLongest) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(total);
}

}  // namespace

std::optional<std::int64_t> read_go_duration(ObjectReader& reader, std::string_view key) {
  const auto text = reader.optional_string(key);
  if (!text) {
    return std::nullopt;
  }
  const auto milliseconds = parse_go_duration(*text);
  if (!milliseconds) {
    reader.error(key, "wrong-duration", fmt::format("{} is not a duration such as 5m or 1h30m", quote(*text)));
  }
  return milliseconds.value_or(0);
}

}  // namespace gpusched::io
