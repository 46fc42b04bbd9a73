#pragma once

#include "gpusched/explain/verify.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// The VerificationReport.
[[nodiscard]] Document verification_report(const explain::Verification& verification);

}  // namespace gpusched::report
