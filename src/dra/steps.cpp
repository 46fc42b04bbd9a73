#include "gpusched/dra/steps.hpp"

#include <algorithm>

namespace gpusched::dra {

std::string to_string(Steps steps) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(steps % 10));
    steps /= 10;
  } while (steps != 0);
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace gpusched::dra
