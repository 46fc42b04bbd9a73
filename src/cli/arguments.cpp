#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "gpusched/base/text.hpp"

namespace gpusched::cli {

const std::vector<std::string>& Arguments::all(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

std::string_view Arguments::get(std::string_view name) const {
  const std::vector<std::string>& values = all(name);
  return values.empty() ? std::string_view() : std::string_view(values.back());
}

Result<std::optional<std::int64_t>> Arguments::whole_number(std::string_view name, std::int64_t min,
                                                            std::int64_t max) const {
  if (!has(name)) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = parse_whole_number(get(name));
  if (!number || *number < min || *number > max) {
    return bad_usage(fmt::format("--{} takes a whole number from {} to {}, not {}", name, min, max, quote(get(name))));
  }
  return number;
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  std::vector<std::string> result;
  for (const std::string& value : all(name)) {
    std::size_t start = 0;
    while (start <= value.size()) {
      const std::size_t comma = std::min(value.find(',', start), value.size());
      result.push_back(value.substr(start, comma - start));
      start = comma + 1;
    }
  }
  return result;
}

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::unexpected<Diagnostics> bad_usage(std::string message, std::string hint) {
  return fail("bad-usage", std::move(message), std::move(hint));
}

}  // namespace gpusched::cli
