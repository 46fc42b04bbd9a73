#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "render/html_pages.hpp"
#include "render/html_timeline.hpp"

namespace gpusched::render::html {

namespace {

constexpr std::size_t kMaxJobs = 2000;  // rows of the list of jobs

std::string state_badge(const Json& job) {
  const std::string& state = get_text(job, "state");
  const Mood mood = state == "finished"                        ? Mood::kGood
                    : state == "waiting" || state == "blocked" ? Mood::kOpen
                                                               : Mood::kBad;
  return badge(mood, state);
}

std::string node_list(const Json& placement) {
  std::map<std::string, int> pods;
  for (const Json& place : placement) {
    ++pods[get_text(place, "node")];
  }
  std::string words;
  for (const auto& [node, count] : pods) {
    words +=
        fmt::format("{}{}{}", words.empty() ? "" : ", ", escape(node), count > 1 ? fmt::format(" ×{}", count) : "");
  }
  return words.empty() ? "–" : words;
}

std::string remarks(const Json& job) {
  std::string words;
  for (const auto& [key, what] :
       {std::pair("restarts", "restart"), std::pair("preemptions", "preemption"), std::pair("timeouts", "timeout")}) {
    if (job.contains(key)) {
      words += (words.empty() ? "" : ", ") + count_of(get_number(job, key), what);
    }
  }
  if (job.contains("message")) {
    words += (words.empty() ? "" : "; ") + text(job.at("message"));
  }
  return words;
}

/// All jobs; of very many those that did not end and those that waited longest.
std::vector<const Json*> shown_jobs(const Json& list) {
  std::vector<const Json*> jobs;
  for (const Json& job : list) {
    jobs.push_back(&job);
  }
  if (jobs.size() > kMaxJobs) {
    std::ranges::stable_sort(jobs, {}, [](const Json* job) {
      return std::pair(get_text(*job, "state") == "finished", -get_number(*job, "waiting"));
    });
    jobs.resize(kMaxJobs);
  }
  return jobs;
}

std::string job_table(const Json& list) {
  const auto has = [&](const char* key) {
    return std::ranges::any_of(list, [&](const Json& job) { return job.contains(key); });
  };
  const bool queues = has("queue");
  const bool users = has("user");
  std::vector<Column> columns{{"job"}, {"state", false, true}};
  if (queues) {
    columns.push_back({"queue", false, true});
  }
  if (users) {
    columns.push_back({"user", false, true});
  }
  for (const char* title : {"pods", "GPUs", "submission", "start", "end", "waiting", "run"}) {
    columns.push_back({title, true});
  }
  columns.push_back({"nodes"});
  columns.push_back({"remarks"});
  Table table("Jobs, times in s", std::move(columns));
  const std::vector<const Json*> jobs = shown_jobs(list);
  for (const Json* job : jobs) {
    std::vector<std::string> cells{text(get(*job, "name")), state_badge(*job)};
    if (queues) {
      cells.push_back(text(get(*job, "queue")));
    }
    if (users) {
      cells.push_back(text(get(*job, "user")));
    }
    for (const char* key : {"pods", "gpus", "submission", "start", "end", "waiting", "run"}) {
      cells.push_back(text(get(*job, key)));
    }
    cells.push_back(node_list(get(*job, "placement")));
    cells.push_back(remarks(*job));
    table.add(cells);
  }
  std::string out = table.html();
  if (jobs.size() < list.size()) {
    out += fmt::format("<p class=\"note\">The {} jobs that never ended or waited longest, of {}.</p>\n", jobs.size(),
                       list.size());
  }
  return out;
}

std::string metric_table(const Json& metrics) {
  Table table("Groups of jobs, times in s", {{"jobs of"},
                                             {"jobs", true},
                                             {"ended", true},
                                             {"GPU-hours", true},
                                             {"mean JCT", true},
                                             {"mean wait", true},
                                             {"wait p50", true},
                                             {"wait p95", true},
                                             {"wait p99", true},
                                             {"bounded slowdown", true}});
  const auto add = [&](const std::string& name, const Json& group) {
    table.add({name, text(get(group, "jobs")), text(get(group, "ended")), text(get(group, "gpuHours")),
               text(get(get(group, "jct"), "mean")), text(get(get(group, "wait"), "mean")),
               text(get(get(group, "wait"), "p50")), text(get(get(group, "wait"), "p95")),
               text(get(get(group, "wait"), "p99")), text(get(get(group, "boundedSlowdown"), "mean"))});
  };
  add("all", get(metrics, "all"));
  for (const auto& [list, what] :
       {std::pair("sizes", "GPUs"), std::pair("queues", "queue"), std::pair("users", "user")}) {
    for (const Json& group : get(metrics, list)) {
      add(fmt::format("{} {}", what, group.contains("name") ? text(group.at("name")) : "(none)"), group);
    }
  }
  return table.html();
}

std::string deadlock_section(const Json& deadlock) {
  std::string out = fmt::format("<p>At {} s parts of jobs hold {} GPUs, nothing runs, and nothing can start.</p>\n",
                                text(get(deadlock, "time")), text(get(deadlock, "heldGpus")));
  Table table("Who holds what and waits for what", {{"job"},
                                                    {"holds GPUs", true},
                                                    {"holds pods", true},
                                                    {"on"},
                                                    {"waits for GPUs", true},
                                                    {"waits for pods", true}});
  for (const Json& job : get(deadlock, "jobs")) {
    const Json& holds = get(job, "holds");
    std::string nodes;
    for (const Json& node : get(holds, "nodes")) {
      nodes += fmt::format("{}{} ×{}", nodes.empty() ? "" : ", ", text(get(node, "node")), text(get(node, "pods")));
    }
    table.add({text(get(job, "name")), text(get(holds, "gpus")), text(get(holds, "pods")), nodes,
               text(get(get(job, "waitsFor"), "gpus")), text(get(get(job, "waitsFor"), "pods"))});
  }
  out += table.html();
  if (!get(deadlock, "waiting").empty()) {
    out += fmt::format("<p>Hold nothing and wait: {}.</p>\n", text(deadlock.at("waiting")));
  }
  if (const Json& avoided = get(deadlock, "avoidedBy"); avoided.is_object()) {
    out +=
        fmt::format("<p>Avoided by <code>--mode {}</code>: {} jobs end, makespan {} s, {} GPU-hours held idle.</p>\n",
                    text(get(avoided, "mode")), text(get(avoided, "finished")), text(get(avoided, "makespan")),
                    text(get(avoided, "idleGpuHours")));
  }
  return out;
}

std::string flavor_words(const Json& pods) {
  std::string words;
  for (const auto& [resource, flavor] : get(pods, "flavors").items()) {
    words += fmt::format("{}{}: {} of {}", words.empty() ? "" : ", ", escape(resource),
                         text(get(get(pods, "usage"), resource)), text(flavor));
  }
  return words;
}

std::string topology_words(const Json& pods) {
  std::string words;
  for (const Json& domain : get(get(pods, "topology"), "domains")) {
    std::string path;
    for (const Json& value : get(domain, "values")) {
      path += (path.empty() ? "" : "/") + text(value);
    }
    words += fmt::format("{}{} ×{}", words.empty() ? "" : ", ", path, text(get(domain, "count")));
  }
  return words;
}

}  // namespace

std::vector<Section> admission_sections(const Json& admission) {
  std::vector<Section> sections;
  Table pending("Workloads without quota", {{"workload"}, {"reason", false, true}, {"message"}, {"requeued"}});
  for (const Json& workload : get(admission, "pending")) {
    const bool tried = !get_text(workload, "reason").empty();
    pending.add({text(get(workload, "workload")), tried ? text(get(workload, "reason")) : "not tried yet",
                 text(get(workload, "message")),
                 get_text(workload, "requeued").empty() ? "" : text(get(workload, "requeued"))});
  }
  if (pending.size() > 0) {
    sections.push_back({"pending", "Pending workloads", pending.html()});
  }
  Table admitted("Workloads with quota", {{"workload"},
                                          {"ClusterQueue", false, true},
                                          {"state", false, true},
                                          {"pod set"},
                                          {"pods", true},
                                          {"flavors"},
                                          {"topology"},
                                          {"cycle", true}});
  for (const Json& workload : get(admission, "admitted")) {
    for (const Json& pods : get(workload, "podSets")) {
      admitted.add({text(get(workload, "workload")), text(get(workload, "clusterQueue")),
                    workload.contains("state") ? text(workload.at("state")) : "Admitted", text(get(pods, "name")),
                    text(get(pods, "count")), flavor_words(pods), topology_words(pods), text(get(workload, "cycle"))});
    }
  }
  if (admitted.size() > 0) {
    sections.push_back({"admitted", "Admitted workloads", admitted.html()});
  }
  Table evicted("Evictions", {{"workload"}, {"cycle", true}, {"reason", false, true}, {"message"}});
  for (const Json& eviction : get(admission, "evicted")) {
    evicted.add({text(get(eviction, "workload")), text(get(eviction, "cycle")),
                 text(get(eviction, eviction.contains("preempted") ? "preempted" : "reason")),
                 text(get(eviction, "message"))});
  }
  if (evicted.size() > 0) {
    sections.push_back({"evicted", "Evictions", evicted.html()});
  }
  Table queues("ClusterQueues that admit nothing", {{"ClusterQueue"}, {"reason"}, {"message"}});
  for (const Json& queue : get(admission, "clusterQueues")) {
    queues.add({text(get(queue, "name")), text(get(queue, "reason")), text(get(queue, "message"))});
  }
  if (queues.size() > 0) {
    sections.push_back({"inactive", "Inactive ClusterQueues", queues.html()});
  }
  return sections;
}

namespace {

Page admission_page(const Json& admission) {
  const std::size_t pending = get(admission, "pending").size();
  Page page;
  page.title = "Admission by Kueue's queues";
  page.lead = pending > 0 ? badge(Mood::kBad, count_of(static_cast<double>(pending), "workload") + " without quota")
                          : badge(Mood::kGood, "every workload is admitted");
  page.tiles = {{fmt::format("{}", get(admission, "admitted").size()), "admitted"},
                {fmt::format("{}", pending), "pending"},
                {fmt::format("{}", get(admission, "evicted").size()), "evictions"},
                {text(get(admission, "cycles")), "scheduling cycles"}};
  page.sections = admission_sections(admission);
  return page;
}

}  // namespace

Page gang_page(const Json& report) {
  if (report.contains("admission")) {
    return admission_page(report.at("admission"));
  }
  const Json& jobs = get(report, "jobs");
  const Json& deadlock = get(report, "deadlock");
  const auto finished =
      std::ranges::count_if(jobs, [](const Json& job) { return get_text(job, "state") == "finished"; });
  const auto left = static_cast<double>(static_cast<std::ptrdiff_t>(jobs.size()) - finished);
  Page page;
  page.title = "Jobs of several pods on a virtual clock";
  page.lead = deadlock.is_object() ? badge(Mood::kBad, fmt::format("deadlock at {} s", plain(get(deadlock, "time"))))
              : left > 0           ? badge(Mood::kBad, count_of(left, "job") + " never end")
                                   : badge(Mood::kGood, "every job ends");
  page.tiles = {{text(get(report, "mode")), "mode"},
                {fmt::format("{} of {}", finished, jobs.size()), "jobs that end"},
                {text(get(report, "makespan")), "makespan, s"},
                {fmt::format("{} %", plain(100 * get_number(report, "utilisation"))),
                 fmt::format("utilisation of {} GPUs", plain(get(report, "gpus")))},
                {text(get(report, "idleGpuHours")), "idle GPU-hours, held by parts of jobs"},
                {text(get(get(get(get(report, "metrics"), "all"), "wait"), "mean")), "mean wait, s"}};
  if (deadlock.is_object()) {
    page.sections.push_back({"deadlock", "Deadlock", deadlock_section(deadlock)});
  }
  if (std::string timeline = gpu_timeline(report); !timeline.empty()) {
    page.sections.push_back({"timeline", "Jobs on GPUs", std::move(timeline)});
    page.sections.push_back({"usage", "GPUs and waiting jobs over time", usage_chart(report)});
  }
  page.sections.push_back({"jobs", "Jobs", job_table(jobs)});
  page.sections.push_back({"metrics", "Waiting and slowdown", metric_table(get(report, "metrics"))});
  return page;
}

}  // namespace gpusched::render::html
