#pragma once

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::chain {

/// Gives every node without Devices such as its labels and resources tell: models from the operator's own labels, else
/// from GPU Feature Discovery (nvidia.com/gpu.product, .count, .memory) and the device plugin's nvidia.com/gpu and
/// nvidia.com/mig-<profile>. All accelerators count as free, and a note says what was assumed.
[[nodiscard]] Diagnostics derive_devices(ChainInput& input);

/// The nodes of a cluster of the simulator's own with the Devices that they would have: GPUs that somebody holds are
/// exclusive, held MIG instances are live, everything else is free.
[[nodiscard]] Diagnostics add_model(ChainInput& input, const ClusterUsage& usage);

}  // namespace gpusched::chain
