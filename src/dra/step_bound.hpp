#pragma once

#include "dra/problem.hpp"

namespace gpusched::dra {

/// A bound that the calls of the real search for a question never pass, by counting choices without looking at what
/// they exclude. Infinite when it is beyond a double.
[[nodiscard]] double step_bound(const Problem& problem);

}  // namespace gpusched::dra
