#include "gpusched/gang/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gang/job_shapes.hpp"
#include "gang/simulation.hpp"
#include "gang/topology_place.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::gang {

namespace {

/// A job on a cycle of dependencies; invalid when there is none. Kahn's algorithm.
JobId on_a_cycle(std::span<const Job> jobs) {
  std::vector<std::size_t> missing(jobs.size());
  std::vector<std::vector<JobId>> followers(jobs.size());
  std::vector<JobId> ready;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    missing[i] = jobs[i].after.size();
    for (const JobId before : jobs[i].after) {
      followers[before.index()].emplace_back(i);
    }
    if (missing[i] == 0) {
      ready.emplace_back(i);
    }
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const JobId next : followers[ready[i].index()]) {
      if (--missing[next.index()] == 0) {
        ready.push_back(next);
      }
    }
  }
  if (ready.size() == jobs.size()) {
    return {};
  }
  // Whoever waits may only hang on the cycle: going back from waiting job to waiting job ends on it.
  auto at = static_cast<std::size_t>(std::ranges::find_if(missing, [](auto n) { return n > 0; }) - missing.begin());
  for (std::size_t step = 0; step < jobs.size(); ++step) {
    at = std::ranges::find_if(jobs[at].after, [&](JobId job) { return missing[job.index()] > 0; })->index();
  }
  return JobId{at};
}

std::string cycle_text(const ClusterShape& shape, std::span<const Job> jobs, JobId start) {
  constexpr std::size_t kShown = 8;
  std::string text = quote(shape.text(jobs[start.index()].name));
  // Every job of a cycle has a predecessor on it; the first one that leads back is looked for by walking.
  std::vector<bool> seen(jobs.size());
  std::vector<std::pair<JobId, JobId>> from;  // visited job, whom it was reached from
  from.emplace_back(start, JobId{});
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const JobId before : jobs[from[i].first.index()].after) {
      if (before == start) {
        std::vector<JobId> path;
        for (JobId at = from[i].first; at != start;) {
          path.push_back(at);
          at = std::ranges::find(from, at, &std::pair<JobId, JobId>::first)->second;
        }
        std::ranges::reverse(path);
        for (std::size_t k = 0; k < path.size() && k < kShown; ++k) {
          text += fmt::format(" after {}", quote(shape.text(jobs[path[k].index()].name)));
        }
        return text + (path.size() > kShown ? " after …" : "") +
               fmt::format(" after {}", quote(shape.text(jobs[start.index()].name)));
      }
      if (!seen[before.index()]) {
        seen[before.index()] = true;
        from.emplace_back(before, from[i].first);
      }
    }
  }
  return text;
}

}  // namespace

std::string_view event_name(EventKind kind) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "submit", "hold", "start", "finish", "fail", "restart", "timeout", "reject", "preempt", "give-up", "deadlock"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::int64_t gpu_milli(const PodClass& pod_class) {
  return std::int64_t{pod_class.gpus} * pod_class.gpu_milli;
}

std::int64_t gpu_milli(const ClusterShape& shape, const Job& job) {
  std::int64_t milli = 0;
  for (const PodSet& set : job.pod_sets) {
    milli += set.count * gpu_milli(shape.pod_classes[set.pod_class.index()]);
  }
  return milli;
}

std::int32_t pod_count(const Job& job) {
  std::int32_t pods = 0;
  for (const PodSet& set : job.pod_sets) {
    pods += set.count;
  }
  return pods;
}

std::int64_t capacity_milli(const ClusterUsage& usage, std::span<const Job> jobs) {
  const ClusterShape& shape = usage.shape();
  std::vector<ResourceId> resources;
  for (const Job& job : jobs) {
    for (const PodSet& set : job.pod_sets) {
      const PodClass& pod = shape.pod_classes[set.pod_class.index()];
      if (pod.gpus > 0 && std::ranges::find(resources, pod.gpu_resource) == resources.end()) {
        resources.push_back(pod.gpu_resource);
      }
    }
  }
  std::int64_t total = 0;
  for (std::size_t i = 0; i < shape.nodes.size(); ++i) {
    const NodeId node{i};
    for (const ResourceId resource : resources) {
      const std::int64_t allocatable = usage.node_class(node).allocatable[resource.index()];
      total += std::max<std::int64_t>(0, allocatable - usage.used(node, resource));
    }
  }
  return total * kWholeGpuMilli;
}

std::vector<JobId> oversized(const ClusterUsage& usage, std::span<const Job> jobs, const placement::Options& options) {
  ClusterUsage empty(usage.shape_ptr());
  placement::Placer placer(empty, options);
  const JobShapes shapes(jobs);
  std::vector<std::int8_t> fits(shapes.size(), -1);
  std::vector<JobId> found;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::int8_t& known = fits[shapes.of(JobId{i})];
    if (known < 0) {
      const ClusterUsage::Mark mark = empty.mark();
      const std::int32_t needed = jobs[i].min_pods > 0 ? jobs[i].min_pods : pod_count(jobs[i]);
      std::vector<PodId> pods;
      for (const PodSet& set : jobs[i].pod_sets) {
        for (std::int32_t n = 0; n < set.count; ++n) {
          pods.push_back(empty.add_pod(set.pod_class));
        }
      }
      if (jobs[i].topology.key.valid()) {
        const std::vector<JobId> owners(empty.pod_count(), JobId{i});
        known = place_in_domains(placer, jobs[i], pods.front(), jobs, owners) ? 1 : 0;
      } else {
        std::size_t placed = 0;
        while (placed < pods.size() && placer.place(pods[placed]).valid()) {
          ++placed;
        }
        known = std::cmp_greater_equal(placed, needed) ? 1 : 0;
      }
      empty.revert(mark);
    }
    if (known == 0) {
      found.emplace_back(i);
    }
  }
  return found;
}

Result<SimulationResult> simulate(const ClusterUsage& usage, std::span<const Job> jobs, const Options& options) {
  if (const JobId job = on_a_cycle(jobs); job.valid()) {
    return fail("dependency-cycle",
                fmt::format("the jobs wait for each other: {}", cycle_text(usage.shape(), jobs, job)),
                "take one of them out of the other's \"after\"");
  }
  return Simulation(usage, jobs, options).run();
}

}  // namespace gpusched::gang
