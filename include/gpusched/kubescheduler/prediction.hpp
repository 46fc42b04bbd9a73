#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/objects/resource_claim.hpp"

/// What kube-scheduler would do with one pod: the plain data behind the report PendingReport.
namespace gpusched::kubescheduler {

enum class Verdict : std::uint8_t {
  kScheduled,
  kUnschedulable,
  kGated,      ///< scheduling gates
  kWaiting,    ///< never tried: a claim is missing or being deleted, another scheduler, the pod itself is being deleted
  kError,      ///< a plugin failed
  kUndecided,  ///< a search reached its step budget
};
/// "scheduled", "unschedulable", "gated", "waiting", "error", "undecided".
[[nodiscard]] std::string_view name_of(Verdict verdict);

enum class StatusCode : std::uint8_t { kSuccess, kUnschedulable, kUnresolvable, kError };
/// "Success", "Unschedulable", "UnschedulableAndUnresolvable", "Error".
[[nodiscard]] std::string_view name_of(StatusCode code);

/// What one plugin says about the pod, or about the pod on one node.
struct PluginStatus {
  std::string_view plugin;  ///< lives as long as the program
  StatusCode code = StatusCode::kSuccess;
  std::vector<std::string> reasons;  ///< sorted
};

struct PluginScore {
  std::string_view plugin;
  std::int64_t weighted = 0;  ///< normalised score times weight
};

/// A node's answer; `scores` only for feasible nodes, and only when there are two or more of them.
struct NodeAnswer {
  std::string node;
  PluginStatus status;
  std::vector<PluginScore> scores;  ///< in the order of the plugins
  std::int64_t total = 0;
};

/// A node that preemption could nominate.
struct Preemption {
  std::string node;
  std::vector<std::string> victims;  ///< "namespace/name" of the pods that would be deleted, by importance
};

struct ClaimAllocation {
  std::string namespace_name, claim;  ///< one for extended resources is named <pod>-extended-resources-00001
  objects::AllocationResult allocation;
};

struct Prediction {
  Verdict verdict = Verdict::kScheduled;
  std::string reason;                       ///< of the condition: Unschedulable, SchedulerError, SchedulingGated, ""
  std::string message;                      ///< of the condition; "" when none is written
  std::vector<std::string> messages;        ///< all possible ones when the scheduler's order is random, else empty
  std::string plugin, plugin_message;       ///< what refused the pod before the queue
  std::vector<PluginStatus> pre_filter;     ///< none or one: what refused it for all nodes at once
  std::string node;                         ///< of the best-scored nodes the first by name
  std::vector<std::string> best_nodes;      ///< sorted; all that share the best total
  std::vector<std::string> feasible_nodes;  ///< sorted
  bool sampled = false;                     ///< the real scheduler would look at a random subset only
  std::vector<NodeAnswer> nodes;            ///< in the order of the snapshot; empty when no node was looked at
  std::string nominated_node;               ///< that preemption would nominate: the first by name of the possible ones
  std::vector<std::string> victims;         ///< of that node
  std::vector<Preemption> preemptions;      ///< every node that could be nominated, sorted
  std::vector<std::string> deallocated;     ///< claims of which one would lose its allocation
  std::vector<std::string> deleted_claims;  ///< stale claims for extended resources that would be removed
  std::vector<std::pair<std::string, std::string>> errors;  ///< verdict kError: text by node, any may be reported
  std::vector<ClaimAllocation> claims;  ///< that would be written for `node`: allocated or reserved now
};

}  // namespace gpusched::kubescheduler
