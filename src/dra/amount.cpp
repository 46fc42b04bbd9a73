#include "dra/amount.hpp"

#include <cstdint>

namespace gpusched::dra {

namespace {

constexpr Amount kUnit = 1'000'000'000;

Amount clamp(Amount amount) {
  if (amount > kMaxAmount) return kMaxAmount;
  return amount < -kMaxAmount ? -kMaxAmount : amount;
}

}  // namespace

Amount to_amount(const Quantity& quantity) {
  if (const auto whole = quantity.as_int64()) return clamp(*whole * kUnit);
  if (quantity.sign() < 0) {
    Quantity opposite;
    opposite.sub(quantity);
    return -to_amount(opposite);
  }
  if (quantity > Quantity::from_scaled(1, 27)) return kMaxAmount;
  // Scaled values are rounded up, so one less leaves a rest above zero that the next unit can hold.
  Amount amount = 0;
  Quantity rest = quantity;
  for (const std::int32_t scale : {18, 9}) {
    if (rest <= Quantity::from_scaled(1, scale)) continue;
    const std::int64_t part = rest.scaled_value(scale) - 1;
    amount += part * (scale == 18 ? kUnit * kUnit * kUnit : kUnit * kUnit);
    rest.sub(Quantity::from_scaled(part, scale));
  }
  return clamp(amount + rest.scaled_value(-9));
}

}  // namespace gpusched::dra
