#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/tables.hpp"

// What edits of the cluster did, and the answer's figures before and after them.
namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& value) {
  return escape_control(value.get_ref<const std::string&>());
}

std::string number(const Json& value) {
  return value.is_object() ? fmt::format("{} to {}", value.at("min").dump(), value.at("max").dump()) : value.dump();
}

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
  std::map<std::string, bool> placed;  // by pod: one that was evicted and placed again has two entries
  std::size_t unnamed = 0;
  for (const Json& pod : report.at("pods")) {
    std::string name = text(pod.at("name"));
    if (name.empty()) {
      name = fmt::format("\n{}", ++unnamed);
    }
    placed[name] = !pod.at("node").get_ref<const std::string&>().empty() && !pod.contains("evictedBy");
  }
  Figures figures;
  const auto unplaced = report.at("unplaced").get<std::size_t>();
  figures.emplace_back("pods that fit", fmt::format("{}", placed.size() - std::min(placed.size(), unplaced)));
  figures.emplace_back("Pending", fmt::format("{}", unplaced));
  fragmentation_figures(report, figures);
  return figures;
}

Figures frag_figures(const Json& report) {
  Figures figures;
  fragmentation_figures(report, figures);
  return figures;
}

struct KindFigures {
  std::string_view kind;
  Figures (*figures)(const Json&);
};

constexpr std::array kKinds = {KindFigures{"PlacementReport", &placement_figures},
                               KindFigures{"FragmentationReport", &frag_figures}};

}  // namespace

void what_if_lines(const Json& report, const TableOptions& options, std::string& out) {
  const Json& what_if = report.at("whatIf");
  out += "what if\n";
  for (const Json& edit : what_if.at("edits")) {
    out += fmt::format("  {}: {}\n", text(edit.at("edit")), text(edit.at("effect")));
  }
  const std::string kind = report.at("kind").get<std::string>();
  const auto* const known = std::ranges::find(kKinds, kind, &KindFigures::kind);
  if (known == kKinds.end()) {
    return;
  }
  const Figures before = known->figures(what_if.at("before"));
  const Figures after = known->figures(report);
  Columns columns({"", "before", "after"});
  for (const auto& [name, value] : after) {
    const auto found = std::ranges::find(before, name, &Figures::value_type::first);
    columns.add({name, found == before.end() ? "-" : found->second, value});
  }
  columns.write(out, {false, true, true}, options.headers, 2);
  out += "\nafter the change\n";
}

}  // namespace gpusched::render
