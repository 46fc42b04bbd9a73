#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "cli/inputs.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/io/cluster_dump.hpp"

namespace gpusched::cli {

/// What `chain` was asked about.
struct ChainQuestion {
  chain::ChainInput input;
  io::ClusterDump dump;  ///< as it was read, for workloads and comparisons
  Diagnostics notes;
};

/// Reads the dumps of CLUSTER, --nodes, --pods and --objects, and the settings: flags win over Setting objects, those
/// over the Secret gpustack-settings.
[[nodiscard]] Result<ChainQuestion> read_chain_question(const Arguments& arguments, Inputs& inputs);

}  // namespace gpusched::cli
