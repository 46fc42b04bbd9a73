#pragma once

#include <span>
#include <vector>

#include "gpusched/model/cluster.hpp"
#include "gpusched/placement/options.hpp"
#include "gpusched/whatif/cluster_edit.hpp"
#include "gpusched/whatif/effect.hpp"

namespace gpusched::whatif {

struct EditedCluster {
  Cluster cluster;
  std::vector<EditEffect> effects;  ///< one for each edit
};

/// Applies the edits in order to the simulator's model of a cluster. Pods that have to leave a node are placed again at
/// once, by `options`; those that find no place come first among the pods that want one. Pods keep their ids; ids of
/// nodes change when nodes are removed.
/// Errors, each with the allowed or a near value: "unknown-node", "no-node-matches", "unknown-pod", "ambiguous-pod",
/// "unknown-owner", "gpu-out-of-range", "gpu-busy", "mig-instance-busy", "mig-geometry-unknown",
/// "mig-layout-impossible", "mig-profile-unknown", "sharing-impossible", "edit-not-of-models" (SetAllocatable,
/// EvictPod, MovePod, AddNodes).
[[nodiscard]] Result<EditedCluster> apply(std::span<const ClusterEdit> edits, Cluster cluster,
                                          const placement::Options& options);

}  // namespace gpusched::whatif
