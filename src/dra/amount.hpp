#pragma once

#include "gpusched/base/quantity.hpp"

namespace gpusched::dra {

/// A quantity in units of 10^-9, the smallest that Kubernetes keeps: exact and cheap to add and compare.
__extension__ typedef __int128 Amount;

/// Amounts beyond this, about 1.3e27 units, are cut to it; sums of some hundred thousand of them still fit.
inline constexpr Amount kMaxAmount = Amount{1} << 120U;

[[nodiscard]] Amount to_amount(const Quantity& quantity);

}  // namespace gpusched::dra
