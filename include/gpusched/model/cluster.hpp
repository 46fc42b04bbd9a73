#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/model/job.hpp"

namespace gpusched {

/// Who makes a pod again when it is evicted, which decides what kubectl drain does with it.
enum class PodControl : std::uint8_t {
  kUnknown,  ///< a fixture's pod: it is assumed that somebody does
  kController,
  kNone,         ///< nobody: kubectl drain refuses without --force
  kStays,        ///< of a DaemonSet or of the node itself: stays on a drain
  kPlaceholder,  ///< no pod, but devices that cannot be used or are allocated to a claim without its pod
};

/// What is known of a pod beside its demand.
struct PodFacts {
  StringId name_space;
  StringId owner;  ///< "namespace/Kind/name" of its controller, of itself without one; invalid when unknown
  StringId since;  ///< RFC 3339: when it started, else was created; invalid when unknown
  PodControl control = PodControl::kUnknown;
  std::vector<std::uint32_t> budgets;  ///< of Cluster::budgets, whose selector it matches
};

/// A PodDisruptionBudget and how many of its pods may be evicted now.
struct DisruptionBudget {
  std::string name;  ///< "namespace/name"
  std::int32_t allowed = 0;
};

/// A cluster with everything that already holds something on it, the pods that want a place, not bound yet, and the
/// jobs.
struct Cluster {
  ClusterUsage usage;
  std::vector<PodId> pods;
  std::vector<PodFacts> pod_facts;  ///< by PodId
  std::vector<Job> jobs;            ///< in input order
  std::vector<DisruptionBudget> budgets;
};

}  // namespace gpusched
