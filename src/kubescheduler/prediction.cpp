#include "gpusched/kubescheduler/prediction.hpp"

#include <array>

namespace gpusched::kubescheduler {

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 6> kNames = {"scheduled", "unschedulable", "gated",
                                                      "waiting",   "error",         "undecided"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(StatusCode code) {
  constexpr std::array<std::string_view, 4> kNames = {"Success", "Unschedulable", "UnschedulableAndUnresolvable",
                                                      "Error"};
  return kNames[static_cast<std::size_t>(code)];
}

}  // namespace gpusched::kubescheduler
