#include "render/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "gpusched/base/text.hpp"
#include "render/job_clock.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kQueueProcess = 1;  // of counters and instants; nodes come after it
constexpr int kLanes = 1000;      // thread = GPU × kLanes + lane

std::int64_t microseconds(double seconds) {
  return std::llround(seconds * 1e6);
}

class Trace {
 public:
  void add(const Json& event) {
    out_ += out_.empty() ? "" : ",\n";
    out_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void name(std::string_view what, int process, int thread, const std::string& name) {
    add({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}});
  }
  void sort(std::string_view what, int process, int thread, int index) {
    add({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"sort_index", index}}}});
  }
  [[nodiscard]] std::string text() const { return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + out_ + "\n]}\n"; }

 private:
  std::string out_;
};

/// Threads of GPUs. Pods that share a GPU at one time stand on lanes of their own, as events of a thread may not cross.
class Lanes {
 public:
  explicit Lanes(Trace& trace) : trace_(trace) {}

  int lane(int process, int gpu, double from, double until) {
    std::vector<double>& ends = ends_[{process, gpu}];
    const auto free = std::ranges::find_if(ends, [&](double end) { return end <= from; });
    const auto lane = static_cast<int>(free - ends.begin());
    const int thread = gpu * kLanes + std::min(lane, kLanes - 1);
    if (free == ends.end()) {
      ends.push_back(until);
      if (lane > 0 && lane < kLanes) {
        name_thread(process, gpu, lane);
      }
    } else {
      *free = until;
    }
    return thread;
  }

  void name_thread(int process, int gpu, int lane) {
    const int thread = gpu * kLanes + lane;
    trace_.name("thread_name", process, thread,
                lane == 0 ? fmt::format("GPU {}", gpu) : fmt::format("GPU {} ({})", gpu, lane + 1));
    trace_.sort("thread_sort_index", process, thread, thread);
  }

 private:
  Trace& trace_;
  std::map<std::pair<int, int>, std::vector<double>> ends_;
};

/// Processes and threads of all nodes and GPUs, idle ones too; the processes by the nodes' names.
std::map<std::string, int> name_nodes(const Json& nodes, Trace& trace, Lanes& lanes) {
  std::map<std::string, int> processes;
  int process = kQueueProcess;
  for (const Json& node : nodes) {
    const auto name = node.at("name").get<std::string>();
    processes[name] = ++process;
    trace.name("process_name", process, 0, escape_control(name));
    trace.sort("process_sort_index", process, 0, process);
    for (std::size_t gpu = 0; gpu < node.at("gpus").size(); ++gpu) {
      lanes.name_thread(process, static_cast<int>(gpu), 0);
    }
  }
  return processes;
}

/// Until when a stay is drawn, in seconds: what never ends goes on for a twentieth of the time behind the last event,
/// as the end of the run is where a deadlock begins and a slice without a length is not seen.
double drawn_until(const Json& stay) {
  const auto until = stay.at("until").get<double>();
  return stay.contains("open") ? until + std::max(until / 20, 1.0) : until;
}

void add_stays(const Json& report, Trace& trace) {
  Lanes lanes(trace);
  const std::map<std::string, int> processes = name_nodes(report.at("cluster").at("nodes"), trace, lanes);
  for (const Json& stay : report.at("stays")) {
    const int process = processes.at(stay.at("node").get<std::string>());
    const bool runs = stay.at("runs").get<bool>();
    const std::string job = escape_control(stay.at("job").get_ref<const std::string&>());
    const auto from = stay.at("from").get<double>();
    const double until = drawn_until(stay);
    Json args = {{"job", job}, {"pod", stay.at("pod")}};
    if (stay.contains("open")) {
      args["end"] = "never";
    }
    for (const Json& gpu : stay.at("gpus")) {
      trace.add({{"ph", "X"},
                 {"name", runs ? job : job + " (holds, waits)"},
                 {"cat", runs ? "run" : "hold"},
                 {"pid", process},
                 {"tid", lanes.lane(process, gpu.get<int>(), from, until)},
                 {"ts", microseconds(from)},
                 {"dur", microseconds(until) - microseconds(from)},
                 {"args", args}});
    }
  }
}

void add_counters(const Json& report, Trace& trace) {
  const auto counter = [&](std::string_view name, double time, Json values) {
    trace.add({{"ph", "C"},
               {"name", name},
               {"pid", kQueueProcess},
               {"tid", 0},
               {"ts", microseconds(time)},
               {"args", std::move(values)}});
  };
  for (const JobMoment& moment : job_moments(report)) {
    counter("jobs", moment.time, {{"waiting", moment.waiting}, {"running", moment.running}});
  }
  for (const GpuMoment& moment : gpu_moments(report)) {
    counter("GPUs", moment.time, {{"running", moment.running}, {"held", moment.held}});
  }
}

/// What a reader of a trace looks for: a deadlock for the whole trace, the rest on a line of their own.
void add_instants(const Json& report, Trace& trace) {
  static constexpr std::array<std::string_view, 6> kNoted = {"preempt", "fail",    "timeout",
                                                             "reject",  "give-up", "deadlock"};
  for (const Json& event : report.at("events")) {
    const auto kind = event.at("event").get<std::string>();
    if (std::ranges::find(kNoted, kind) == kNoted.end()) {
      continue;
    }
    Json args = Json::object();
    for (const char* key : {"job", "by"}) {
      if (event.contains(key)) {
        args[key] = escape_control(event.at(key).get_ref<const std::string&>());
      }
    }
    const std::string job = args.value("job", std::string());
    trace.add({{"ph", "i"},
               {"name", job.empty() ? kind : kind + " " + job},
               {"cat", kind},
               {"s", kind == "deadlock" ? "g" : "p"},
               {"pid", kQueueProcess},
               {"tid", 0},
               {"ts", microseconds(event.at("time").get<double>())},
               {"args", std::move(args)}});
  }
}

}  // namespace

std::string trace_events(const Json& report) {
  Trace trace;
  trace.name("process_name", kQueueProcess, 0, "jobs");
  trace.sort("process_sort_index", kQueueProcess, 0, 0);
  add_stays(report, trace);
  add_counters(report, trace);
  add_instants(report, trace);
  return trace.text();
}

}  // namespace gpusched::render
