#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/gang_timeline.hpp"
#include "render/tables.hpp"
#include "render/words.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxWaiting = 10;  // unfinished jobs that the default table names
constexpr std::size_t kMaxBounds = 10;   // all-reduce bounds in it

/// A number as short as it can be with at most two decimals; "-" for null.
std::string number(const Json& value) {
  if (value.is_null()) {
    return "-";
  }
  if (value.is_number_integer()) {
    return value.dump();
  }
  std::string digits = fmt::format("{:.2f}", value.get<double>());
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') {
    digits.pop_back();
  }
  return digits;
}

std::string plural(const Json& count, std::string_view what) {
  return fmt::format("{} {}{}", number(count), what, count == 1 ? "" : "s");
}

std::string nodes_text(const Json& placement) {
  std::map<std::string, int> pods;
  for (const Json& place : placement) {
    ++pods[text(place.at("node"))];
  }
  std::string line;
  for (const auto& [node, count] : pods) {
    line += fmt::format("{}{}", line.empty() ? "" : ", ", node);
    if (count > 1) {
      line += fmt::format(" x{}", count);
    }
  }
  return line.empty() ? "-" : line;
}

std::string state_text(const Json& job) {
  std::string state = text(job.at("state"));
  for (const auto& [key, what] :
       {std::pair("restarts", "restart"), std::pair("preemptions", "preemption"), std::pair("timeouts", "timeout")}) {
    if (job.contains(key)) {
      state += fmt::format(", {}", plural(job.at(key), what));
    }
  }
  return state;
}

void job_rows(const Json& report, const TableOptions& options, std::string& out) {
  Columns columns({"job", "pods", "gpus", "submission", "start", "end", "waiting", "state", "nodes"});
  for (const Json& job : report.at("jobs")) {
    columns.add({text(job.at("name")), job.at("pods").dump(), number(job.at("gpus")), number(job.at("submission")),
                 number(job.at("start")), number(job.at("end")), number(job.at("waiting")), state_text(job),
                 nodes_text(job.at("placement"))});
  }
  columns.write(out, {false, true, true, true, true, true, true, false, false}, options.headers, 0);
}

/// The all-reduce bound of the jobs that exchange gradients.
void all_reduce_lines(const Json& report, bool wide, std::string& out) {
  std::size_t count = 0;
  for (const Json& job : report.at("jobs")) {
    if (job.contains("allReduce") && (++count <= kMaxBounds || wide)) {
      out += fmt::format("  {}: {}\n", text(job.at("name")), all_reduce_text(job.at("allReduce")));
    }
  }
  if (count > kMaxBounds && !wide) {
    out += fmt::format("  ... and the bounds of {} more (-o wide)\n", count - kMaxBounds);
  }
}

std::vector<std::string> group_row(std::string name, const Json& group) {
  return {std::move(name),
          group.at("jobs").dump(),
          group.at("ended").dump(),
          number(group.at("gpuHours")),
          number(group.at("jct").at("mean")),
          number(group.at("wait").at("mean")),
          number(group.at("wait").at("p50")),
          number(group.at("wait").at("p95")),
          number(group.at("wait").at("p99")),
          fmt::format("{:.3f}", group.at("boundedSlowdown").at("mean").get<double>())};
}

void metric_rows(const Json& metrics, bool wide, const TableOptions& options, std::string& out) {
  Columns columns(
      {"jobs of", "jobs", "ended", "GPU-hours", "mean JCT", "mean wait", "p50", "p95", "p99", "bounded slowdown"});
  columns.add(group_row("all", metrics.at("all")));
  const auto add = [&](std::string_view list, std::string_view what) {
    for (const Json& group : metrics.at(list)) {
      const std::string name = group.contains("name") ? text(group.at("name")) : "(none)";
      columns.add(group_row(fmt::format("{} {}", what, name), group));
    }
  };
  add("sizes", "GPUs");
  add("queues", "queue");
  if (wide) {
    add("users", "user");
  }
  columns.write(out, {false, true, true, true, true, true, true, true, true, true}, options.headers, 0);
}

void summary(const Json& report, std::string& out) {
  const Json& metrics = report.at("metrics");
  out +=
      fmt::format("makespan {} s, utilisation {:.2f} % of {} GPUs, {} idle GPU-hours (held by parts of waiting jobs)\n",
                  number(report.at("makespan")), 100 * report.at("utilisation").get<double>(),
                  number(report.at("gpus")), number(report.at("idleGpuHours")));
  if (metrics.at("lostGpuHours").get<double>() > 0) {
    out += fmt::format("{} GPU-hours lost in runs that failed or were evicted\n", number(metrics.at("lostGpuHours")));
  }
  if (metrics.at("queues").size() > 1 || metrics.at("users").size() > 1) {
    out += fmt::format("Jain index of the mean slowdowns of {}: {:.4f}\n",
                       metrics.at("users").empty() ? "queues" : "users", metrics.at("jain").get<double>());
  }
}

void deadlock_lines(const Json& deadlock, std::string& out) {
  out += fmt::format("deadlock at t={}: {} held, nothing running\n", number(deadlock.at("time")),
                     plural(deadlock.at("heldGpus"), "GPU"));
  for (const Json& job : deadlock.at("jobs")) {
    std::string nodes;
    for (const Json& node : job.at("holds").at("nodes")) {
      nodes += fmt::format("{}{}", nodes.empty() ? "" : ", ", text(node.at("node")));
      if (node.at("pods") > 1) {
        nodes += fmt::format(" x{}", node.at("pods").dump());
      }
    }
    out += fmt::format("  {} holds {} for {} on {}, and waits for {} for {}\n", text(job.at("name")),
                       plural(job.at("holds").at("gpus"), "GPU"), plural(job.at("holds").at("pods"), "pod"), nodes,
                       plural(job.at("waitsFor").at("gpus"), "GPU"), plural(job.at("waitsFor").at("pods"), "pod"));
  }
  for (const Json& job : deadlock.at("waiting")) {
    out += fmt::format("  {} holds nothing and waits\n", text(job));
  }
  if (deadlock.contains("avoidedBy")) {
    const Json& avoided = deadlock.at("avoidedBy");
    out += fmt::format(
        "  avoided by --mode {} (all pods of a job or none): {} end, makespan {} s, {} GPU-hours held idle\n",
        text(avoided.at("mode")), plural(avoided.at("finished"), "job"), number(avoided.at("makespan")),
        number(avoided.at("idleGpuHours")));
  }
}

void unfinished_lines(const Json& report, bool wide, std::string& out) {
  std::size_t count = 0;
  for (const Json& job : report.at("jobs")) {
    if (job.at("state") == "finished" || !report.at("deadlock").is_null()) {
      continue;
    }
    if (++count <= kMaxWaiting || wide) {
      out += fmt::format("{} {}{}\n", text(job.at("name")), state_text(job),
                         job.contains("message") ? ": " + text(job.at("message")) : std::string());
    }
  }
  if (count > kMaxWaiting && !wide) {
    out += fmt::format("... and {} more\n", count - kMaxWaiting);
  }
}

}  // namespace

void gang_report_table(const Json& report, const TableOptions& options, std::string& out) {
  if (const auto admission = report.find("admission"); admission != report.end()) {
    admission_lines(*admission, options, out);
    return;
  }
  const bool few = report.at("jobs").size() <= kMaxRows;
  if (few || options.wide) {
    job_rows(report, options, out);
    all_reduce_lines(report, options.wide, out);
  }
  if (!few || options.wide) {
    metric_rows(report.at("metrics"), options.wide, options, out);
  }
  if (options.wide) {
    gang_timeline(report, out);
  }
  summary(report, out);
  if (!report.at("deadlock").is_null()) {
    deadlock_lines(report.at("deadlock"), out);
  }
  if (report.at("livelock") == true) {
    out += "livelock: jobs take and give back parts for ever, and none can start\n";
  }
  unfinished_lines(report, options.wide, out);
}

}  // namespace gpusched::render
