#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched::cel {

/// The text of a string literal with quotes and prefix r; the error is the message for the user.
[[nodiscard]] std::expected<std::string, std::string_view> unquote(std::string_view literal, bool bytes);

/// Go's strconv: ParseInt, ParseUint (base 10 or 16), ParseFloat. Nothing when the text is wrong or out of range.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text, int base = 10);
[[nodiscard]] std::optional<std::uint64_t> parse_uint(std::string_view text, int base = 10);
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

}  // namespace gpusched::cel
