#include "render/job_clock.hpp"

#include <map>
#include <string>

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

bool waits(JobPhase phase) {
  return phase == JobPhase::kWaiting || phase == JobPhase::kHolding;
}

}  // namespace

JobPhase phase_after(std::string_view event, bool last) {
  if (event == "start" || event == "restart") {
    return JobPhase::kRunning;
  }
  if (event == "finish" || event == "give-up" || (event == "fail" && last)) {
    return JobPhase::kAway;
  }
  return event == "hold" ? JobPhase::kHolding : JobPhase::kWaiting;
}

std::vector<JobMoment> job_moments(const Json& report) {
  const Json& events = report.at("events");
  std::map<std::string, std::size_t> last_event;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].contains("job")) {
      last_event[events[i].at("job").get<std::string>()] = i;
    }
  }
  std::map<std::string, JobPhase> phases;
  std::vector<JobMoment> moments;
  JobMoment now;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].contains("job")) {
      continue;
    }
    const auto job = events[i].at("job").get<std::string>();
    JobPhase& phase = phases.try_emplace(job, JobPhase::kAway).first->second;
    const JobPhase next = phase_after(events[i].at("event").get<std::string>(), last_event.at(job) == i);
    now.waiting += (waits(next) ? 1 : 0) - (waits(phase) ? 1 : 0);
    now.running += (next == JobPhase::kRunning ? 1 : 0) - (phase == JobPhase::kRunning ? 1 : 0);
    phase = next;
    now.time = events[i].at("time").get<double>();
    if (!moments.empty() && moments.back().time == now.time) {
      moments.back() = now;
    } else {
      moments.push_back(now);
    }
  }
  return moments;
}

std::vector<GpuMoment> gpu_moments(const Json& report) {
  std::map<double, GpuMoment> changes;
  for (const Json& stay : report.at("stays")) {
    const auto gpus = static_cast<std::int64_t>(stay.at("gpus").size());
    const bool runs = stay.at("runs").get<bool>();
    GpuMoment& from = changes[stay.at("from").get<double>()];
    (runs ? from.running : from.held) += gpus;
    if (!stay.contains("open")) {
      GpuMoment& until = changes[stay.at("until").get<double>()];
      (runs ? until.running : until.held) -= gpus;
    }
  }
  std::vector<GpuMoment> moments;
  GpuMoment now;
  for (const auto& [time, change] : changes) {
    now = {time, now.running + change.running, now.held + change.held};
    moments.push_back(now);
  }
  return moments;
}

}  // namespace gpusched::render
