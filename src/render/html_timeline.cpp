#include "render/html_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "render/job_clock.hpp"

namespace gpusched::render::html {

namespace {

// In the units of the drawing.
constexpr double kLeft = 120, kWidth = 980, kRight = 20;
constexpr double kRow = 14, kNodeGap = 10, kTop = 24;
constexpr double kLetter = 6.2;  // width of one in the labels

constexpr std::size_t kMaxGpus = 192;     // rows that a person looks through
constexpr std::size_t kMaxStays = 20000;  // bars that a browser draws without delay
constexpr std::size_t kColors = 10;

std::string shortened(const std::string& name, double width) {
  const auto letters = static_cast<std::size_t>(std::max(0.0, width / kLetter));
  if (name.size() <= letters) {
    return escape(name);
  }
  std::size_t end = letters > 1 ? letters - 1 : 0;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80U) {
    --end;  // not within a character
  }
  return escape(name.substr(0, end)) + "…";
}

/// Times of the drawing: where it begins, ends, and where its lines are.
struct Axis {
  double first = 0, last = 1, step = 1;

  [[nodiscard]] double x(double time) const { return kLeft + (time - first) / (last - first) * kWidth; }
};

/// 1, 2 or 5 times a power of ten: six to twelve lines.
double round_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / 6)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (span / (power * factor) <= 12) {
      return power * factor;
    }
  }
  return power * 10;
}

Axis axis_of(const Json& report) {
  Axis axis;
  const Json& events = get(report, "events");
  if (!events.is_array() || events.empty()) {
    return axis;
  }
  axis.first = get_number(events.front(), "time");
  axis.last = get_number(events.back(), "time");
  const bool open =
      std::ranges::any_of(get(report, "stays"), [](const Json& stay) { return get(stay, "open") == true; });
  const double span = std::max(1.0, axis.last - axis.first);
  axis.last = axis.first + span * (open ? 1.08 : 1);  // room to show that it does not end
  axis.step = round_step(span);
  return axis;
}

std::string grid(const Axis& axis, double height) {
  std::string out;
  for (double time = std::ceil(axis.first / axis.step) * axis.step; time <= axis.last; time += axis.step) {
    out += fmt::format(
        R"(<line class="grid" x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2:.1f}"/><text class="tick" x="{0:.1f}" y="{3}">{4}</text>)",
        axis.x(time), kTop - 4, height, kTop - 9, plain(time));
  }
  return out;
}

/// Lines across everything where the run got stuck.
std::string deadlock_line(const Json& report, const Axis& axis, double height) {
  const Json& deadlock = get(report, "deadlock");
  if (!deadlock.is_object()) {
    return {};
  }
  const double x = axis.x(get_number(deadlock, "time"));
  return fmt::format(
      R"(<line class="dead" x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2:.1f}"/><text class="deadword" x="{3:.1f}" y="{4:.1f}">deadlock</text>)",
      x, kTop - 4, height, x - 4, height - 3);
}

std::string drawing(double height, const std::string& content, std::string_view label) {
  return fmt::format(
      R"(<div class="scroll plot" role="region" aria-label="{3}" tabindex="0"><svg class="timeline" viewBox="0 0 {0} {1:.0f}" role="img" aria-label="{3}">{2}</svg></div>
)",
      kLeft + kWidth + kRight, height, content, escape(label));
}

struct Rows {
  std::map<std::string, std::pair<double, std::size_t>> nodes;  // y of the first GPU, number of GPUs
  double height = kTop;
  std::size_t gpus = 0;
};

/// Nodes on which something happens, by name.
Rows rows_of(const Json& report) {
  std::set<std::string> busy;
  for (const Json& stay : get(report, "stays")) {
    busy.insert(get_text(stay, "node"));
  }
  Rows rows;
  for (const Json& node : get(get(report, "cluster"), "nodes")) {
    const std::size_t gpus = get(node, "gpus").size();
    if (gpus > 0 && busy.contains(get_text(node, "name"))) {
      rows.nodes[get_text(node, "name")] = {rows.height, gpus};
      rows.height += static_cast<double>(gpus) * kRow + kNodeGap;
      rows.gpus += gpus;
    }
  }
  return rows;
}

/// A bar over GPUs that lie side by side.
void stay_bars(const Json& stay, double top, const Axis& axis, std::size_t color, std::string& out) {
  const Json& gpus = get(stay, "gpus");
  const bool open = get(stay, "open") == true;
  const double from = axis.x(get_number(stay, "from"));
  const double until = open ? axis.x(axis.last) : axis.x(get_number(stay, "until"));
  const double width = std::max(1.0, until - from);
  const bool runs = get(stay, "runs") == true;
  const std::string& job = get_text(stay, "job");
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t last = i;
    while (last + 1 < gpus.size() && gpus[last + 1].get<int>() == gpus[last].get<int>() + 1) {
      ++last;
    }
    const double y = top + gpus[i].get<double>() * kRow;
    const double height = static_cast<double>(last - i + 1) * kRow - 1;
    out += fmt::format(
        R"(<g><title>{}, pod {}: {} from {} s {}</title><rect class="c{}{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
        escape(job), text(get(stay, "pod")), runs ? "runs" : "holds and waits", text(get(stay, "from")),
        open ? "without end" : fmt::format("to {} s", text(get(stay, "until"))), color, runs ? "" : " holds", from, y,
        width, height);
    if (width > 6 * kLetter) {
      out += fmt::format(R"(<text class="in{}" x="{:.1f}" y="{:.1f}">{}</text>)", runs ? "" : " waits", from + 4,
                         y + height / 2 + 3.5, shortened(job, width - 8));
    }
    out += "</g>\n";
    i = last + 1;
  }
}

/// The highest value of each column of the drawing, so that a long run has no more points than pixels.
template <class Moment, class Value>
std::vector<double> columns(const std::vector<Moment>& moments, const Axis& axis, Value value) {
  std::vector<double> highest(static_cast<std::size_t>(kWidth), 0);
  const auto column = [&](double time) {
    return std::min(highest.size() - 1, static_cast<std::size_t>(std::max(0.0, axis.x(time) - kLeft)));
  };
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const std::size_t from = column(moments[i].time);
    const std::size_t until = i + 1 < moments.size() ? column(moments[i + 1].time) : highest.size() - 1;
    for (std::size_t x = from; x <= until; ++x) {
      highest[x] = std::max(highest[x], static_cast<double>(value(moments[i])));
    }
  }
  return highest;
}

/// A filled curve over `base`, which it is added to.
std::string area(const std::vector<double>& values, double top, double height, double most, std::string_view kind) {
  if (most <= 0) {
    return {};
  }
  std::string points = fmt::format("M{} {:.1f}", kLeft, top + height);
  double before = -1;
  for (std::size_t x = 0; x < values.size(); ++x) {
    if (values[x] != before) {
      const double y = top + height - values[x] / most * height;
      points += fmt::format("H{:.0f}V{:.1f}", kLeft + static_cast<double>(x), y);
      before = values[x];
    }
  }
  points += fmt::format("H{:.0f}V{:.1f}Z", kLeft + kWidth, top + height);
  return fmt::format(R"(<path class="{}" d="{}"/>)", kind, points);
}

}  // namespace

std::string gpu_timeline(const Json& report) {
  const Json& stays = get(report, "stays");
  if (!stays.is_array() || stays.empty()) {
    return {};
  }
  const Rows rows = rows_of(report);
  if (rows.gpus > kMaxGpus || stays.size() > kMaxStays) {
    return fmt::format(
        "<p>{} GPUs with {} stays of pods are too many to draw one by one; <code>--report trace=FILE</code> shows them "
        "in Perfetto.</p>\n",
        rows.gpus, stays.size());
  }
  const Axis axis = axis_of(report);
  std::map<std::string, std::size_t> colors;
  for (const Json& job : get(report, "jobs")) {
    colors.try_emplace(get_text(job, "name"), colors.size() % kColors);
  }
  std::string out = grid(axis, rows.height);
  for (const auto& [name, place] : rows.nodes) {
    const double height = static_cast<double>(place.second) * kRow;
    out += fmt::format(
        R"(<g><title>{0}</title><text class="rowname" x="{1}" y="{2:.1f}">{3}</text><rect class="lane" x="{4}" y="{5:.1f}" width="{6}" height="{7:.1f}"/></g>)",
        escape(name), kLeft - 8, place.first + height / 2 + 4, shortened(name, kLeft - 14), kLeft, place.first, kWidth,
        height);
  }
  for (const Json& stay : stays) {
    const auto node = rows.nodes.find(get_text(stay, "node"));  // not there: a node without GPUs
    if (node != rows.nodes.end()) {
      stay_bars(stay, node->second.first, axis, colors[get_text(stay, "job")], out);
    }
  }
  out += deadlock_line(report, axis, rows.height);
  return R"(<ul class="legend"><li><svg class="chip" viewBox="0 0 16 16" aria-hidden="true"><rect class="c0" width="16" height="16"/></svg> runs, a colour for each job</li>)"
         R"(<li><svg class="chip" viewBox="0 0 16 16" aria-hidden="true"><rect class="c0 holds" x="1" y="1" width="14" height="14"/></svg> holds GPUs and waits for the rest</li><li>time in s</li></ul>)" +
         drawing(rows.height, out, "Jobs on GPUs over time; the table of jobs has the same in numbers");
}

std::string usage_chart(const Json& report) {
  if (!get(report, "stays").is_array() || !get(report, "events").is_array() || get(report, "events").empty()) {
    return {};
  }
  constexpr double kHeight = 90;
  const Axis axis = axis_of(report);
  const std::vector<GpuMoment> gpus = gpu_moments(report);
  const std::vector<JobMoment> jobs = job_moments(report);
  const auto running = columns(gpus, axis, [](const GpuMoment& moment) { return moment.running; });
  const auto taken = columns(gpus, axis, [](const GpuMoment& moment) { return moment.running + moment.held; });
  const auto waiting = columns(jobs, axis, [](const JobMoment& moment) { return moment.waiting; });
  const double most_gpus = std::max(get_number(report, "gpus"), *std::ranges::max_element(taken));
  const double most_jobs = *std::ranges::max_element(waiting);
  const double second = kTop + kHeight + 24;
  const double height = second + kHeight + 6;
  std::string out = grid(axis, height);
  const auto label = [&](double y, std::string_view words, double most) {
    out += fmt::format(
        R"(<text class="rowname" x="{0}" y="{1:.1f}">{2}</text><text class="rowname" x="{0}" y="{3:.1f}">{4} at most</text>)",
        kLeft - 8, y + kHeight / 2, words, y + kHeight / 2 + 15, plain(most));
  };
  label(kTop, "GPUs", most_gpus);
  label(second, "waiting jobs", most_jobs);
  out += fmt::format(
      R"(<rect class="lane" x="{0}" y="{1}" width="{2}" height="{3}"/><rect class="lane" x="{0}" y="{4}" width="{2}" height="{3}"/>)",
      kLeft, kTop, kWidth, kHeight, second);
  out += area(taken, kTop, kHeight, most_gpus, "area-held") + area(running, kTop, kHeight, most_gpus, "area-run");
  out += area(waiting, second, kHeight, most_jobs, "area-wait") + deadlock_line(report, axis, height);
  return R"(<ul class="legend"><li><i class="key area-run"></i> GPUs that run jobs</li><li><i class="key area-held"></i> held by parts of waiting jobs</li><li><i class="key area-wait"></i> jobs that wait</li></ul>)" +
         drawing(height, out, "GPUs in use and waiting jobs over time");
}

}  // namespace gpusched::render::html
