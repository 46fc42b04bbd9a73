#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/inputs.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/objects/kueue_configuration.hpp"
#include "gpusched/objects/kueue_input.hpp"

namespace gpusched::cli {

/// What `chain` was asked about.
struct ChainQuestion {
  chain::ChainInput input;
  objects::KueueObjects kueue;  ///< of the same dumps
  Diagnostics notes;
};

/// What Kueue is told beside the objects: --kueue-config, --events, --clock, --kueue-version.
struct KueueOptions {
  std::optional<objects::KueueConfiguration> configuration;
  std::vector<objects::KueueEvent> events;
  std::int64_t start_seconds = 0;
  bool as_kueue_017 = false;
};
[[nodiscard]] Result<KueueOptions> read_kueue_options(const Arguments& arguments, Inputs& inputs,
                                                      const objects::KueueObjects& kueue);

/// Reads the dumps of CLUSTER, --nodes, --pods and --objects, and the settings: flags win over Setting objects, those
/// over the Secret gpustack-settings.
[[nodiscard]] Result<ChainQuestion> read_chain_question(const Arguments& arguments, Inputs& inputs);

}  // namespace gpusched::cli
