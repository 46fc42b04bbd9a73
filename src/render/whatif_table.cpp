#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/tables.hpp"

// What edits of the cluster did, and the answer's figures before and after them.
namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

// Before states, of which only those that occur are there.
constexpr std::string_view kJobs = "jobs ";
constexpr std::string_view kPods = "pods ";

/// Figures of one answer by name, in the order of the rows.
using Figures = std::vector<std::pair<std::string, std::string>>;

void fragmentation_figures(const Json& report, Figures& figures) {
  const Json& fragmentation = report.at("fragmentation");
  figures.emplace_back("free GPUs",
                       fmt::format("{} of {}", number(fragmentation.at("free")), number(fragmentation.at("total"))));
  figures.emplace_back("largest block", number(fragmentation.at("largestBlock")));
  figures.emplace_back("largest island", number(fragmentation.at("largestIsland")));
  for (const Json& row : fragmentation.at("rows")) {
    const std::string size = number(row.at("size"));
    figures.emplace_back(fmt::format("pods of {} (count, island)", size),
                         fmt::format("{}, {}", number(row.at("byCount")), number(row.at("withinIsland"))));
    figures.emplace_back(fmt::format("stranded for {}", size), fmt::format("{} ({:g}%)", number(row.at("stranded")),
                                                                           row.at("strandedPercent").get<double>()));
  }
  if (fragmentation.contains("timeSliced")) {
    const Json& sliced = fragmentation.at("timeSliced");
    figures.emplace_back("free replicas",
                         fmt::format("{} of {}", number(sliced.at("freeReplicas")), number(sliced.at("replicas"))));
  }
}

Figures placement_figures(const Json& report) {
  Figures figures;
  figures.emplace_back("pods that fit", number(report.at("placed")));
  figures.emplace_back("Pending", number(report.at("unplaced")));
  fragmentation_figures(report, figures);
  return figures;
}

Figures frag_figures(const Json& report) {
  Figures figures;
  fragmentation_figures(report, figures);
  return figures;
}

Figures gang_figures(const Json& report) {
  Figures figures;
  const Json& counts = report.at("counts");
  for (const auto& [state, count] : counts.items()) {
    figures.emplace_back(std::string(kJobs) + state, number(count));
  }
  figures.emplace_back("GPUs", number(report.at("gpus")));
  figures.emplace_back("makespan", fmt::format("{} s", number(report.at("makespan"))));
  figures.emplace_back("GPU hours held idle", fmt::format("{:.2f}", report.at("idleGpuHours").get<double>()));
  figures.emplace_back("utilisation", fmt::format("{:.1f}%", 100 * report.at("utilisation").get<double>()));
  const Json& deadlock = report.at("deadlock");
  figures.emplace_back("deadlock",
                       deadlock.is_null() ? std::string("none") : fmt::format("at {} s", number(deadlock.at("time"))));
  return figures;
}

/// "unschedulable: 0/2 nodes are available: ..." or "scheduled on gpu-b".
std::string verdict_of(const Json& report) {
  const std::string node = text(report.at("node"));
  const std::string message = text(report.at("message"));
  return text(report.at("verdict")) + (node.empty() ? "" : " on " + node) + (message.empty() ? "" : ": " + message);
}

/// Without the message, which changes with every node.
std::string short_verdict_of(const Json& report) {
  const std::string node = text(report.at("node"));
  return text(report.at("verdict")) + (node.empty() ? "" : " on " + node);
}

Figures verdict_figures(const Json& list) {
  std::map<std::string, std::size_t> counts;
  for (const Json& report : list.at("items")) {
    ++counts[text(report.at("verdict"))];
  }
  Figures figures;
  for (const auto& [verdict, count] : counts) {
    figures.emplace_back(std::string(kPods) + verdict, fmt::format("{}", count));
  }
  return figures;
}

Figures allocation_figures(const Json& report) {
  std::size_t allocated = 0;
  for (const Json& claim : report.at("claims")) {
    allocated += claim.at("allocation").is_null() ? 0 : 1;
  }
  return {{"claims allocated", fmt::format("{} of {}", allocated, report.at("claims").size())}};
}

/// What is different for each object of a list: a pod's verdict, a claim's node.
struct Difference {
  std::string_view list;
  std::string (*name)(const Json& entry);
  std::string (*state)(const Json& entry);
};

std::string pod_name(const Json& report) {
  return qualified_name(report.at("pod"));
}

std::string claim_state(const Json& claim) {
  return claim.at("allocation").is_null() ? std::string("none") : text(claim.at("node"));
}

void difference_lines(const Json& before, const Json& after, const Difference& difference, std::string& out) {
  constexpr std::size_t kMaxLines = 20;
  std::size_t lines = 0;
  std::map<std::string, std::string> states;
  for (const Json& entry : before.at(difference.list)) {
    states.emplace(difference.name(entry), difference.state(entry));
  }
  for (const Json& entry : after.at(difference.list)) {
    const std::string name = difference.name(entry);
    const std::string state = difference.state(entry);
    const auto found = states.find(name);
    if (found != states.end() && found->second == state) {
      continue;
    }
    if (++lines <= kMaxLines) {
      out += fmt::format("  {}: {} -> {}\n", name, found == states.end() ? "not there" : found->second, state);
    }
  }
  if (lines > kMaxLines) {
    out += fmt::format("  and {} more\n", lines - kMaxLines);
  }
}

struct KindFigures {
  std::string_view kind;
  Figures (*figures)(const Json&);
};

constexpr std::array kKinds = {
    KindFigures{"PendingReportList", &verdict_figures}, KindFigures{"AllocationReport", &allocation_figures},
    KindFigures{"PlacementReport", &placement_figures}, KindFigures{"FragmentationReport", &frag_figures},
    KindFigures{"GangReport", &gang_figures}};

}  // namespace

std::vector<WhatIfRow> what_if_rows(const Json& report, std::string_view kind) {
  const auto* const known = std::ranges::find(kKinds, kind, &KindFigures::kind);
  if (known == kKinds.end()) {
    return {};
  }
  const Figures before = known->figures(report.at("whatIf").at("before"));
  const Figures after = known->figures(report);
  const auto value_in = [](const Figures& figures, const std::string& name) {
    const auto found = std::ranges::find(figures, name, &Figures::value_type::first);
    return found != figures.end() ? found->second
                                  : std::string(name.starts_with(kJobs) || name.starts_with(kPods) ? "0" : "-");
  };
  std::vector<WhatIfRow> rows;
  for (const auto& [name, value] : before) {
    rows.push_back({name, value, value_in(after, name)});
  }
  for (const auto& [name, value] : after) {
    if (std::ranges::find(before, name, &Figures::value_type::first) == before.end()) {
      rows.push_back({name, value_in(before, name), value});
    }
  }
  return rows;
}

void what_if_lines(const Json& report, std::string_view kind, const TableOptions& options, std::string& out) {
  const Json& what_if = report.at("whatIf");
  out += "what if\n";
  for (const Json& edit : what_if.at("edits")) {
    out += fmt::format("  {}: {}\n", text(edit.at("edit")), text(edit.at("effect")));
  }
  if (kind == "PendingReport") {
    out += fmt::format("  before: {}\n  after:  {}\n\nafter the change\n", verdict_of(what_if.at("before")),
                       verdict_of(report));
    return;
  }
  const std::vector<WhatIfRow> rows = what_if_rows(report, kind);
  if (rows.empty()) {
    return;
  }
  Columns columns({"", "before", "after"});
  for (const WhatIfRow& row : rows) {
    columns.add({row.figure, row.before, row.after});
  }
  columns.write(out, {false, true, true}, options.headers, 2);
  if (kind == "PendingReportList") {
    difference_lines(what_if.at("before"), report, {"items", &pod_name, &short_verdict_of}, out);
  } else if (kind == "AllocationReport") {
    difference_lines(what_if.at("before"), report, {"claims", &qualified_name, &claim_state}, out);
  }
  out += "\nafter the change\n";
}

}  // namespace gpusched::render
