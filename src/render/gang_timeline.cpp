#include "render/gang_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "render/job_clock.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 60;  // cells
constexpr std::size_t kMaxName = 30;

constexpr std::string_view kCells = " .:#";  // by JobPhase

struct Clock {
  double first = 0, step = 1;

  [[nodiscard]] std::size_t cell(double time) const {
    return std::min(kWidth, static_cast<std::size_t>(std::max(0.0, (time - first) / step)));
  }
};

Clock clock_of(const Json& events) {
  Clock clock;
  clock.first = events.front().at("time").get<double>();
  const double last = events.back().at("time").get<double>();
  clock.step = last > clock.first ? (last - clock.first) / kWidth : 1;
  return clock;
}

void job_lines(const Json& report, const Clock& clock, std::string& out) {
  struct Row {
    std::string cells = std::string(kWidth, ' ');
    double since = 0;
    char now = ' ';
    std::size_t events = 0;
  };
  std::map<std::string, Row> rows;
  const auto fill = [&](Row& row, double until) {
    if (row.now == ' ') {
      return;
    }
    const std::size_t from = std::min(clock.cell(row.since), kWidth - 1);
    const std::size_t to = std::max(clock.cell(until), until > row.since ? from + 1 : from);
    for (std::size_t i = from; i < std::min(to, kWidth); ++i) {
      row.cells[i] = row.now == '#' || row.cells[i] == ' ' ? row.now : row.cells[i];
    }
  };
  for (const Json& event : report.at("events")) {
    if (event.contains("job")) {
      ++rows[event.at("job").get_ref<const std::string&>()].events;
    }
  }
  double last = clock.first;
  for (const Json& event : report.at("events")) {
    last = event.at("time").get<double>();
    if (event.contains("job")) {
      Row& row = rows[event.at("job").get_ref<const std::string&>()];
      fill(row, last);
      row.since = last;
      const JobPhase phase = phase_after(event.at("event").get_ref<const std::string&>(), --row.events == 0);
      row.now = kCells[static_cast<std::size_t>(phase)];
    }
  }
  std::size_t width = 0;
  for (auto& [name, row] : rows) {
    fill(row, last);
    width = std::max(width, std::min(kMaxName, display_width(escape_control(name))));
  }
  for (const Json& job : report.at("jobs")) {
    const auto& name = job.at("name").get_ref<const std::string&>();
    out += fmt::format("  {} |{}|\n", pad_right(shorten(name, kMaxName), width), rows[name].cells);
  }
}

/// The share of the GPUs that ran jobs or were held in each cell, in tenths: '9' is 90 % and more.
void usage_lines(const Json& report, const Clock& clock, std::string& out) {
  std::map<std::string, double> gpus_of;
  for (const Json& job : report.at("jobs")) {
    gpus_of[job.at("name").get_ref<const std::string&>()] = job.at("gpus").get<double>();
  }
  std::vector<double> area(kWidth);
  double running = 0;
  double since = clock.first;
  const auto add = [&](double until) {
    for (std::size_t i = std::min(clock.cell(since), kWidth - 1); i < kWidth; ++i) {
      const double begin = std::max(since, clock.first + clock.step * static_cast<double>(i));
      const double end = std::min(until, clock.first + clock.step * static_cast<double>(i + 1));
      if (end <= begin) {
        break;
      }
      area[i] += running * (end - begin);
    }
    since = until;
  };
  for (const Json& event : report.at("events")) {
    const auto& kind = event.at("event").get_ref<const std::string&>();
    if (kind == "start" || kind == "finish" || kind == "preempt" || kind == "fail" || kind == "restart") {
      add(event.at("time").get<double>());
      const bool starts = kind == "start" || kind == "restart";
      running = std::max(0.0, running + (starts ? 1 : -1) * gpus_of[event.at("job").get_ref<const std::string&>()]);
    }
  }
  const double all = report.at("gpus").get<double>() * clock.step;
  std::string cells;
  for (const double value : area) {
    const double tenths = all > 0 ? 10 * value / all : 0;
    cells += tenths < 0.05 ? '.' : static_cast<char>('0' + std::clamp(static_cast<int>(tenths), 0, 9));
  }
  out += fmt::format("  GPUs running, in tenths |{}|\n", cells);
}

}  // namespace

void gang_timeline(const Json& report, std::string& out) {
  const Json& events = report.at("events");
  if (events.empty()) {
    return;
  }
  const Clock clock = clock_of(events);
  const bool rows = report.at("jobs").size() <= kMaxRows;
  out += fmt::format("timeline from t={:g}, {:.6g} s a column{}\n", clock.first, clock.step,
                     rows ? ": . waits, : holds a part, # runs" : "");
  if (rows) {
    job_lines(report, clock, out);
  } else {
    usage_lines(report, clock, out);
  }
}

}  // namespace gpusched::render
