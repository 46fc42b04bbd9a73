#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/model/job.hpp"
#include "gpusched/model/kubelet.hpp"
#include "gpusched/model/node_network.hpp"

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
  bool shares_claim = false;           ///< it uses devices of a SharedClaim
  bool asked = true;                   ///< it is of the namespace and has the labels that were asked about
  bool has_claims = false;             ///< it has ResourceClaims; what holds devices for them is a placeholder
};

/// Those of a pod; `facts` is by PodId and may be shorter: of the others nothing is known.
[[nodiscard]] inline const PodFacts& facts_of(std::span<const PodFacts> facts, PodId pod) {
  static const PodFacts kNothingKnown;
  return pod.index() < facts.size() ? facts[pod.index()] : kNothingKnown;
}

/// Devices of a ResourceClaim that several pods use. They are free only when the last of them is gone.
struct SharedClaim {
  PodId holder;              ///< the placeholder that holds them
  std::vector<PodId> users;  ///< bound pods; the claim goes with the last one
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
  std::vector<KubeletFacts> kubelet = {};  ///< by NodeId; may be shorter
  /// By NodeId: what NVLink connects over several nodes, invalid: none. May be empty.
  std::vector<StringId> nvlink_domains = {};
  ClusterNetwork network = {};
  std::vector<SharedClaim> shared_claims = {};
};

}  // namespace gpusched
