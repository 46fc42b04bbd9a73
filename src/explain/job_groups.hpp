#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "explain/survey.hpp"

namespace gpusched::explain {

/// Pods that are one job, by what those who make them write on them; "" for a pod that is alone.
[[nodiscard]] std::string job_of(const objects::Pod& pod);

/// The jobs of a cluster of which some pods have a node and others wait: kube-scheduler decides pod by pod.
class HalfPlacedJobs {
 public:
  struct Job {
    std::size_t placed = 0, waiting = 0;
    objects::Named<std::int64_t> held;  ///< extended resources of the placed pods
  };

  explicit HalfPlacedJobs(const Snapshot& snapshot);

  /// By name, "namespace/label=value".
  [[nodiscard]] const std::map<std::string, Job>& jobs() const { return jobs_; }

 private:
  std::map<std::string, Job> jobs_;
};

}  // namespace gpusched::explain
