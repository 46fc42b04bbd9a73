// Any bytes: the reader of prices never crashes, gives either errors with a text or prices that are not negative, and
// reads its input the same way twice.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/price_list.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const io::Source source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  const Result<io::PriceList> prices = io::read_prices(source);
  if (!prices) {
    require(!prices.error().empty());
    for (const Diagnostic& diagnostic : prices.error()) {
      require(!diagnostic.code.empty() && !diagnostic.message.empty() && valid_utf8(diagnostic.message));
    }
    return 0;
  }
  for (const auto& [name, price] : *prices) require(price >= 0);
  require(io::read_prices(source) == prices);
  return 0;
}
