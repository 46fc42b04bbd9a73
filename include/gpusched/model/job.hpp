#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/model/ids.hpp"

namespace gpusched {

using JobId = Id<struct JobTag>;  ///< a job, in input order

/// Equal pods of a job: the replicas of one role.
struct PodSet {
  StringId name;  ///< "worker"; invalid when the job has one set
  PodClassId pod_class;
  std::int32_t count = 1;

  bool operator==(const PodSet&) const = default;
};

/// All pods of a pod set, or of the job, in one domain: nodes with one value of the label `key`.
struct TopologyRequest {
  StringId key;            ///< invalid: no condition
  bool exclusive = false;  ///< each pod set in a domain of its own, shared with no other exclusive pod set (JobSet's
                           ///< alpha.jobset.sigs.k8s.io/exclusive-topology); false: the whole job in one domain

  bool operator==(const TopologyRequest&) const = default;
};

/// Work that runs on a virtual clock: pods that start together, run for a time and end together. Times are
/// milliseconds since the clock's start.
struct Job {
  StringId name;
  StringId queue;  ///< invalid when the input names none
  StringId user;   ///< invalid when the input names none
  std::int64_t submission_ms = 0;
  std::int64_t duration_ms = 0;  ///< of one run without failures
  std::int32_t priority = 0;
  std::vector<PodSet> pod_sets;
  std::int32_t min_pods = 0;             ///< pods that must be there to start (PodGroup minMember); 0: all
  std::int64_t hold_timeout_ms = -1;     ///< PodGroup scheduleTimeoutSeconds; -1: that of the run
  std::vector<std::int64_t> fail_at_ms;  ///< the first run fails after the first time, the second after the second …
  std::int32_t max_restarts = 0;         ///< JobSet failurePolicy.maxRestarts
  std::vector<JobId> after;              ///< jobs that must have ended
  std::int64_t think_ms = 0;             ///< between the end of the last of `after` and the submission
  TopologyRequest topology;
};

}  // namespace gpusched
