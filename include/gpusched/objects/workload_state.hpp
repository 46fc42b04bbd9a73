#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/pod.hpp"

/// Those who make pods, as far as they say why pods are not there: Job, ReplicaSet, JobSet, Kueue's Workload, ….
namespace gpusched::objects {

struct WorkloadState {
  std::string kind;  ///< "Job"
  ObjectMeta meta;
  std::optional<std::int64_t> wanted;    ///< spec.replicas, spec.parallelism
  std::optional<std::int64_t> present;   ///< status.replicas, status.active
  bool suspended = false;                ///< spec.suspend, of a Workload spec.active: false
  std::string queue;                     ///< Kueue's LocalQueue; "" without one
  std::vector<PodCondition> conditions;  ///< of its status
};

/// An Event that somebody recorded about an object.
struct WorkloadEvent {
  std::string kind, namespace_name, name;  ///< of the object
  std::string reason, message;
};

struct WorkloadStates {
  std::vector<WorkloadState> workloads;
  std::vector<WorkloadEvent> events;
};

}  // namespace gpusched::objects
