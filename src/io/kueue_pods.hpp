#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/objects/kueue_workload.hpp"

namespace gpusched::io {

/// The Workloads that Kueue makes of pods with the label kueue.x-k8s.io/queue-name that nothing controls and that have
/// no node yet: one for each pod, or one for a pod group (label kueue.x-k8s.io/pod-group-name) with a pod set for each
/// role. Of a group the name is the Workload's; a role is named by the hash that Kueue's webhook writes into the
/// annotation kueue.x-k8s.io/role-hash, else "role-1", "role-2" in the order of the pods. Warnings ("pod-group"):
/// groups of which Kueue makes no Workload, in its words. `known`: Workloads that are there, whose groups are left out.
/// Priorities are open until `add_workloads`. Source: sigs.k8s.io/kueue v0.17.0,
/// pkg/controller/jobs/pod/pod_controller.go.
[[nodiscard]] std::vector<objects::Workload> workloads_of_pods(const ClusterDump& dump,
                                                               std::string_view default_namespace,
                                                               std::span<const objects::Workload> known,
                                                               Diagnostics& warnings);

}  // namespace gpusched::io
