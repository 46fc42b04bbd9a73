#pragma once

#include <vector>

#include "cli/inputs.hpp"
#include "gpusched/whatif/repartition.hpp"

namespace gpusched::cli {

/// The MIG instances that --repartition-for names: "1g.10gb=6,3g.40gb=2", or those of the pods of a file; none
/// without it.
[[nodiscard]] Result<std::vector<whatif::MixEntry>> wanted_mix(const Arguments& arguments, Inputs& inputs);

}  // namespace gpusched::cli
