#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cel/value.hpp"

namespace gpusched::cel {

/// The number as an integer when it is one exactly.
[[nodiscard]] std::optional<std::int64_t> exact_int(double value);
[[nodiscard]] std::optional<std::uint64_t> exact_uint(double value);

/// -1, 0, 1 for two numbers of any of the three types; NaN is the caller's business.
[[nodiscard]] int compare_numbers(const Value& a, const Value& b);
[[nodiscard]] inline bool is_number(const Value& v) {
  return v.is(Kind::kInt) || v.is(Kind::kUint) || v.is(Kind::kDouble);
}

/// Go's %g: the shortest digits that read back, exponent below 10^-4 and from 10^6 on.
[[nodiscard]] std::string shortest(double value);
/// Go's FormatFloat(value, 'f', -1): the shortest digits without exponent.
[[nodiscard]] std::string shortest_fixed(double value);

/// Go's strconv.Quote.
[[nodiscard]] std::string go_quote(std::string_view text);

}  // namespace gpusched::cel
