#pragma once

#include "gpusched/kueue/admission.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// A GangReport of mode kueue: only what Kueue's queues decided (docs/formats/admission.md).
[[nodiscard]] Document admission_report(const kueue::AdmissionAnswer& answer);

}  // namespace gpusched::report
