// Any bytes: a quantity that is read must print a text that reads back as the same amount and, if it has the same
// format, prints the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gpusched/base/quantity.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

namespace {

using gpusched::Quantity;
using gpusched::QuantityFormat;

/// Kubernetes prints no suffix from 1000E on, and lets exponents wrap near the end of int32: such a text says less.
bool prints_all(const Quantity& quantity) {
  const std::int32_t exponent = quantity.format() == QuantityFormat::kDecimalExponent ? 2'000'000'000 : 21;
  return quantity < Quantity::from_scaled(1, exponent) && quantity > Quantity::from_scaled(-1, exponent);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = gpusched::try_parse_quantity(text);
  const auto diagnosed = gpusched::parse_quantity(text);
  require(read.has_value() == diagnosed.has_value());
  if (!read) {
    require(diagnosed.error().size() == 1 && diagnosed.error()[0].code == "quantity-syntax");
    return 0;
  }
  const std::string printed = read->to_string();
  const auto again = gpusched::try_parse_quantity(printed);
  require(again.has_value());
  if (prints_all(*read)) {
    require(*again == *read);
    // Kubernetes prints 62.5Ki as 64000, which is read as decimal and then printed as 64k.
    require(again->to_string() == printed || again->format() != read->format());
    Quantity sum = *read;
    sum.add(*again);
    sum.sub(*again);
    require(sum == *read);
  }
  Quantity nothing = *read;
  nothing.sub(*read);
  require(nothing.is_zero());
  (void)read->value();
  (void)read->milli_value();
  (void)read->as_approximate_double();
  Quantity rounded = *read;
  require(rounded.round_up(0) == read->is_integer());
  require(rounded.is_integer());
  return 0;
}
