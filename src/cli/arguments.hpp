#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::cli {

/// The values of one command line, by option or positional name. Values that have a fallback are always there.
class Arguments {
 public:
  void set(std::string_view name, std::vector<std::string> values) { values_[std::string(name)] = std::move(values); }

  /// Options and values in the order of the command line, for flags whose order matters.
  void add_in_order(std::string_view name, std::string value) { in_order_.emplace_back(name, std::move(value)); }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& in_order() const { return in_order_; }

  [[nodiscard]] bool has(std::string_view name) const { return !all(name).empty(); }
  [[nodiscard]] const std::vector<std::string>& all(std::string_view name) const;
  /// The last value; "" when there is none.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  /// A whole number from min to max; none when the option is absent. Error code "bad-usage".
  [[nodiscard]] Result<std::optional<std::int64_t>> whole_number(std::string_view name, std::int64_t min,
                                                                 std::int64_t max) const;
  /// The values of "a,b,c" and of repetitions, one list.
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::pair<std::string, std::string>> in_order_;
};

/// A whole decimal number without sign tricks; none for anything else.
[[nodiscard]] std::optional<std::int64_t> parse_whole_number(std::string_view text);

/// An error about the command line.
[[nodiscard]] std::unexpected<Diagnostics> bad_usage(std::string message, std::string hint = {});

}  // namespace gpusched::cli
