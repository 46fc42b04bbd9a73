#pragma once

#include <span>

#include "gpusched/report/document.hpp"
#include "gpusched/whatif/effect.hpp"

namespace gpusched::report {

/// The answer for the edited cluster with the member `whatIf`: the edits and the answer for the cluster as it was
/// (docs/formats/what-if.md).
[[nodiscard]] Document with_what_if(const Document& after, std::span<const whatif::EditEffect> edits,
                                    const Document& before);

}  // namespace gpusched::report
