#include "gpusched/report/gang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gpusched/placement/placer.hpp"
#include "report/cluster_map.hpp"
#include "report/header.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

using gang::Distribution;
using gang::JobMetrics;
using gang::JobOutcome;

/// Whole seconds stay whole.
Json seconds(std::int64_t ms) {
  return ms % 1000 == 0 ? Json(ms / 1000) : Json(static_cast<double>(ms) / 1000.0);
}
Json seconds_or_null(std::int64_t ms) {
  return ms < 0 ? Json() : seconds(ms);
}
Json gpus(std::int64_t milli) {
  return milli % kWholeGpuMilli == 0 ? Json(milli / kWholeGpuMilli) : Json(static_cast<double>(milli) / kWholeGpuMilli);
}
double hours(double gpu_seconds) {
  return gpu_seconds / 3600.0;
}

std::string_view state_name(gang::JobState state) {
  static constexpr std::array<std::string_view, 5> kNames = {"finished", "failed", "waiting", "given-up", "blocked"};
  return kNames[static_cast<std::size_t>(state)];
}

Json placement(const ClusterShape& shape, const JobOutcome& outcome) {
  Json list = Json::array();
  for (const gang::PodPlace& place : outcome.places) {
    Json indices = Json::array();
    for (const GpuShare& share : place.shares) {
      indices.push_back(share.gpu);
    }
    list.push_back({{"pod", place.pod}, {"node", shape.name(place.node)}, {"gpus", std::move(indices)}});
  }
  return list;
}

/// Why a job waits: the scheduler's sentence for its next pod. A PodGroup of Kubernetes has a sentence of its own, that
/// of its condition PodGroupInitiallyScheduled. Source: k8s.io/kubernetes v1.37.2, as recorded from a control plane.
std::string waiting_message(const ClusterShape& shape, const Job& job, const JobOutcome& outcome, gang::Mode mode) {
  const std::string next =
      outcome.reasons == nullptr
          ? std::string()
          : placement::fit_error(shape, shape.pod_classes[outcome.next_pod_class.index()], *outcome.reasons);
  const std::int32_t pods = gang::pod_count(job);
  if (mode != gang::Mode::kNative || pods == 1) {
    return next;
  }
  return fmt::format(
      "minCount ({}) cannot be satisfied: {} scheduled, {} remaining, pod group preemption: No preemption victims "
      "found "
      "for incoming preemptor; the next pod: {}",
      job.min_pods > 0 ? job.min_pods : pods, outcome.placeable, std::max(0, pods - outcome.placeable - 1), next);
}

/// Bandwidths and times that are not known are null.
Json level_object(const topology::LevelBound& level) {
  static constexpr std::array<std::string_view, 3> kLevels = {"gpus", "nodes", "racks"};
  const bool known = level.bandwidth_mbps > 0;
  return {{"level", kLevels[static_cast<std::size_t>(level.level)]},
          {"link", topology::link_name(level.link)},
          {"members", level.members},
          {"bandwidthGBps", known ? Json(static_cast<double>(level.bandwidth_mbps) / 1000.0) : Json()},
          {"seconds", known ? Json(level.seconds) : Json()}};
}

Json all_reduce_object(const topology::JobBound& bound, std::int64_t gradient_bytes) {
  Json levels = Json::array();
  for (const topology::LevelBound& level : bound.levels) {
    levels.push_back(level_object(level));
  }
  const topology::LevelBound* const slowest = bound.slowest();
  const Json figures = slowest == nullptr ? Json{{"link", nullptr}, {"bandwidthGBps", nullptr}, {"seconds", nullptr}}
                                          : level_object(*slowest);
  return {{"gradientGB", static_cast<double>(gradient_bytes) / 1e9},
          {"link", figures.at("link")},
          {"bandwidthGBps", figures.at("bandwidthGBps")},
          {"seconds", figures.at("seconds")},
          {"levels", std::move(levels)}};
}

Json job_entry(const ClusterShape& shape, const Job& job, const JobOutcome& outcome, gang::Mode mode,
               const std::optional<topology::JobBound>& all_reduce) {
  Json entry{{"name", shape.text(job.name)}};
  if (job.queue.valid()) {
    entry["queue"] = shape.text(job.queue);
  }
  if (job.user.valid()) {
    entry["user"] = shape.text(job.user);
  }
  entry["state"] = state_name(outcome.state);
  entry["pods"] = gang::pod_count(job);
  entry["gpus"] = gpus(gang::gpu_milli(shape, job));
  entry["submission"] = seconds(outcome.submission_ms);
  entry["start"] = seconds_or_null(outcome.start_ms);
  entry["end"] = seconds_or_null(outcome.end_ms);
  entry["waiting"] = outcome.start_ms < 0 ? Json() : seconds(outcome.start_ms - outcome.submission_ms);
  entry["run"] = seconds(outcome.run_ms);
  if (outcome.preemptions > 0) {
    entry["preemptions"] = outcome.preemptions;
  }
  if (outcome.restarts > 0) {
    entry["restarts"] = outcome.restarts;
  }
  if (outcome.timeouts > 0) {
    entry["timeouts"] = outcome.timeouts;
  }
  entry["placement"] = placement(shape, outcome);
  if (all_reduce) {
    entry["allReduce"] = all_reduce_object(*all_reduce, gang::gradient_bytes(shape, job));
  }
  if (outcome.state == gang::JobState::kWaiting) {
    entry["placeable"] = outcome.placeable;
    entry["message"] = waiting_message(shape, job, outcome, mode);
  }
  return entry;
}

Json deadlock_object(const ClusterShape& shape, std::span<const Job> jobs, const gang::Deadlock& deadlock,
                     const std::optional<DeadlockAvoided>& avoided) {
  Json list = Json::array();
  for (const gang::Holder& holder : deadlock.holders) {
    Json nodes = Json::array();
    for (const auto& [node, pods] : holder.nodes) {
      nodes.push_back({{"node", shape.name(node)}, {"pods", pods}});
    }
    list.push_back(
        {{"name", shape.text(jobs[holder.job.index()].name)},
         {"holds", {{"pods", holder.placed}, {"gpus", gpus(holder.held_milli)}, {"nodes", std::move(nodes)}}},
         {"waitsFor", {{"pods", holder.missing}, {"gpus", gpus(holder.wanted_milli)}}}});
  }
  Json waiting = Json::array();
  for (const JobId job : deadlock.waiting) {
    waiting.push_back(shape.text(jobs[job.index()].name));
  }
  Json object{{"time", seconds(deadlock.time_ms)},
              {"heldGpus", gpus(deadlock.held_milli)},
              {"jobs", std::move(list)},
              {"waiting", std::move(waiting)}};
  if (avoided) {
    object["avoidedBy"] = {{"mode", gang::mode_info(avoided->mode).name},
                           {"makespan", seconds(avoided->makespan_ms)},
                           {"idleGpuHours", hours(avoided->held_gpu_seconds)},
                           {"finished", avoided->finished}};
  }
  return object;
}

Json distribution(const Distribution& values) {
  return {{"mean", values.mean}, {"p50", values.p50}, {"p95", values.p95}, {"p99", values.p99}, {"max", values.max}};
}

Json group_object(const JobMetrics& group) {
  Json object = Json::object();
  if (!group.name.empty()) {
    object["name"] = group.name;
  }
  object["jobs"] = group.jobs;
  object["ended"] = group.ended;
  object["gpuHours"] = hours(group.gpu_seconds);
  object["wait"] = distribution(group.wait);
  object["jct"] = distribution(group.jct);
  object["slowdown"] = distribution(group.slowdown);
  object["boundedSlowdown"] = distribution(group.bounded_slowdown);
  return object;
}

Json group_list(std::span<const JobMetrics> groups) {
  Json list = Json::array();
  for (const JobMetrics& group : groups) {
    list.push_back(group_object(group));
  }
  return list;
}

Json event_list(const ClusterShape& shape, std::span<const Job> jobs, std::span<const gang::Event> events) {
  Json list = Json::array();
  for (const gang::Event& event : events) {
    Json entry{{"time", seconds(event.time_ms)}, {"event", gang::event_name(event.kind)}};
    if (event.job.valid()) {
      entry["job"] = shape.text(jobs[event.job.index()].name);
      entry["pods"] = event.pods;
    }
    if (event.by.valid()) {
      entry["by"] = shape.text(jobs[event.by.index()].name);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json stay_list(const ClusterShape& shape, std::span<const Job> jobs, std::span<const gang::Stay> stays) {
  Json list = Json::array();
  for (const gang::Stay& stay : stays) {
    Json gpus = Json::array();
    for (const GpuShare& share : stay.place.shares) {
      if (gpus.empty() || gpus.back() != share.gpu) {
        gpus.push_back(share.gpu);
      }
    }
    Json entry({{"job", shape.text(jobs[stay.job.index()].name)},
                {"pod", stay.place.pod},
                {"node", shape.name(stay.place.node)},
                {"gpus", std::move(gpus)},
                {"from", seconds(stay.from_ms)},
                {"until", seconds(stay.until_ms)},
                {"runs", stay.runs}});
    if (stay.open) {
      entry["open"] = true;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json state_counts(const gang::SimulationResult& result) {
  std::array<std::size_t, 5> counts{};
  for (const JobOutcome& outcome : result.jobs) {
    ++counts[static_cast<std::size_t>(outcome.state)];
  }
  Json object = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 || i == 0) {
      object[std::string(state_name(static_cast<gang::JobState>(i)))] = counts[i];
    }
  }
  return object;
}

}  // namespace

Document gang_report(const ClusterUsage& usage, std::span<const Job> jobs, const gang::Options& options,
                     const gang::SimulationResult& result, const std::optional<DeadlockAvoided>& avoided,
                     std::span<const std::optional<topology::JobBound>> all_reduce, Cluster cluster) {
  const ClusterShape& shape = usage.shape();
  const gang::Metrics metrics = gang::measure(shape, jobs, result);
  Json report = document_header("GangReport");
  report["mode"] = gang::mode_info(options.mode).name;
  report["policy"] = placement::kPolicyNames[static_cast<std::size_t>(options.placement.policy)];
  report["view"] = placement::kViewNames[static_cast<std::size_t>(options.placement.view)];
  report["timeout"] = options.timeout_ms ? seconds(*options.timeout_ms) : Json();
  report["gpus"] = gpus(result.capacity_milli);
  report["makespan"] = seconds(result.makespan_ms());
  report["idleGpuHours"] = metrics.held_gpu_hours;
  report["utilisation"] = metrics.utilisation;
  report["counts"] = state_counts(result);
  report["deadlock"] = result.deadlock ? deadlock_object(shape, jobs, *result.deadlock, avoided) : Json();
  report["livelock"] = result.livelock;
  report["metrics"] = {{"all", group_object(metrics.all)},
                       {"queues", group_list(metrics.queues)},
                       {"users", group_list(metrics.users)},
                       {"sizes", group_list(metrics.sizes)},
                       {"jain", metrics.jain},
                       {"gpuHours", hours(result.busy_gpu_seconds)},
                       {"lostGpuHours", hours(result.lost_gpu_seconds)},
                       {"unusedGpuHours", metrics.idle_gpu_hours}};
  Json list = Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    list.push_back(
        job_entry(shape, jobs[i], result.jobs[i], options.mode, i < all_reduce.size() ? all_reduce[i] : std::nullopt));
  }
  report["jobs"] = std::move(list);
  report["events"] = event_list(shape, jobs, result.events);
  if (cluster == Cluster::kShown) {
    report["stays"] = stay_list(shape, jobs, result.stays);
    report["cluster"] = cluster_object(usage);
  }
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
