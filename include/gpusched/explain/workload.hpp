#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gpusched/explain/explain.hpp"
#include "gpusched/objects/workload_state.hpp"

/// The layer around the scheduler: those who make pods, and nodes that refuse what was bound to them.
namespace gpusched::explain {

/// Whom a question is about; `kind` as kubectl takes it: "job", "jobs.batch", "rs", "Workload".
struct WorkloadName {
  std::string kind, namespace_name, name;
};

struct WorkloadAnswer {
  WorkloadName workload;          ///< with the kind as the API writes it
  std::vector<Finding> findings;  ///< "suspended", "waiting for quota", "blocked", "pods missing", "finished", "runs"
  std::vector<std::size_t> waiting;  ///< its pods without a node, as indices
  std::size_t placed = 0;            ///< its pods with one
};

/// Whether a finding of that verdict keeps a workload from running: any but "runs" and "finished".
[[nodiscard]] bool keeps(std::string_view verdict);
/// Whether something keeps it from running.
[[nodiscard]] bool is_kept(const WorkloadAnswer& answer);

/// What a workload and everything that it owns say; none when the dump does not have it. Kueue's Workload is answered
/// together with the job that it stands for.
[[nodiscard]] std::optional<WorkloadAnswer> explain_workload(const objects::WorkloadStates& states,
                                                             std::span<const objects::Pod> pods, WorkloadName name);

/// Workloads that have made no or too few pods, so that no pod can tell why: "ReplicaSet ml/web: …".
[[nodiscard]] std::vector<Finding> find_missing_pods(const objects::WorkloadStates& states);

/// Why a pod that has its node does not run there; nothing for one that does, or that waits for a node.
[[nodiscard]] std::vector<Finding> explain_start(const objects::Pod& pod,
                                                 std::span<const objects::ResourceSlice> slices,
                                                 std::span<const objects::ResourceClaim> claims);

}  // namespace gpusched::explain
