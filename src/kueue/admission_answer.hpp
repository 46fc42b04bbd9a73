#pragma once

#include "gpusched/kueue/admission.hpp"
#include "kueue/journal.hpp"
#include "kueue/state.hpp"

namespace gpusched::kueue {

/// What has become of all Workloads that exist, and the evictions so far.
[[nodiscard]] AdmissionAnswer answer_of(const State& state, const Journal& journal);

}  // namespace gpusched::kueue
