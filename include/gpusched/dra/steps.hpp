#pragma once

#include <cstdint>
#include <string>

namespace gpusched::dra {

__extension__ typedef unsigned __int128 Steps;  // NOLINT: -Wpedantic

/// Sums stop here, about 1.7e38.
inline constexpr Steps kMaxSteps = ~Steps{0} >> 1U;

[[nodiscard]] constexpr Steps add_steps(Steps a, Steps b) {
  return a > kMaxSteps - b ? kMaxSteps : a + b;
}
[[nodiscard]] std::string to_string(Steps steps);

}  // namespace gpusched::dra
