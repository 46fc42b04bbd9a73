#include "gpusched/gang/all_reduce.hpp"

#include <algorithm>

namespace gpusched::gang {

namespace {

/// The class of the pod with this number.
const PodClass& class_of(const ClusterShape& shape, const Job& job, std::int32_t pod) {
  std::size_t set = 0;
  while (set + 1 < job.pod_sets.size() && pod >= job.pod_sets[set].count) {
    pod -= job.pod_sets[set++].count;
  }
  return shape.pod_classes[job.pod_sets[set].pod_class.index()];
}

}  // namespace

std::int64_t gradient_bytes(const ClusterShape& shape, const Job& job) {
  std::int64_t most = 0;
  for (const PodSet& set : job.pod_sets) {
    most = std::max(most, shape.pod_classes[set.pod_class.index()].gradient_bytes);
  }
  return most;
}

std::vector<std::optional<topology::JobBound>> all_reduce_bounds(const ClusterShape& shape, std::span<const Job> jobs,
                                                                 const SimulationResult& result,
                                                                 const topology::JobAllReduce& network) {
  std::vector<std::optional<topology::JobBound>> bounds(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::int64_t gradient = gradient_bytes(shape, jobs[i]);
    if (gradient == 0 || result.jobs[i].start_ms < 0) {
      continue;
    }
    std::vector<topology::PodGpus> pods;
    for (const PodPlace& place : result.jobs[i].places) {
      if (class_of(shape, jobs[i], place.pod).gradient_bytes > 0) {
        pods.push_back({place.node, place.shares});
      }
    }
    bounds[i] = network.bound(pods, gradient);
  }
  return bounds;
}

}  // namespace gpusched::gang
