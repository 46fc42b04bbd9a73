#pragma once

namespace gpusched {

/// One callable of several, for std::visit.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace gpusched
