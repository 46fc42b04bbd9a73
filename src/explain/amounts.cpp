#include "explain/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/whatif/pod_edit.hpp"

namespace gpusched::explain {

namespace {

constexpr std::array<std::string_view, 6> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
constexpr std::int64_t kStep = 1024;
constexpr std::ptrdiff_t kFewDigits = 4;

bool is_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

}  // namespace

std::int64_t rounded_down(std::string_view resource, std::int64_t amount) {
  constexpr std::int64_t kWellTold = 100;
  std::int64_t unit = 1;
  while (is_bytes(resource) && amount / unit / kStep >= kWellTold) {
    unit *= kStep;
  }
  return amount / unit * unit;
}

std::string prose_amount(std::string_view resource, std::int64_t amount, Rounding rounding) {
  std::string exact = whatif::amount_text(resource, amount);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!is_bytes(resource) || amount <= 0 || std::ranges::count_if(exact, is_digit) <= kFewDigits) {
    return exact;
  }
  std::size_t unit = 0;
  std::int64_t bytes = 1;
  while (unit + 1 < kUnits.size() && amount / bytes >= kStep) {
    bytes *= kStep;
    ++unit;
  }
  const std::int64_t rest = amount % bytes;
  // A tenth of the largest unit, 2^50, leaves room for the factor 10.
  std::int64_t tenths = amount / bytes * 10 + rest * 10 / bytes;
  tenths += rounding == Rounding::kUp && rest * 10 % bytes != 0 ? 1 : 0;
  return tenths % 10 == 0 ? fmt::format("{}{}", tenths / 10, kUnits[unit])
                          : fmt::format("{}.{}{}", tenths / 10, tenths % 10, kUnits[unit]);
}

}  // namespace gpusched::explain
