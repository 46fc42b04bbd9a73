#include "gpusched/gang/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace gpusched::gang {

namespace {

constexpr double kBoundSeconds = 10;  // below this a run time counts as this in the bounded slowdown
constexpr double kMsPerSecond = 1000;
constexpr double kSecondsPerHour = 3600;

Distribution distribution(std::vector<double> values) {
  Distribution result;
  if (values.empty()) {
    return result;
  }
  std::ranges::sort(values);
  const auto percentile = [&](std::size_t percent) { return values[(values.size() * percent + 99) / 100 - 1]; };
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  result.mean = sum / static_cast<double>(values.size());
  result.p50 = percentile(50);
  result.p95 = percentile(95);
  result.p99 = percentile(99);
  result.max = values.back();
  return result;
}

/// Collects the figures of one group.
struct Group {
  std::vector<double> wait, jct, slowdown, bounded;
  std::size_t jobs = 0;
  double gpu_seconds = 0;

  void add(const JobOutcome& outcome, std::int64_t milli) {
    ++jobs;
    gpu_seconds += static_cast<double>(milli) / kWholeGpuMilli * static_cast<double>(outcome.run_ms) / kMsPerSecond;
    if (outcome.end_ms < 0) {
      return;
    }
    const double turnaround = static_cast<double>(outcome.end_ms - outcome.submission_ms) / kMsPerSecond;
    const double run = static_cast<double>(outcome.run_ms) / kMsPerSecond;
    wait.push_back(static_cast<double>(outcome.start_ms - outcome.submission_ms) / kMsPerSecond);
    jct.push_back(turnaround);
    slowdown.push_back(run > 0 ? turnaround / run : 1);
    bounded.push_back(std::max(1.0, turnaround / std::max(run, kBoundSeconds)));
  }

  [[nodiscard]] JobMetrics finish(std::string name) {
    JobMetrics metrics;
    metrics.name = std::move(name);
    metrics.jobs = jobs;
    metrics.ended = jct.size();
    metrics.wait = distribution(std::move(wait));
    metrics.jct = distribution(std::move(jct));
    metrics.slowdown = distribution(std::move(slowdown));
    metrics.bounded_slowdown = distribution(std::move(bounded));
    metrics.gpu_seconds = gpu_seconds;
    return metrics;
  }
};

double jain_index(std::span<const JobMetrics> groups) {
  double sum = 0;
  double squares = 0;
  std::size_t count = 0;
  for (const JobMetrics& group : groups) {
    if (group.ended > 0) {
      sum += group.slowdown.mean;
      squares += group.slowdown.mean * group.slowdown.mean;
      ++count;
    }
  }
  return count < 2 ? 1 : sum * sum / (static_cast<double>(count) * squares);
}

std::vector<JobMetrics> by_name(std::map<std::string_view, Group>& groups) {
  std::vector<JobMetrics> list;
  if (groups.size() == 1 && groups.begin()->first.empty()) {
    return list;
  }
  for (auto& [name, group] : groups) {
    list.push_back(group.finish(std::string(name)));
  }
  return list;
}

}  // namespace

Metrics measure(const ClusterShape& shape, std::span<const Job> jobs, const SimulationResult& result) {
  Group all;
  std::map<std::string_view, Group> queues;
  std::map<std::string_view, Group> users;
  std::map<std::int64_t, Group> sizes;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::int64_t milli = gpu_milli(shape, jobs[i]);
    for (Group* group : {&all, &queues[shape.text(jobs[i].queue)], &users[shape.text(jobs[i].user)], &sizes[milli]}) {
      group->add(result.jobs[i], milli);
    }
  }
  Metrics metrics;
  metrics.all = all.finish("");
  metrics.queues = by_name(queues);
  metrics.users = by_name(users);
  for (auto& [milli, group] : sizes) {
    metrics.sizes.push_back(group.finish(fmt::format("{:g}", static_cast<double>(milli) / kWholeGpuMilli)));
  }
  const double offered = static_cast<double>(result.capacity_milli) / kWholeGpuMilli *
                         static_cast<double>(result.makespan_ms()) / kMsPerSecond;
  metrics.utilisation = offered > 0 ? result.busy_gpu_seconds / offered : 0;
  metrics.held_gpu_hours = result.held_gpu_seconds / kSecondsPerHour;
  metrics.idle_gpu_hours = std::max(0.0, offered - result.busy_gpu_seconds - result.held_gpu_seconds) / kSecondsPerHour;
  metrics.jain = jain_index(metrics.users.empty() ? metrics.queues : metrics.users);
  return metrics;
}

}  // namespace gpusched::gang
