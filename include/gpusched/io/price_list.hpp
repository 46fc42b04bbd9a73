#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::io {

/// Prices by name, in millionths of whatever the list counts in.
using PriceList = std::map<std::string, std::int64_t>;

/// Reads a list of prices: lines "name,price" of CSV (a first line whose price has no digit is a header), or one JSON
/// or YAML object of numbers. A price has at most nine digits before the point and six after it. Errors name file and
/// line.
[[nodiscard]] Result<PriceList> read_prices(Source source);

}  // namespace gpusched::io
