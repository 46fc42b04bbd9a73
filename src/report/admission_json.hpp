#pragma once

#include <nlohmann/json.hpp>

#include "gpusched/kueue/admission.hpp"

namespace gpusched::report {

/// The member `admission` of a report.
[[nodiscard]] nlohmann::ordered_json admission_object(const kueue::AdmissionAnswer& answer);

}  // namespace gpusched::report
