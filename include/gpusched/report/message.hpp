#pragma once

#include <span>
#include <string_view>

#include "gpusched/explain/message.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// The MessageReport: a scheduler's message taken apart, and what it means.
[[nodiscard]] Document message_report(std::string_view text, const explain::SchedulingMessage& message,
                                      std::span<const explain::Finding> findings);

}  // namespace gpusched::report
