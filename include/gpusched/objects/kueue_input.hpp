#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gpusched/objects/kueue.hpp"
#include "gpusched/objects/kueue_configuration.hpp"
#include "gpusched/objects/kueue_workload.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/pod_policy.hpp"
#include "gpusched/objects/policy.hpp"

namespace gpusched::objects {

/// Everything that Kueue's controllers watch, in input order.
struct KueueObjects {
  std::vector<ResourceFlavor> flavors;
  std::vector<ClusterQueue> cluster_queues;
  std::vector<Cohort> cohorts;
  std::vector<LocalQueue> local_queues;
  std::vector<Topology> topologies;
  std::vector<AdmissionCheck> admission_checks;
  std::vector<WorkloadPriorityClass> workload_priority_classes;
  std::vector<PriorityClass> priority_classes;
  std::vector<Workload> workloads;
  std::vector<Namespace> namespaces;
  std::vector<LimitRange> limit_ranges;
  std::vector<RuntimeClass> runtime_classes;
  std::vector<Node> nodes;
  std::vector<Pod> pods;
};

/// The controller of an admission check writes what it found.
struct CheckUpdate {
  std::string workload;  ///< "namespace/name"
  std::string check;
  std::string state;  ///< Pending, Ready, Retry, Rejected
};

/// One thing that happens from outside; then the queues run until nothing changes any more. Workloads are named
/// "namespace/name".
struct KueueEvent {
  std::vector<std::string> create;  ///< workloads of the input that exist only from now on
  std::vector<std::string> finish;
  std::vector<std::string> ready;  ///< their pods become ready
  std::vector<CheckUpdate> checks;
  std::int64_t advance_seconds = 0;
  /// An object with a new spec.
  std::variant<std::monostate, ClusterQueue, LocalQueue, Node> replace;
};

}  // namespace gpusched::objects
