#pragma once

#include <string>

#include "dra/trials.hpp"

namespace gpusched::dra {

/// Why no node can allocate a claim, as a sentence without a subject.
[[nodiscard]] std::string reason_against(Trials& trials, const objects::ResourceClaim& claim);

}  // namespace gpusched::dra
