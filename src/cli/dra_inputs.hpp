#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cli/arguments.hpp"
#include "gpusched/base/diagnostic.hpp"
#include "gpusched/dra/features.hpp"
#include "gpusched/dra/in_use.hpp"
#include "gpusched/dra/node_facts.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/whatif/cluster_edit.hpp"
#include "gpusched/whatif/effect.hpp"

namespace gpusched::cli {

/// What `dra` asks about.
struct DraCluster {
  std::vector<dra::NodeFacts> nodes;  ///< fixtures first, then those of dumps
  io::DraObjects objects;             ///< slices published for fixtures come first; taint rules are applied already
  dra::InUse held;                    ///< by the pods of fixtures
  Diagnostics notes;
};

/// The cluster, and what edits make of it.
struct DraQuestion {
  DraCluster cluster;
  std::optional<DraCluster> edited;           ///< with edits; nodes that they cordoned are left out
  std::vector<whatif::EditEffect> effects{};  ///< one for each edit
};

/// Reads --cluster and --nodes (fixtures and dumps) and --objects (Kubernetes objects). With edits, nodes must be all
/// of fixtures or all of dumps.
[[nodiscard]] Result<DraQuestion> read_dra_question(const Arguments& arguments,
                                                    std::span<const whatif::ClusterEdit> edits,
                                                    const dra::Features& features);

/// The allocator features of --k8s-version and --features.
[[nodiscard]] Result<dra::Features> dra_features(const Arguments& arguments);

}  // namespace gpusched::cli
