#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/value.hpp"

namespace gpusched::cel {

/// string.format of cel-go before version 4: %f and %e by the locale en_US. The error is the message.
[[nodiscard]] std::expected<std::string, std::string> format_string(std::string_view format,
                                                                    std::span<const Value> args);

/// One clause of a format string.
struct FormatClause {
  char verb = 's';
  std::optional<std::size_t> precision;
  std::size_t argument = 0;
};

/// Splits a format string: `text` gets what stands between, `clause` each clause, in order. The first non-empty answer
/// of `clause`, or a message of its own, ends it and is returned. `checking`: at compile time a lone % at the end is
/// noticed before a missing argument.
[[nodiscard]] std::string walk_format(std::string_view format, std::size_t arguments, bool checking,
                                      const std::function<void(std::string_view)>& text,
                                      const std::function<std::string(const FormatClause&)>& clause);

/// "... was given %s" for a verb and the name of a type that it does not take.
[[nodiscard]] std::string format_type_error(char verb, std::string_view type);

/// %f and %e.
[[nodiscard]] std::string format_fixed(double value, std::size_t precision);
[[nodiscard]] std::string format_scientific(double value, std::size_t precision);

}  // namespace gpusched::cel
