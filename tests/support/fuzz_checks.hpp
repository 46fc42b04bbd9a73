#pragma once

#include <cstdlib>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/base/text.hpp"

/// What fuzz targets hold every input against; a broken promise ends the process.
namespace gpusched::testing {

inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// Every diagnostic has a code and a text that can be printed.
inline void require_readable(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    require(!diagnostic.code.empty() && !diagnostic.message.empty() && valid_utf8(diagnostic.message));
  }
}

}  // namespace gpusched::testing
