#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/gang/simulate.hpp"
#include "support/builders.hpp"

namespace gpusched::testing {

/// A job of a test: `job("llm-a").pods(4, 4).runs(10, 3600)`.
class JobSpec {
 public:
  explicit JobSpec(std::string_view name) : name_(name) {}

  /// So many pods with so many GPUs each; again: another pod set.
  JobSpec& pods(int count, int gpus) {
    sets_.emplace_back(count, pod(name_).gpus(gpus));
    return *this;
  }
  JobSpec& pods(int count, PodSpec spec) {
    sets_.emplace_back(count, std::move(spec));
    return *this;
  }
  /// Seconds.
  JobSpec& runs(int submission, int duration) {
    job_.submission_ms = submission * 1000LL;
    job_.duration_ms = duration * 1000LL;
    return *this;
  }
  JobSpec& priority(int priority) {
    job_.priority = priority;
    return *this;
  }
  JobSpec& at_least(int pods) {
    job_.min_pods = pods;
    return *this;
  }
  JobSpec& fails_at(std::initializer_list<int> seconds, int restarts) {
    for (const int at : seconds) {
      job_.fail_at_ms.push_back(at * 1000LL);
    }
    job_.max_restarts = restarts;
    return *this;
  }
  JobSpec& after(std::initializer_list<std::size_t> jobs) {
    for (const std::size_t before : jobs) {
      job_.after.emplace_back(before);
    }
    return *this;
  }
  JobSpec& topology(std::string_view key, bool exclusive) {
    topology_ = key;
    job_.topology.exclusive = exclusive;
    return *this;
  }

 private:
  friend class JobCluster;

  std::string name_, topology_;
  std::vector<std::pair<int, PodSpec>> sets_;
  Job job_;
};

[[nodiscard]] inline JobSpec job(std::string_view name) {
  return JobSpec(name);
}

/// Nodes and jobs over one shape.
class JobCluster {
 public:
  JobCluster(const std::vector<NodeSpec>& nodes, const std::vector<JobSpec>& specs) : cluster_(nodes, pods_of(specs)) {
    std::size_t next = 0;
    for (const JobSpec& spec : specs) {
      Job job = spec.job_;
      job.name = cluster_.shape().strings.find(spec.name_);
      job.topology.key = spec.topology_.empty() ? StringId{} : cluster_.shape().strings.find(spec.topology_);
      for (const auto& [count, pod] : spec.sets_) {
        job.pod_sets.push_back({{}, cluster_.usage.pod_class_id(cluster_.pods[next++]), count});
      }
      jobs.push_back(std::move(job));
    }
  }

  [[nodiscard]] const ClusterShape& shape() const { return cluster_.shape(); }
  [[nodiscard]] ClusterUsage usage() const { return ClusterUsage(cluster_.usage.shape_ptr()); }
  [[nodiscard]] gang::SimulationResult run(const gang::Options& options) const {
    return gang::simulate(usage(), jobs, options).value();
  }
  [[nodiscard]] gang::SimulationResult run(gang::Mode mode) const {
    gang::Options options;
    options.mode = mode;
    return run(options);
  }

  std::vector<Job> jobs;

 private:
  static std::vector<PodSpec> pods_of(const std::vector<JobSpec>& specs) {
    std::vector<PodSpec> pods;
    for (const JobSpec& spec : specs) {
      for (const auto& [count, pod] : spec.sets_) {
        pods.push_back(pod);
        pods.back().priority(spec.job_.priority);
      }
    }
    return pods;
  }

  Cluster cluster_;
};

/// "a 0-10, b 10-30, c -": when each job starts and ends, in seconds.
[[nodiscard]] inline std::string schedule(const JobCluster& cluster, const gang::SimulationResult& result) {
  std::string text;
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    const gang::JobOutcome& outcome = result.jobs[i];
    text += (text.empty() ? "" : ", ") + std::string(cluster.shape().text(cluster.jobs[i].name)) + ' ';
    text += outcome.start_ms < 0 ? "-" : std::to_string(outcome.start_ms / 1000) + '-';
    text += outcome.end_ms < 0 ? "" : std::to_string(outcome.end_ms / 1000);
  }
  return text;
}

}  // namespace gpusched::testing
