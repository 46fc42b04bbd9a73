#pragma once

#include <string_view>

#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// What answers depend on beside the input: which program, and which releases of the real systems it agrees with.
struct VersionFacts {
  std::string_view version;     ///< of gpusched, "0.1.0"
  std::string_view compiler;    ///< "g++ 12.2.0"
  std::string_view build_type;  ///< "Release"
};

/// Kind VersionReport.
[[nodiscard]] Document version_report(const VersionFacts& facts);

}  // namespace gpusched::report
