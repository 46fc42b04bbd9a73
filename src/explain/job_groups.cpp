#include "explain/job_groups.hpp"

#include <algorithm>
#include <array>

namespace gpusched::explain {

namespace {

/// Source: Kubernetes Job, JobSet, LeaderWorkerSet, Kubeflow training operator, scheduler-plugins coscheduling,
/// Volcano.
constexpr std::array<std::string_view, 9> kJobLabels = {"scheduling.x-k8s.io/pod-group",
                                                        "jobset.sigs.k8s.io/jobset-name",
                                                        "leaderworkerset.sigs.k8s.io/name",
                                                        "training.kubeflow.org/job-name",
                                                        "volcano.sh/job-name",
                                                        "ray.io/cluster",
                                                        "batch.kubernetes.io/job-name",
                                                        "job-name",
                                                        "kueue.x-k8s.io/pod-group-name"};

}  // namespace

std::string job_of(const objects::Pod& pod) {
  for (const std::string_view key : kJobLabels) {
    if (const std::string* const value = objects::find(pod.meta.labels, key)) {
      return std::string(pod.meta.namespace_name).append("/").append(key).append("=").append(*value);
    }
  }
  return {};
}

HalfPlacedJobs::HalfPlacedJobs(const Snapshot& snapshot) {
  for (const kubescheduler::PodState& pod : snapshot.pods()) {
    const std::string name = job_of(*pod.object);
    if (name.empty()) {
      continue;
    }
    Job& job = jobs_[name];
    if (!pod.node.valid()) {
      ++job.waiting;
      continue;
    }
    ++job.placed;
    for (const kubescheduler::ResourceAmount& request : pod.requests) {
      const std::string& resource = snapshot.resources()[request.resource.index()];
      if (request.amount == 0 || !objects::is_extended_resource(resource)) {
        continue;
      }
      const auto known = std::ranges::find(job.held, resource, [](const auto& entry) { return entry.first; });
      if (known == job.held.end()) {
        job.held.emplace_back(resource, request.amount);
      } else {
        known->second += request.amount;
      }
    }
  }
  std::erase_if(jobs_, [](const auto& entry) { return entry.second.placed == 0 || entry.second.waiting == 0; });
}

}  // namespace gpusched::explain
