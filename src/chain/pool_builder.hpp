#pragma once

#include "gpusched/chain/chain.hpp"

namespace gpusched::chain {

/// Fills Chain::pools from its nodes, topologies, flavors and checks.
void build_pools(const ChainInput& input, Chain& chain);

}  // namespace gpusched::chain
