#pragma once

#include <string>

#include "gpusched/dra/claim_series.hpp"

namespace gpusched::dra {

/// Why no node can allocate a claim, as a sentence without a subject. `in_use` is what is held at that moment.
[[nodiscard]] std::string reason_against(const ClaimSeriesInput& input, const InUse& in_use,
                                         const objects::ResourceClaim& claim, SelectorEvaluator& selectors);

}  // namespace gpusched::dra
