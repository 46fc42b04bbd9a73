#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "gpusched/base/diagnostic.hpp"
#include "gpusched/dra/features.hpp"
#include "gpusched/dra/in_use.hpp"
#include "gpusched/dra/node_facts.hpp"
#include "gpusched/io/dra_objects.hpp"

namespace gpusched::cli {

/// What `dra` asks about.
struct DraCluster {
  std::vector<dra::NodeFacts> nodes;  ///< fixtures first, then those of dumps
  io::DraObjects objects;             ///< slices published for fixtures come first; taint rules are applied already
  dra::InUse held;                    ///< by the pods of fixtures
  Diagnostics notes;
};

/// Reads --cluster and --nodes (fixtures and dumps) and --objects (Kubernetes objects).
[[nodiscard]] Result<DraCluster> read_dra_cluster(const Arguments& arguments);

/// The allocator features of --k8s-version and --features.
[[nodiscard]] Result<dra::Features> dra_features(const Arguments& arguments);

}  // namespace gpusched::cli
