#pragma once

#include <nlohmann/json.hpp>

#include "gpusched/chain/chain.hpp"
#include "gpusched/report/chain.hpp"

namespace gpusched::report {

/// The objects of the chain as Kubernetes has them, grouped by kind in the order in which they come to be.
[[nodiscard]] nlohmann::ordered_json chain_object_list(const chain::Chain& chain, const chain::Settings& settings,
                                                       ChainStage stage, bool with_status);

}  // namespace gpusched::report
