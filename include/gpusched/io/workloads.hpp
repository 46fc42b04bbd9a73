#pragma once

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/cluster_dump.hpp"

/// Pods that do not exist yet: workloads as sets of equal pods, and what the API server would say to a pod from a file.
namespace gpusched::io {

/// Puts the pods that the workloads of a dump would make among its pods, in input order. A workload is an object with
/// pod templates inside, whatever its kind; `replicas`, `parallelism` (at most `completions`), `numOfHosts`, `count`
/// and the size of a LeaderWorkerSet's groups on the way to a template multiply. Pods are called "job/train-0",
/// "mpijob/train-worker-0", "jobset/train-workers-0-1". A DaemonSet stays one record with `per_node`.
/// Returns errors, and notes about kinds that are not known. docs/formats/kubernetes.md has the rules.
[[nodiscard]] Diagnostics expand_workloads(ClusterDump& dump);

/// Fills in the defaults of every pod of a dump that comes from files, and checks its extended resources as the API
/// server does, in its words. Rules: objects/pod_defaults.hpp and objects/pod_validation.hpp.
[[nodiscard]] Diagnostics admit_pods(ClusterDump& dump);

}  // namespace gpusched::io
